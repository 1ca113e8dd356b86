//! Memory: huge pages, swapping, and how much may wait for the disk.

use super::write;
use crate::finding::{Finding, Remedy};
use crate::host::Host;
use crate::measure::Measured;

const AREA: &str = "memory";

/// More than this many seconds' work for the disk may not gather in memory.
const DIRTY_SECONDS_MAX: f64 = 2.0;

/// What may gather before the kernel begins to write, and before writers wait, in seconds' work for the disk.
const BACKGROUND_SECONDS: f64 = 0.25;
const WAIT_SECONDS: f64 = 1.0;

/// Whatever the disk does, so much may gather.
const BACKGROUND_BYTES_MIN: u64 = 64 << 20;

pub fn check(host: &Host, measured: &Measured) -> Vec<Finding> {
    let mut findings = vec![first_touch(measured)];
    let all = [huge_pages(host), swapping(host), dirty(host, measured), nodes(host)];
    findings.extend(all.into_iter().flatten());
    findings
}

fn first_touch(measured: &Measured) -> Finding {
    let memory = measured.memory;
    let found = format!(
        "copies {:.1} GiB/s, used for the first time {:.1} GiB/s",
        memory.copy_gib_s, memory.first_touch_gib_s
    );
    let why = "every record is copied by the kernel twice; memory that was never used costs more the first time, so warm up before measuring";
    Finding::note(AREA, "speed", found, why)
}

fn huge_pages(host: &Host) -> Option<Finding> {
    const PATH: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
    let chosen = host.chosen(PATH)?;
    let why = "where every page may become one of 2 MiB, memory that is hardly used stays resident, and the kernel moves pages in the middle of a turn";
    Some(if chosen == "always" {
        Finding::change(AREA, "huge pages", chosen, why, vec![write(PATH, "madvise")])
    } else {
        Finding::good(AREA, "huge pages", chosen, why)
    })
}

fn swapping(host: &Host) -> Option<Finding> {
    const PATH: &str = "/proc/sys/vm/swappiness";
    let swap_mib = host.memory_bytes("SwapTotal")? >> 20;
    let why = "a page of the broker's own that has gone to the disk stops its core until it is back";
    if swap_mib == 0 {
        return Some(Finding::good(AREA, "swap", "none", why));
    }
    let swappiness = host.number(PATH)?;
    let found = format!("{swap_mib} MiB, swappiness {swappiness}");
    Some(if swappiness <= 1 {
        Finding::good(AREA, "swap", found, why)
    } else {
        Finding::change(AREA, "swap", found, why, vec![write(PATH, 1)])
    })
}

/// How much may wait in memory for the disk before the kernel stops whoever writes.
fn dirty(host: &Host, measured: &Measured) -> Option<Finding> {
    let available = host.memory_bytes("MemAvailable")?;
    let limit = |kind: &str| -> Option<u64> {
        let bytes = host.number(&format!("/proc/sys/vm/dirty_{kind}bytes"))?;
        let ratio = host.number(&format!("/proc/sys/vm/dirty_{kind}ratio"))?;
        Some(if bytes > 0 { bytes } else { available / 100 * ratio })
    };
    let (background, most) = (limit("background_")?, limit("")?);
    let disk_bytes_s = measured.disk.write_mib_s.max(1.0) * f64::from(1 << 20);
    let seconds = most as f64 / disk_bytes_s;
    let found = format!("writing begins at {} MiB, writers wait at {} MiB", background >> 20, most >> 20);
    let why = format!(
        "at {:.0} MiB/s the disk needs {seconds:.1} s for what may gather; then every append waits, in the middle of a turn",
        measured.disk.write_mib_s
    );
    if seconds <= DIRTY_SECONDS_MAX {
        return Some(Finding::good(AREA, "unwritten pages", found, why));
    }
    let background = ((disk_bytes_s * BACKGROUND_SECONDS) as u64).max(BACKGROUND_BYTES_MIN);
    let most = ((disk_bytes_s * WAIT_SECONDS) as u64).max(4 * BACKGROUND_BYTES_MIN);
    let remedies = vec![dirty_bytes(host, "", most)?, dirty_bytes(host, "background_", background)?];
    Some(Finding::change(AREA, "unwritten pages", found, why, remedies))
}

/// A limit in bytes switches the one in percent off, and 0 bytes cannot be written: it is taken back by the percentage.
fn dirty_bytes(host: &Host, kind: &str, bytes: u64) -> Option<Remedy> {
    let (path, ratio) =
        (format!("/proc/sys/vm/dirty_{kind}bytes"), format!("/proc/sys/vm/dirty_{kind}ratio"));
    let was_ratio = host.number(&path)? == 0;
    let undo = was_ratio.then(|| host.text(&ratio)).flatten().map(|old| (ratio.into(), old));
    Some(Remedy::Write { path: path.into(), value: bytes.to_string(), undo })
}

fn nodes(host: &Host) -> Option<Finding> {
    const PATH: &str = "/proc/sys/vm/zone_reclaim_mode";
    let online = host.text("/sys/devices/system/node/online")?;
    if online == "0" {
        return None;
    }
    let why = "memory of another node is slower than our own, and far quicker than searching for room here";
    Some(if host.number(PATH)? == 0 {
        Finding::good(AREA, "nodes", online, why)
    } else {
        Finding::change(
            AREA,
            "nodes",
            format!("{online}, reclaimed each by itself"),
            why,
            vec![write(PATH, 0)],
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{about, figures, host};
    use super::*;
    use crate::finding::Verdict;

    const MEMORY: &str =
        "MemTotal:       33554432 kB\nMemAvailable:   16777216 kB\nSwapTotal:        1048576 kB\n";

    fn files(ratio: &'static str, bytes: &'static str) -> Vec<(&'static str, &'static str)> {
        vec![
            ("proc/meminfo", MEMORY),
            ("proc/sys/vm/swappiness", "60\n"),
            ("proc/sys/vm/dirty_bytes", bytes),
            ("proc/sys/vm/dirty_ratio", ratio),
            ("proc/sys/vm/dirty_background_bytes", "0\n"),
            ("proc/sys/vm/dirty_background_ratio", "10\n"),
        ]
    }

    #[test]
    fn what_may_gather_is_told_in_seconds_of_this_disk() {
        let findings = check(&host("dirty", &files("20\n", "0\n")), &figures());
        let found = about(&findings, "unwritten pages");
        assert!(found.why.contains("needs 3.3 s"), "{}", found.why);
        // 1000 MiB/s: a second's and a quarter's work.
        let values = found.remedies.iter().map(|remedy| match remedy {
            Remedy::Write { value, undo, .. } => (value.as_str(), undo.clone().unwrap().1),
            Remedy::ByHand(_) => panic!(),
        });
        let expected = [("1048576000", "20".to_owned()), ("262144000", "10".to_owned())];
        assert_eq!(values.collect::<Vec<_>>(), expected);
        assert_eq!(about(&findings, "swap").verdict, Verdict::Change);
    }

    #[test]
    fn a_limit_in_bytes_is_taken_at_its_word() {
        let findings = check(&host("bytes", &files("0\n", "1073741824\n")), &figures());
        assert_eq!(about(&findings, "unwritten pages").verdict, Verdict::Good);
    }
}
