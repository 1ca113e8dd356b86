//! The kernel's limits for sockets.

use super::write;
use crate::finding::Finding;
use crate::host::Host;
use crate::measure::Measured;

const AREA: &str = "network";

/// Connections that may wait to be accepted: all clients come back at once after a restart.
const BACKLOG_MIN: u64 = 4096;

/// The window that a connection may grow to, bytes: 4 MiB fill 10 Gbit/s over 3 ms.
const WINDOW_BYTES_MIN: u64 = 4 << 20;

pub fn check(host: &Host, measured: &Measured) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(backlog(host, "waiting connections", "/proc/sys/net/core/somaxconn"));
    // With cookies a half-open connection takes no room.
    if host.number("/proc/sys/net/ipv4/tcp_syncookies") == Some(0) {
        findings.extend(backlog(host, "half-open connections", "/proc/sys/net/ipv4/tcp_max_syn_backlog"));
    }
    for (what, path) in
        [("send window", "/proc/sys/net/ipv4/tcp_wmem"), ("receive window", "/proc/sys/net/ipv4/tcp_rmem")]
    {
        findings.extend(window(host, what, path));
    }
    if let Some(wire) = &measured.wire {
        let found =
            format!("{:.0} MiB/s, {:.2} CPU-s/GiB to send", wire.stream_mib_s, wire.send_cpu_s_per_gib);
        findings.push(Finding::note(
            AREA,
            "loopback",
            found,
            "what no broker on this machine can exceed over one connection",
        ));
    }
    findings
}

fn backlog(host: &Host, what: &str, path: &str) -> Option<Finding> {
    let found = host.number(path)?;
    let why = "when a broker comes back all its clients connect at once; who does not fit waits for a second or more";
    Some(if found >= BACKLOG_MIN {
        Finding::good(AREA, what, found.to_string(), why)
    } else {
        Finding::change(AREA, what, found.to_string(), why, vec![write(path, BACKLOG_MIN)])
    })
}

fn window(host: &Host, what: &str, path: &str) -> Option<Finding> {
    let text = host.text(path)?;
    let numbers: Vec<u64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let [least, usual, most] = numbers[..] else { return None };
    let found = format!("up to {} KiB", most >> 10);
    let why =
        "a connection sends no more than this without an answer: it bounds what goes through over distance";
    Some(if most >= WINDOW_BYTES_MIN {
        Finding::good(AREA, what, found, why)
    } else {
        let value = format!("{least} {usual} {WINDOW_BYTES_MIN}");
        Finding::change(AREA, what, found, why, vec![write(path, value)])
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{about, figures, host};
    use super::*;
    use crate::finding::{Remedy, Verdict};

    #[test]
    fn short_queues_and_small_windows_are_raised() {
        let files = [
            ("proc/sys/net/core/somaxconn", "128\n"),
            ("proc/sys/net/ipv4/tcp_max_syn_backlog", "1024\n"),
            ("proc/sys/net/ipv4/tcp_syncookies", "0\n"),
            ("proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t65536\n"),
        ];
        let findings = check(&host("network", &files), &figures());
        assert_eq!(about(&findings, "waiting connections").verdict, Verdict::Change);
        assert_eq!(about(&findings, "half-open connections").verdict, Verdict::Change);
        let window = &about(&findings, "send window").remedies[..];
        assert!(matches!(window, [Remedy::Write { value, .. }] if value == "4096 16384 4194304"));
    }
}
