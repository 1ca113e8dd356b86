//! What was found, as text for people and as JSON for programs.

use serde::Serialize;

use crate::finding::{Finding, Remedy, Verdict};
use crate::measure::{Measured, Times};
use crate::settings::Setting;

/// All that was found.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The machine in a line.
    pub machine: String,
    /// Its figures.
    pub measured: Measured,
    /// What holds it back.
    pub findings: Vec<Finding>,
    /// What the broker is told.
    pub settings: Vec<Setting>,
}

/// The report for people.
pub fn text(report: &Report) -> String {
    let mut text = format!("{}\n\n{}", report.machine, figures(&report.measured));
    let mut area = "";
    for finding in &report.findings {
        if finding.area != area {
            area = finding.area;
            text += &format!("\n{area}\n");
        }
        text += &entry(finding);
    }
    text += "\nsettings of the broker\n";
    for setting in &report.settings {
        let choice = if setting.is_for_all { "" } else { " (yours to choose)" };
        text += &format!("  {}={}{choice}\n          {}\n", setting.name, setting.value, setting.why);
    }
    text + "\n" + &summary(&report.findings)
}

fn entry(finding: &Finding) -> String {
    let mark = match finding.verdict {
        Verdict::Good => "ok",
        Verdict::Note => "note",
        Verdict::Change => "CHANGE",
    };
    let mut text = format!("  {mark:<7} {}: {}\n          {}\n", finding.what, finding.found, finding.why);
    for remedy in &finding.remedies {
        text += &match remedy {
            Remedy::Write { path, value, .. } => {
                format!("          -> write {value} to {}\n", path.display())
            }
            Remedy::ByHand(what) => format!("          -> by hand: {what}\n"),
        };
    }
    text
}

fn summary(findings: &[Finding]) -> String {
    let asks = |remedy: fn(&Remedy) -> bool| {
        findings.iter().filter(|finding| finding.remedies.iter().any(remedy)).count()
    };
    let (written, by_hand) =
        (asks(|r| matches!(r, Remedy::Write { .. })), asks(|r| matches!(r, Remedy::ByHand(_))));
    match (written, by_hand) {
        (0, 0) => "Nothing needs to be changed.\n".to_owned(),
        (0, by_hand) => format!("{by_hand} to be changed by hand.\n"),
        (written, by_hand) => format!(
            "{written} to be changed by --apply (see what it would do with --apply --dry-run), {by_hand} by hand.\n"
        ),
    }
}

/// The figures, one a line: the most that anything on this machine can reach.
pub fn figures(measured: &Measured) -> String {
    let (disk, memory) = (&measured.disk, &measured.memory);
    let mut lines = vec![
        ("durable write, 4 KiB".to_owned(), times(&disk.durable_4k)),
        ("durable write, 256 KiB".to_owned(), times(&disk.durable_256k)),
        ("durable writes, 1 MiB".to_owned(), format!("{:.0} MiB/s", disk.write_mib_s)),
    ];
    if let Some(read) = disk.read_mib_s {
        lines.push(("reads of the device, 1 MiB".to_owned(), format!("{read:.0} MiB/s")));
    }
    let way = |way: &crate::measure::writes::Way| {
        format!("{}; {:.0} MiB/s, {:.2} CPU-s/GiB", times(&way.times), way.mib_s, way.cpu_s_per_gib)
    };
    lines.push(("append of 64 KiB, inline".to_owned(), way(&measured.writes.inline)));
    if let Some(ring) = &measured.writes.ring {
        lines.push(("append of 64 KiB, ring".to_owned(), way(ring)));
    }
    for length in &measured.reads.lengths {
        let costs = format!(
            "{:.2} CPU-s/GiB copied, {:.2} lent",
            length.copied_cpu_s_per_gib, length.lent_cpu_s_per_gib
        );
        lines.push((format!("read and send, {} KiB", length.bytes >> 10), costs));
    }
    if let Some(wire) = &measured.wire {
        lines.push(("there and back, sleeping".to_owned(), times(&wire.round_trip_sleeping)));
        lines.push(("there and back, spinning".to_owned(), times(&wire.round_trip_spinning)));
        let stream = format!("{:.0} MiB/s, {:.2} CPU-s/GiB", wire.stream_mib_s, wire.send_cpu_s_per_gib);
        lines.push(("one connection, one way".to_owned(), stream));
    }
    lines.push(("memory, copied".to_owned(), format!("{:.1} GiB/s", memory.copy_gib_s)));
    lines.push(("memory, used first".to_owned(), format!("{:.1} GiB/s", memory.first_touch_gib_s)));
    lines.push(("a look at the clock".to_owned(), format!("{:.0} ns", memory.clock_ns)));
    lines.iter().map(|(what, figure)| format!("  {what:<28}{figure}\n")).collect()
}

fn times(times: &Times) -> String {
    format!("p50 {:.1}, p99 {:.1}, longest {:.0} us", times.p50, times.p99, times.max)
}

/// The figures that changes may have moved, before and after.
pub fn comparison(before: &Measured, after: &Measured) -> String {
    let mut lines = vec![
        ("durable write, 4 KiB, p50", before.disk.durable_4k.p50, after.disk.durable_4k.p50, "us"),
        ("durable write, 4 KiB, p99", before.disk.durable_4k.p99, after.disk.durable_4k.p99, "us"),
        ("durable writes, 1 MiB", before.disk.write_mib_s, after.disk.write_mib_s, "MiB/s"),
        ("append of 64 KiB, p99", before.writes.inline.times.p99, after.writes.inline.times.p99, "us"),
        ("a look at the clock", before.memory.clock_ns, after.memory.clock_ns, "ns"),
    ];
    if let (Some(before), Some(after)) = (&before.wire, &after.wire) {
        let (one, other) = (before.round_trip_sleeping, after.round_trip_sleeping);
        lines.push(("there and back, p50", one.p50, other.p50, "us"));
        lines.push(("there and back, p99", one.p99, other.p99, "us"));
    }
    let line = |(what, before, after, unit): (&str, f64, f64, &str)| {
        let ratio = after / before.max(0.001);
        format!("  {what:<28}{before:.1} {unit} before, {after:.1} after ({ratio:.2} times)\n")
    };
    lines.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::tests::figures as some_figures;

    #[test]
    fn a_report_says_what_to_write_and_what_is_left_to_do_by_hand() {
        let write = Remedy::Write { path: "/sys/x".into(), value: "1".into(), undo: None };
        let findings = vec![
            Finding::good("disk", "file system", "ext4", "it is good"),
            Finding::change("cpu", "clock", "hpet", "it is slow", vec![write]),
            Finding::change("cpu", "quota", "1.5 cores", "it stops", vec![Remedy::ByHand("ask".into())]),
        ];
        let measured = some_figures();
        let settings = crate::settings::settings(&measured);
        let report = Report { machine: "a machine".into(), measured, findings, settings };
        let text = text(&report);
        for expected in [
            "  ok      file system: ext4",
            "-> write 1 to /sys/x",
            "-> by hand: ask",
            "1 to be changed by --apply",
        ] {
            assert!(text.contains(expected), "{expected} is not in:\n{text}");
        }
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["findings"][1]["remedies"][0]["write"]["value"], "1");
    }
}
