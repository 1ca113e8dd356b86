//! `ringlog.cores`: on which cores the broker runs.

use std::fmt;

/// How many cores, or which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cores {
    /// Every core that the process may use.
    All,
    /// The first so many of them; at least one.
    Count(usize),
    /// These, by the kernel's number, in ascending order, each once; at least one.
    List(Vec<usize>),
}

const WHAT_IS_ALLOWED: &str = "all, a number of cores such as 2, or a list such as 0,2-3";

/// No machine has more; a range beyond it is a slip, and must not fill the memory.
const CORE_MAX: usize = 4095;

impl Cores {
    /// A number alone is a count; with a comma or a range it is a list, so core 2 alone is `2-2`.
    pub fn parse(text: &str) -> Result<Cores, String> {
        let fault = || WHAT_IS_ALLOWED.to_string();
        let text = text.trim();
        if text.eq_ignore_ascii_case("all") {
            return Ok(Cores::All);
        }
        if !text.contains([',', '-']) {
            return match text.parse() {
                Ok(count) if (1..=CORE_MAX).contains(&count) => Ok(Cores::Count(count)),
                _ => Err(fault()),
            };
        }
        let mut cores = Vec::new();
        for part in text.split(',').map(str::trim) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let first: usize = first.trim().parse().map_err(|_| fault())?;
            let last: usize = last.trim().parse().map_err(|_| fault())?;
            if first > last || last > CORE_MAX {
                return Err(fault());
            }
            cores.extend(first..=last);
        }
        cores.sort_unstable();
        cores.dedup();
        Ok(Cores::List(cores))
    }
}

impl fmt::Display for Cores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cores::All => f.write_str("all"),
            Cores::Count(count) => write!(f, "{count}"),
            Cores::List(cores) => {
                let cores: Vec<String> = cores.iter().map(usize::to_string).collect();
                f.write_str(&cores.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_counts_and_a_list_names() {
        check("all", Cores::All);
        check("2", Cores::Count(2));
        check("0,2-3", Cores::List(vec![0, 2, 3]));
        check("2-2", Cores::List(vec![2]));
        check(" 3, 1 ,1-2", Cores::List(vec![1, 2, 3]));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "0", "-1", "x", "1,", "3-1", "1-", "1--2", "0-999999999", "5000", "1.5"] {
            assert!(Cores::parse(text).is_err(), "{text:?}");
        }
    }

    fn check(text: &str, expected: Cores) {
        assert_eq!(Cores::parse(text), Ok(expected), "{text:?}");
    }
}
