//! What a process may have.

use super::{by_hand, write};
use crate::finding::Finding;
use crate::host::Host;

const AREA: &str = "limits";

/// Files and sockets that a broker should be able to have open.
const DESCRIPTORS_MIN: u64 = 100_000;

/// Mappings that a process may have: the kernel's own default.
const MAPPINGS_MIN: u64 = 65_530;

pub fn check(host: &Host) -> Vec<Finding> {
    [descriptors(host), mappings(host)].into_iter().flatten().collect()
}

fn descriptors(host: &Host) -> Option<Finding> {
    let text = host.text("/proc/self/limits")?;
    let line = text.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    let hard = line.split_whitespace().nth(1)?;
    let why = "each connection and each open segment takes one; the broker raises its own limit up to this";
    let is_enough = hard == "unlimited" || hard.parse::<u64>().is_ok_and(|hard| hard >= DESCRIPTORS_MIN);
    Some(if is_enough {
        Finding::good(AREA, "descriptors", hard, why)
    } else {
        let remedies =
            vec![by_hand("LimitNOFILE=1048576 in the broker's systemd unit, or nofile in limits.conf")];
        Finding::change(AREA, "descriptors", hard, why, remedies)
    })
}

fn mappings(host: &Host) -> Option<Finding> {
    const PATH: &str = "/proc/sys/vm/max_map_count";
    let found = host.number(PATH)?;
    let why = "segments that are lent to readers are mapped, and the allocator maps too";
    Some(if found >= MAPPINGS_MIN {
        Finding::good(AREA, "mappings", found.to_string(), why)
    } else {
        Finding::change(AREA, "mappings", found.to_string(), why, vec![write(PATH, MAPPINGS_MIN)])
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{about, host};
    use super::*;
    use crate::finding::Verdict;

    #[test]
    fn few_descriptors_are_told_of() {
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 4096                 files\n";
        let findings = check(&host("limits", &[("proc/self/limits", limits)]));
        let found = about(&findings, "descriptors");
        assert_eq!((found.found.as_str(), found.verdict), ("4096", Verdict::Change));
    }
}
