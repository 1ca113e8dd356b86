//! Interrupts of network cards: whether one processor takes them all.

use super::write;
use crate::finding::Finding;
use crate::host::Host;

const AREA: &str = "interrupts";

pub fn check(host: &Host) -> Vec<Finding> {
    let cards = host.names("/sys/class/net").into_iter().filter(|card| card != "lo");
    cards.filter_map(|card| spread(host, &card)).collect()
}

/// The interrupts of one card, and on which processors they arrive.
fn spread(host: &Host, card: &str) -> Option<Finding> {
    let mut numbers: Vec<u32> = ["device/msi_irqs", "device/../msi_irqs"]
        .iter()
        .flat_map(|dir| host.names(&format!("/sys/class/net/{card}/{dir}")))
        .filter_map(|name| name.parse().ok())
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let taken: Vec<(u32, String)> = numbers
        .into_iter()
        .filter_map(|number| {
            Some((number, host.text(&format!("/proc/irq/{number}/effective_affinity_list"))?))
        })
        .filter(|(_, cpus)| !cpus.is_empty())
        .collect();
    let cpu_count = cpu_count(host)?;
    let (_, first) = taken.first()?;
    let what = format!("interrupts of {card}");
    let why =
        "the processor that takes a card's interrupts does the kernel's work for all packets, beside its own";
    let is_on_one = taken.iter().all(|(_, cpus)| cpus == first);
    if taken.len() < 2 || cpu_count < 2 || !is_on_one {
        let found = format!("{} on processors {}", taken.len(), list(&taken));
        return Some(Finding::good(AREA, &what, found, why));
    }
    let remedies = taken
        .iter()
        .zip((0..cpu_count).cycle())
        .map(|((number, _), cpu)| write(&format!("/proc/irq/{number}/smp_affinity_list"), cpu))
        .collect();
    Some(Finding::change(AREA, &what, format!("all {} on processor {first}", taken.len()), why, remedies))
}

fn list(taken: &[(u32, String)]) -> String {
    let mut cpus: Vec<&str> = taken.iter().map(|(_, cpus)| cpus.as_str()).collect();
    cpus.sort_unstable();
    cpus.dedup();
    cpus.join(",")
}

fn cpu_count(host: &Host) -> Option<usize> {
    let online = host.text("/sys/devices/system/cpu/online")?;
    let of_range = |range: &str| {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        Some(to.parse::<usize>().ok()?.checked_sub(from.parse().ok()?)? + 1)
    };
    online.split(',').map(of_range).sum()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{about, host};
    use super::*;
    use crate::finding::{Remedy, Verdict};

    #[test]
    fn queues_that_one_processor_serves_are_spread() {
        let mut files = vec![("sys/devices/system/cpu/online".to_owned(), "0-1,4")];
        for number in [41, 42, 43, 44] {
            files.push((format!("sys/class/net/eth0/device/msi_irqs/{number}"), "msix"));
            files.push((format!("proc/irq/{number}/effective_affinity_list"), "0\n"));
        }
        let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let findings = check(&host("irq", &files));
        let found = about(&findings, "interrupts of eth0");
        assert_eq!((found.verdict, found.found.as_str()), (Verdict::Change, "all 4 on processor 0"));
        let values = found.remedies.iter().map(|remedy| match remedy {
            Remedy::Write { value, .. } => value.as_str(),
            Remedy::ByHand(_) => panic!(),
        });
        assert_eq!(values.collect::<Vec<_>>(), ["0", "1", "2", "0"]);
    }
}
