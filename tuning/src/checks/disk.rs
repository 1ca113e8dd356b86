//! The disk below the data: its file system, its queue, and what a promise of stable storage costs on it.

use std::path::Path;

use super::{by_hand, write};
use crate::finding::Finding;
use crate::host::{Host, Mount};
use crate::measure::Measured;

const AREA: &str = "disk";

/// Slower than this, acknowledgements are what people will notice, us.
const SLOW_SYNC_US: f64 = 1000.0;

pub fn check(host: &Host, dir: &Path, measured: &Measured) -> Vec<Finding> {
    let mut findings = vec![durable_writes(measured)];
    let Some(mount) = host.mount_of(dir) else { return findings };
    findings.push(file_system(&mount, measured));
    findings.extend(barriers(&mount));
    findings.extend(discard(&mount));
    if let Some(disk) = host.disk_of(&mount.device) {
        findings.extend(scheduler(host, &disk));
        findings.extend(write_cache(host, &disk, measured));
    }
    findings
}

fn durable_writes(measured: &Measured) -> Finding {
    let times = measured.disk.durable_4k;
    let found = format!("p50 {:.0} us, p99 {:.0} us, longest {:.0} us", times.p50, times.p99, times.max);
    let why = format!(
        "acks=all waits for one: a client that waits for each answer gets {:.0} a second; what comes meanwhile shares the next",
        1e6 / times.p50.max(1.0)
    );
    match times.p50 < SLOW_SYNC_US {
        true => Finding::good(AREA, "durable write of 4 KiB", found, why),
        false => Finding::note(AREA, "durable write of 4 KiB", found, why),
    }
}

fn file_system(mount: &Mount, measured: &Measured) -> Finding {
    let found = mount.kind.clone();
    match mount.kind.as_str() {
        "ext4" | "xfs" if measured.disk.is_direct => {
            Finding::good(AREA, "file system", found, "journals go straight to the device")
        }
        "tmpfs" | "ramfs" => {
            let remedies = vec![by_hand("put the data on ext4 or XFS")];
            Finding::change(
                AREA,
                "file system",
                found,
                "what is kept in memory does not survive anything",
                remedies,
            )
        }
        _ if measured.disk.is_direct => {
            let why = "ext4 and XFS are what is tested; durable writes past the page cache work here";
            Finding::note(AREA, "file system", found, why)
        }
        _ => {
            let why = "there are no durable writes past the page cache: each is a write and a sync";
            Finding::change(AREA, "file system", found, why, vec![by_hand("put the data on ext4 or XFS")])
        }
    }
}

/// A device that is not told to empty its cache may lose what was acknowledged.
fn barriers(mount: &Mount) -> Option<Finding> {
    let is_off = |option: &&String| matches!(option.as_str(), "nobarrier" | "barrier=0");
    let option = mount.options.iter().find(is_off)?;
    let why = "the device is not told to empty its cache: a loss of power takes acknowledged records with it";
    let remedies = vec![by_hand(format!("mount without {option}"))];
    Some(Finding::change(AREA, "barriers", option.clone(), why, remedies))
}

fn discard(mount: &Mount) -> Option<Finding> {
    if !mount.options.iter().any(|option| option == "discard") {
        return None;
    }
    let why = "each commit of the file system after a deletion waits until the device has discarded the blocks; retention deletes";
    let remedies = vec![by_hand("mount without discard, and enable fstrim.timer instead")];
    Some(Finding::change(AREA, "discard", "discard", why, remedies))
}

fn scheduler(host: &Host, disk: &str) -> Option<Finding> {
    let path = format!("{disk}/queue/scheduler");
    let chosen = host.chosen(&path)?;
    let is_rotational = host.number(&format!("{disk}/queue/rotational")) == Some(1);
    let offers = |name: &str| host.text(&path).is_some_and(|text| text.contains(name));
    let (wanted, why) = match is_rotational {
        // Virtual disks often say that they rotate; what is behind them has an order of its own.
        true if chosen == "none" || !offers("mq-deadline") => {
            (chosen.as_str(), "the device, or what is behind it, orders requests itself")
        }
        true => ("mq-deadline", "heads move less, and no read waits for ever"),
        false => (
            "none",
            "a device without moving parts gains nothing from an order, and each request pays for it",
        ),
    };
    Some(if chosen == wanted {
        Finding::good(AREA, "scheduler", chosen, why)
    } else {
        Finding::change(AREA, "scheduler", chosen.clone(), why, vec![write(&path, wanted)])
    })
}

fn write_cache(host: &Host, disk: &str, measured: &Measured) -> Option<Finding> {
    let cache = host.text(&format!("{disk}/queue/write_cache"))?;
    let has_fua = host.number(&format!("{disk}/queue/fua")) == Some(1);
    let p50 = measured.disk.durable_4k.p50;
    Some(if cache == "write through" {
        Finding::good(AREA, "write cache", cache, "what the device has taken is safe: a sync is only a write")
    } else {
        let way = if has_fua { "a write past it (FUA)" } else { "a write and a flush of it" };
        let why = format!(
            "the device forgets its cache without power, so a durable write is {way}, {p50:.0} us; devices with capacitors need neither"
        );
        Finding::note(AREA, "write cache", cache, why)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{about, figures, host};
    use super::*;
    use crate::finding::{Remedy, Verdict};

    fn files(scheduler: &'static str, rotational: &'static str) -> Vec<(&'static str, &'static str)> {
        vec![
            ("proc/self/mountinfo", "30 1 259:1 / / rw,noatime - ext4 /dev/nvme0n1 rw,nobarrier,discard\n"),
            ("sys/dev/block/259:1/queue/scheduler", scheduler),
            ("sys/dev/block/259:1/queue/rotational", rotational),
            ("sys/dev/block/259:1/queue/write_cache", "write back\n"),
        ]
    }

    #[test]
    fn mount_options_that_lose_or_wait_are_named() {
        let findings =
            check(&host("mount", &files("[none] mq-deadline", "0")), Path::new("/data"), &figures());
        for what in ["barriers", "discard"] {
            assert_eq!(about(&findings, what).verdict, Verdict::Change);
        }
        assert_eq!(about(&findings, "file system").verdict, Verdict::Good);
        assert_eq!(about(&findings, "scheduler").verdict, Verdict::Good);
        assert!(about(&findings, "write cache").why.contains("a flush of it, 50 us"));
    }

    #[test]
    fn the_scheduler_suits_the_device() {
        let scheduler_of = |name, scheduler, rotational| {
            let findings = check(&host(name, &files(scheduler, rotational)), Path::new("/"), &figures());
            about(&findings, "scheduler").remedies.clone()
        };
        let written = |remedies: Vec<Remedy>| match &remedies[..] {
            [] => None,
            [Remedy::Write { value, .. }] => Some(value.clone()),
            other => panic!("{other:?}"),
        };
        assert_eq!(written(scheduler_of("ssd", "none [mq-deadline]", "0")).as_deref(), Some("none"));
        assert_eq!(
            written(scheduler_of("hdd", "none mq-deadline [bfq]", "1")).as_deref(),
            Some("mq-deadline")
        );
        assert_eq!(written(scheduler_of("virtual", "[none] mq-deadline", "1")), None);
    }
}
