//! What is looked at, part by part. Each check reads the kernel's files, and says with the figures why they matter.

mod cpu;
mod disk;
mod interrupts;
mod kernel;
mod limits;
mod memory;
mod network;

use std::path::Path;

use crate::finding::{Finding, Remedy};
use crate::host::Host;
use crate::measure::Measured;

/// Looks at everything; `dir` is absolute, and where the broker's data lies.
pub fn check(host: &Host, dir: &Path, measured: &Measured) -> Vec<Finding> {
    let mut findings = kernel::check(host, measured);
    findings.extend(disk::check(host, dir, measured));
    findings.extend(cpu::check(host, measured));
    findings.extend(interrupts::check(host));
    findings.extend(network::check(host, measured));
    findings.extend(limits::check(host));
    findings.extend(memory::check(host, measured));
    findings
}

/// A file of the kernel's that is to hold another value.
fn write(path: &str, value: impl ToString) -> Remedy {
    Remedy::Write { path: path.into(), value: value.to_string(), undo: None }
}

fn by_hand(what: impl Into<String>) -> Remedy {
    Remedy::ByHand(what.into())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::finding::Verdict;
    use crate::measure::Times;
    use crate::measure::disk::DiskFigures;
    use crate::measure::memory::MemoryFigures;
    use crate::measure::reads::ReadFigures;
    use crate::measure::wire::WireFigures;
    use crate::measure::writes::{Way, WriteFigures};

    /// A machine that has these files and no others.
    pub fn host(name: &str, files: &[(&str, &str)]) -> Host {
        let root = std::env::temp_dir().join(format!("ringlog-tune-{}-{name}", std::process::id()));
        _ = std::fs::remove_dir_all(&root);
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Host::under(root)
    }

    /// A quick machine's figures.
    pub fn figures() -> Measured {
        let times = Times { p50: 50.0, p99: 200.0, max: 900.0, count: 1000 };
        let way = Way { times, mib_s: 5000.0, cpu_s_per_gib: 0.2 };
        Measured {
            backend: "io_uring".to_owned(),
            no_ring: None,
            disk: DiskFigures {
                is_direct: true,
                durable_4k: times,
                durable_256k: times,
                write_mib_s: 1000.0,
                read_mib_s: Some(2000.0),
            },
            writes: WriteFigures { inline: way, ring: Some(way) },
            reads: ReadFigures { lengths: Vec::new() },
            wire: Some(WireFigures {
                round_trip_sleeping: times,
                round_trip_spinning: Times { p50: 12.0, ..times },
                stream_mib_s: 3000.0,
                send_cpu_s_per_gib: 0.3,
            }),
            memory: MemoryFigures { copy_gib_s: 10.0, first_touch_gib_s: 2.0, clock_ns: 25.0 },
            steal_percent: 0.0,
        }
    }

    /// The one finding about something.
    pub fn about<'a>(findings: &'a [Finding], what: &str) -> &'a Finding {
        let found: Vec<_> = findings.iter().filter(|finding| finding.what == what).collect();
        assert_eq!(found.len(), 1, "{what}: {findings:#?}");
        found[0]
    }

    #[test]
    fn a_machine_that_shows_nothing_is_no_error() {
        let findings = check(&host("bare", &[]), Path::new("/data"), &figures());
        let changes: Vec<_> = findings.iter().filter(|f| f.verdict == Verdict::Change).collect();
        assert!(changes.is_empty(), "nothing to change where nothing is known: {changes:#?}");
    }

    #[test]
    fn every_finding_says_why() {
        let findings = check(&Host::here(), &std::env::temp_dir(), &figures());
        assert!(!findings.is_empty());
        for finding in findings {
            assert!(!finding.why.is_empty() && !finding.found.is_empty(), "{finding:?}");
        }
    }
}
