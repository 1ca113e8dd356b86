//! Whether the node lives and is ready, and if not, why: in words for people and scripts.

use std::fmt::Write;

use super::hub::Healths;

/// Why the node is not alive; empty if it is.
pub fn not_alive(healths: &Healths) -> Vec<String> {
    let silent = healths.iter().enumerate().filter(|(_, health)| health.is_none());
    silent.map(|(core, _)| format!("core {core} has not answered in time")).collect()
}

/// Why the node is not ready; empty if it is.
pub fn not_ready(healths: &Healths) -> Vec<String> {
    let mut reasons = not_alive(healths);
    for (core, health) in
        healths.iter().enumerate().filter_map(|(core, health)| Some((core, health.as_ref()?)))
    {
        if health.is_stopping {
            reasons.push(format!("core {core} stops"));
        } else if !health.is_serving {
            reasons.push(format!("core {core} starts"));
        }
        for (phases, of) in [(health.groups, "groups"), (health.transactions, "transactions")] {
            if phases.loading > 0 {
                let count = phases.loading;
                reasons.push(format!("core {core}: {count} coordinators of {of} are reading their logs"));
            }
            if phases.failed > 0 {
                let count = phases.failed;
                reasons.push(format!(
                    "core {core}: {count} coordinators of {of} are out of reach until a restart"
                ));
            }
        }
    }
    let known = || healths.iter().flatten();
    if let Some(full) = known().find(|health| health.disk.is_full) {
        let (free, reserve) = (full.disk.free_bytes, full.disk.reserve_bytes);
        reasons.push(format!("the disk is full: {free} bytes are free, and {reserve} are kept in reserve"));
    }
    for (topic, number, why) in known().flat_map(|health| &health.offline.0) {
        reasons.push(format!("partition {}-{number} is offline: {why}", topic.name));
    }
    let unnamed: usize = known().map(|health| health.offline.1 - health.offline.0.len()).sum();
    if unnamed > 0 {
        reasons.push(format!("{unnamed} more partitions are offline"));
    }
    reasons
}

/// The page: one line if all is well, else a reason a line.
pub fn page(good: &str, bad: &str, reasons: &[String]) -> String {
    if reasons.is_empty() {
        return format!("{good}\n");
    }
    let mut page = format!("{bad}:\n");
    for reason in reasons {
        // Writing to a string never fails.
        _ = writeln!(page, "- {reason}");
    }
    page
}
