//! Finds the valid name that a mistyped one most likely means.

/// The candidate with the fewest edits to `name`; none if even the best needs more edits than a slip would.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A third of the name: `retension.ms` finds its setting, while a foreign word finds nothing.
    nearest_within((name.len() / 3).clamp(1, 6), name, candidates)
}

/// The candidate with the fewest edits to `name`, `edits_max` at most. Case makes no difference.
pub fn nearest_within<'a>(
    edits_max: usize,
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // A client may send a name of megabytes; none of ours is nearly as long.
    if name.len() > 200 {
        return None;
    }
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (edits(&name, candidate), candidate))
        .filter(|&(count, _)| count <= edits_max)
        .min_by_key(|&(count, _)| count)
        .map(|(_, candidate)| candidate)
}

/// How many characters must be inserted, removed, replaced or swapped with their neighbour to turn `a` into
/// `b`.
fn edits(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name() {
        let names = ["retention.ms", "retention.bytes", "segment.ms", "cleanup.policy"];
        let check = |name: &str, expected| assert_eq!(nearest(name, names), expected, "{name}");
        check("retention.mss", Some("retention.ms"));
        check("retenton.ms", Some("retention.ms"));
        check("rteention.bytes", Some("retention.bytes"));
        check("RETENTION.MS", Some("retention.ms"));
        check("cleanup-policy", Some("cleanup.policy"));
        check("", None);
        check("foo", None);
        check(&"x".repeat(1 << 20), None);
        check("password.file.location", None);
    }

    #[test]
    fn edits_are_counted() {
        let check = |a, b, expected| assert_eq!(edits(a, b), expected, "{a} {b}");
        check("", "", 0);
        check("abc", "", 3);
        check("abc", "abd", 1);
        check("abc", "bac", 1);
        check("kitten", "sitting", 3);
    }
}
