//! The kernel: whether it gives us io_uring, and what it is too old for.

use super::{by_hand, write};
use crate::finding::Finding;
use crate::host::Host;
use crate::measure::Measured;

const AREA: &str = "kernel";

/// Who may use io_uring: 0 all, 1 a group, 2 nobody.
const DISABLED: &str = "/proc/sys/kernel/io_uring_disabled";

/// Reads past the page cache's memory (RWF_DONTCACHE) came with this version.
const DROPS_BEHIND_FROM: (u32, u32) = (6, 14);

pub fn check(host: &Host, measured: &Measured) -> Vec<Finding> {
    let mut findings = vec![io_uring(host, measured)];
    findings.extend(release(host));
    findings
}

fn io_uring(host: &Host, measured: &Measured) -> Finding {
    let Some(reason) = &measured.no_ring else {
        return Finding::good(
            AREA,
            "io_uring",
            measured.backend.clone(),
            "one system call a turn for all that a core does",
        );
    };
    let is_off = host.number(DISABLED).is_some_and(|disabled| disabled > 0);
    let remedy = match is_off {
        true => write(DISABLED, 0),
        false => by_hand(
            "allow io_uring_setup, io_uring_enter and io_uring_register in the container's seccomp profile",
        ),
    };
    let why = "on epoll each receive and each send is a system call of its own";
    Finding::change(AREA, "io_uring", reason.clone(), why, vec![remedy])
}

fn release(host: &Host) -> Option<Finding> {
    let release = host.text("/proc/sys/kernel/osrelease")?;
    let mut numbers = release.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    let version = (numbers.next()?, numbers.next()?);
    Some(if version >= DROPS_BEHIND_FROM {
        Finding::good(AREA, "release", release, "reads of old records do not push out what tail readers use")
    } else {
        let (major, minor) = DROPS_BEHIND_FROM;
        let why =
            format!("from {major}.{minor} on, reads of old records do not push out what tail readers use");
        Finding::note(AREA, "release", release, why)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{about, figures, host};
    use super::*;
    use crate::finding::{Remedy, Verdict};

    #[test]
    fn a_ring_that_an_administrator_switched_off_is_switched_on() {
        let measured = Measured { no_ring: Some("not permitted".to_owned()), ..figures() };
        let files =
            [("proc/sys/kernel/io_uring_disabled", "2\n"), ("proc/sys/kernel/osrelease", "6.1.0-13-amd64\n")];
        let findings = check(&host("uring", &files), &measured);
        let found = about(&findings, "io_uring");
        assert!(matches!(&found.remedies[..], [Remedy::Write { value, .. }] if value == "0"));
        assert_eq!(about(&findings, "release").verdict, Verdict::Note);
        let findings = check(&host("seccomp", &[("proc/sys/kernel/io_uring_disabled", "0\n")]), &measured);
        assert!(matches!(&about(&findings, "io_uring").remedies[..], [Remedy::ByHand(_)]));
    }
}
