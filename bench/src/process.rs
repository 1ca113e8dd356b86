//! What a broker's process uses, as the kernel counts it in `/proc`.

use std::fs;
use std::time::{Duration, Instant};

use crate::Fault;

/// The kernel's tick for CPU time in `/proc/PID/stat`: USER_HZ, which is 100 on every Linux that Rust runs on.
const TICKS_A_SECOND: u64 = 100;

/// A process's counters at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    at: Instant,
    cpu: Duration,
    context_switches: u64,
    read_bytes: u64,
    written_bytes: u64,
    resident_bytes: u64,
    resident_bytes_peak: u64,
}

/// What a process used between two moments.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Used {
    /// How long that was, s.
    pub seconds: f64,
    /// CPU time, s.
    pub cpu_seconds: f64,
    /// Times that a thread of it gave its core up or lost it.
    pub context_switches: u64,
    /// Bytes that came from a device; 0 if the kernel does not tell.
    pub disk_read_bytes: u64,
    /// Bytes that went to a device.
    pub disk_written_bytes: u64,
    /// Resident at the end.
    pub resident_bytes: u64,
    /// Resident at most, since it started.
    pub resident_bytes_peak: u64,
}

/// Reads a process's counters.
pub fn usage(pid: u32) -> Result<Usage, Fault> {
    let read = |name: &str| {
        fs::read_to_string(format!("/proc/{pid}/{name}"))
            .map_err(|error| Fault::of(format!("process {pid} of the broker"), error))
    };
    let (stat, status) = (read("stat")?, read("status")?);
    // Who may not look at its disk counters still sees the rest.
    let io = read("io").unwrap_or_default();
    let ticks =
        cpu_ticks(&stat).ok_or_else(|| Fault(format!("/proc/{pid}/stat is not what it used to be")))?;
    Ok(Usage {
        at: Instant::now(),
        cpu: Duration::from_millis(ticks * 1000 / TICKS_A_SECOND),
        context_switches: context_switches(pid),
        read_bytes: field(&io, "read_bytes:"),
        written_bytes: field(&io, "write_bytes:"),
        resident_bytes: field(&status, "VmRSS:") << 10,
        resident_bytes_peak: field(&status, "VmHWM:") << 10,
    })
}

impl Usage {
    /// What was used between an earlier moment and this one.
    pub fn since(&self, earlier: &Usage) -> Used {
        Used {
            seconds: (self.at - earlier.at).as_secs_f64(),
            cpu_seconds: (self.cpu.saturating_sub(earlier.cpu)).as_secs_f64(),
            context_switches: self.context_switches.saturating_sub(earlier.context_switches),
            disk_read_bytes: self.read_bytes.saturating_sub(earlier.read_bytes),
            disk_written_bytes: self.written_bytes.saturating_sub(earlier.written_bytes),
            resident_bytes: self.resident_bytes,
            resident_bytes_peak: self.resident_bytes_peak,
        }
    }

    /// Resident memory, bytes.
    pub fn resident_bytes(&self) -> u64 {
        self.resident_bytes
    }
}

/// User and system time. The name in brackets may hold anything, so that the fields are counted from its end.
fn cpu_ticks(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

fn context_switches(pid: u32) -> u64 {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return 0 };
    let status = tasks.flatten().filter_map(|task| fs::read_to_string(task.path().join("status")).ok());
    status
        .map(|text| field(&text, "voluntary_ctxt_switches:") + field(&text, "nonvoluntary_ctxt_switches:"))
        .sum()
}

fn field(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// The machine in a line: processor, cores, memory, kernel.
pub fn machine() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cpus = read("/proc/cpuinfo");
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let count = cpus.lines().filter(|line| line.starts_with("processor")).count();
    let memory_gib = field(&read("/proc/meminfo"), "MemTotal:") as f64 / (1 << 20) as f64;
    let kernel = read("/proc/sys/kernel/osrelease");
    let model = model.map_or("unknown processor", |(_, name)| name);
    format!("{model}, {count} cores, {memory_gib:.0} GiB, Linux {}", kernel.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_with_any_name_is_read() {
        let stat = "42 (a b) c) S 1 2 3 4 5 6 7 8 9 10 120 30 0 0 20";
        assert_eq!(cpu_ticks(stat), Some(150));
        assert_eq!(cpu_ticks("nonsense"), None);
        assert_eq!(field("VmRSS:\t  123 kB\n", "VmRSS:"), 123);
        assert_eq!(field("VmRSS:", "VmRSS:"), 0);
    }

    #[test]
    fn this_process_uses_something() {
        let before = usage(std::process::id()).unwrap();
        let used = usage(std::process::id()).unwrap().since(&before);
        assert!(used.resident_bytes > 0 && used.resident_bytes_peak >= used.resident_bytes);
        assert!(usage(u32::MAX).is_err());
    }
}
