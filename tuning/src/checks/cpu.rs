//! The processors: how quick they are kept, who else has them, and how they tell the time.

use super::{by_hand, write};
use crate::finding::Finding;
use crate::host::Host;
use crate::measure::Measured;

const AREA: &str = "cpu";

/// Clocks that are read without a system call.
const QUICK_CLOCKS: [&str; 4] = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"];

/// So much of the time kept by a hypervisor shows in the 99th percentile, percent.
const STEAL_PERCENT_MAX: f64 = 1.0;

pub fn check(host: &Host, measured: &Measured) -> Vec<Finding> {
    let all = [
        governor(host),
        clock(host, measured),
        quota(host),
        siblings(host),
        steal(measured),
        wake_up(host, measured),
    ];
    all.into_iter().flatten().collect()
}

fn governor(host: &Host) -> Option<Finding> {
    const POLICIES: &str = "/sys/devices/system/cpu/cpufreq";
    let paths: Vec<String> = host
        .names(POLICIES)
        .iter()
        .filter(|name| name.starts_with("policy"))
        .map(|name| format!("{POLICIES}/{name}/scaling_governor"))
        .collect();
    let slow: Vec<&String> =
        paths.iter().filter(|path| host.text(path).is_some_and(|chosen| chosen != "performance")).collect();
    let why = "a core that slows down when idle is slow for the first requests after a pause";
    let Some(first) = slow.first() else {
        let found = if paths.is_empty() { "not ours to choose" } else { "performance" };
        return Some(Finding::good(AREA, "governor", found, why));
    };
    let found = host.text(first).unwrap_or_default();
    let remedies = slow.iter().map(|path| write(path, "performance")).collect();
    Some(Finding::change(AREA, "governor", found, why, remedies))
}

fn clock(host: &Host, measured: &Measured) -> Option<Finding> {
    const DIR: &str = "/sys/devices/system/clocksource/clocksource0";
    let current = host.text(&format!("{DIR}/current_clocksource"))?;
    let found = format!("{current}, {:.0} ns a reading", measured.memory.clock_ns);
    let why = "a core reads the clock a few times a turn";
    if QUICK_CLOCKS.contains(&current.as_str()) {
        return Some(Finding::good(AREA, "clock", found, why));
    }
    let available = host.text(&format!("{DIR}/available_clocksource")).unwrap_or_default();
    let quick = QUICK_CLOCKS.iter().find(|name| available.split(' ').any(|word| word == **name));
    let remedy = match quick {
        Some(quick) => write(&format!("{DIR}/current_clocksource"), quick),
        None => by_hand("find out in the kernel's log why it distrusts the processor's own clock (tsc)"),
    };
    Some(Finding::change(AREA, "clock", found, why, vec![remedy]))
}

/// A quota stops all threads of a group for the rest of each period once it is used up.
fn quota(host: &Host) -> Option<Finding> {
    let text = host.text("/sys/fs/cgroup/cpu.max")?;
    let (quota, period) = text.split_once(' ')?;
    if quota == "max" {
        return Some(Finding::good(AREA, "quota", "none", "no core is stopped in the middle of a turn"));
    }
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    let found = format!("{:.1} cores", quota / period.max(1.0));
    let why = format!(
        "once it is used up, every core stands still for the rest of a period of {:.0} ms",
        period / 1000.0
    );
    Some(Finding::change(
        AREA,
        "quota",
        found,
        why,
        vec![by_hand("give the broker whole CPUs (cpuset) in place of a quota")],
    ))
}

fn siblings(host: &Host) -> Option<Finding> {
    if host.number("/sys/devices/system/cpu/smt/active")? == 0 {
        return None;
    }
    let mut firsts: Vec<usize> = Vec::new();
    for name in host.names("/sys/devices/system/cpu") {
        let Some(number) = name.strip_prefix("cpu").and_then(|number| number.parse::<usize>().ok()) else {
            continue;
        };
        let siblings = host.text(&format!("/sys/devices/system/cpu/{name}/topology/thread_siblings_list"));
        let first = siblings.and_then(|text| text.split([',', '-']).next()?.parse().ok());
        if first == Some(number) {
            firsts.push(number);
        }
    }
    firsts.sort_unstable();
    let list: Vec<String> = firsts.iter().map(usize::to_string).collect();
    let why = format!(
        "two threads share each core: for the steadiest latency one of the broker's on each, --cores {}",
        list.join(",")
    );
    Some(Finding::note(AREA, "hyper-threading", "on", why))
}

