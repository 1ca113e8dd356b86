//! Which names a topic may have (Q19).

/// The longest name, in bytes: with a partition's number it must fit a directory's name.
const LEN_MAX: usize = 249;

/// The name that Kafka gives to the metadata log, whose directory it would share.
const METADATA_TOPIC: &str = "__cluster_metadata";

/// Why a name is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadName {
    /// It is empty.
    Empty,
    /// It is "." or "..".
    Dots,
    /// It is too long.
    TooLong,
    /// It is the metadata log's.
    Reserved,
    /// It has other characters than letters, digits, '.', '_' and '-'.
    Character(char),
}

impl std::fmt::Display for BadName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BadName::Empty => f.write_str("a topic's name cannot be empty"),
            BadName::Dots => f.write_str("a topic's name cannot be \".\" or \"..\""),
            BadName::Reserved => write!(f, "{METADATA_TOPIC} is the metadata log, not a topic"),
            BadName::TooLong => write!(f, "a topic's name has at most {LEN_MAX} characters"),
            BadName::Character(found) => {
                write!(f, "a topic's name has only letters, digits, '.', '_' and '-', not {found:?}")
            }
        }
    }
}

/// Whether a topic may have this name.
pub fn check(name: &str) -> Result<(), BadName> {
    match name {
        "" => return Err(BadName::Empty),
        "." | ".." => return Err(BadName::Dots),
        METADATA_TOPIC => return Err(BadName::Reserved),
        _ if name.len() > LEN_MAX => return Err(BadName::TooLong),
        _ => {}
    }
    let is_legal = |found: char| found.is_ascii_alphanumeric() || matches!(found, '.' | '_' | '-');
    name.chars().find(|found| !is_legal(*found)).map_or(Ok(()), |found| Err(BadName::Character(found)))
}

/// Whether the broker keeps a topic for itself.
pub fn is_internal(name: &str) -> bool {
    matches!(name, "__consumer_offsets" | "__transaction_state")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q19_names() {
        let long = "a".repeat(LEN_MAX);
        for (name, expected) in [
            ("a", Ok(())),
            ("A.b_c-9", Ok(())),
            (long.as_str(), Ok(())),
            ("", Err(BadName::Empty)),
            ("..", Err(BadName::Dots)),
            ("__cluster_metadata", Err(BadName::Reserved)),
            ("a/b", Err(BadName::Character('/'))),
            ("ä", Err(BadName::Character('ä'))),
        ] {
            assert_eq!(check(name), expected, "{name}");
        }
        assert_eq!(check(&(long + "a")), Err(BadName::TooLong));
    }
}