fn steal(measured: &Measured) -> Option<Finding> {
    let found = format!("{:.1} % of the time", measured.steal_percent);
    let why = "what a hypervisor gives to others is latency here, and no setting of ours brings it back";
    (measured.steal_percent > STEAL_PERCENT_MAX).then(|| Finding::note(AREA, "stolen time", found, why))
}

fn wake_up(host: &Host, measured: &Measured) -> Option<Finding> {
    let wire = measured.wire.as_ref()?;
    let deepest = host
        .names("/sys/devices/system/cpu/cpu0/cpuidle")
        .iter()
        .filter_map(|state| host.number(&format!("/sys/devices/system/cpu/cpu0/cpuidle/{state}/latency")))
        .max();
    let depth = deepest.map_or(String::new(), |us| format!("; the deepest sleep takes {us} us to end"));
    let found = format!("{:.1} us{depth}", wire.wake_us());
    let why = format!(
        "a request there and back takes {:.1} us where the other side sleeps and {:.1} us where it looks all the time: \
         ringlog.io.spin.us saves that, for a core that is always busy",
        wire.round_trip_sleeping.p50, wire.round_trip_spinning.p50
    );
    Some(Finding::note(AREA, "waking a core", found, why))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{about, figures, host};
    use super::*;
    use crate::finding::{Remedy, Verdict};

    #[test]
    fn slow_governors_are_named_each() {
        let files = [
            ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance\n"),
            ("sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "schedutil\n"),
        ];
        let findings = check(&host("governor", &files), &figures());
        let found = about(&findings, "governor");
        let paths: Vec<_> = found.remedies.iter().map(|remedy| format!("{remedy:?}")).collect();
        assert_eq!(paths.len(), 2, "{paths:?}");
        assert!(paths[0].contains("policy0") && paths[1].contains("policy2"));
    }

    #[test]
    fn a_clock_that_needs_the_kernel_is_exchanged_if_there_is_another() {
        let dir = "sys/devices/system/clocksource/clocksource0";
        let (current, available) =
            (format!("{dir}/current_clocksource"), format!("{dir}/available_clocksource"));
        let slow = host("clock", &[(&current, "hpet\n"), (&available, "tsc hpet acpi_pm\n")]);
        let findings = check(&slow, &figures());
        assert!(
            matches!(&about(&findings, "clock").remedies[..], [Remedy::Write { value, .. }] if value == "tsc")
        );
        let stuck = host("stuck", &[(&current, "hpet\n"), (&available, "hpet acpi_pm\n")]);
        assert!(matches!(&about(&check(&stuck, &figures()), "clock").remedies[..], [Remedy::ByHand(_)]));
    }

    #[test]
    fn a_quota_is_told_in_cores() {
        let findings = check(&host("quota", &[("sys/fs/cgroup/cpu.max", "150000 100000\n")]), &figures());
        let found = about(&findings, "quota");
        assert_eq!((found.found.as_str(), found.verdict), ("1.5 cores", Verdict::Change));
        let findings = check(&host("whole", &[("sys/fs/cgroup/cpu.max", "max 100000\n")]), &figures());
        assert_eq!(about(&findings, "quota").verdict, Verdict::Good);
    }

    #[test]
    fn one_thread_of_each_core_is_proposed() {
        let topology = |cpu: &str| format!("sys/devices/system/cpu/{cpu}/topology/thread_siblings_list");
        let files = [
            (topology("cpu0"), "0,2\n"),
            (topology("cpu1"), "1,3\n"),
            (topology("cpu2"), "0,2\n"),
            (topology("cpu3"), "1,3\n"),
            ("sys/devices/system/cpu/smt/active".to_owned(), "1\n"),
        ];
        let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let findings = check(&host("smt", &files), &figures());
        assert!(about(&findings, "hyper-threading").why.ends_with("--cores 0,1"));
    }
}
