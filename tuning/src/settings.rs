//! What the broker is told: settings that were found to suit this machine, as a file for `ringlog start --config`.

use serde::Serialize;

use crate::measure::Measured;

/// One way of writing is better than the other if it takes less than this share of the time.
const CLEARLY: f64 = 0.9;

/// How long a core looks for work before it sleeps, where cores are the broker's own, us: longer than the pauses of
/// whoever sends a thousand requests a second.
const SPIN_US: u32 = 1000;

/// What the broker lends from if it is told nothing.
const USUAL_LENT_BYTES_MIN: usize = 32 << 10;

/// A setting of the broker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it should be here.
    pub value: String,
    /// The figures behind it.
    pub why: String,
    /// Whether it suits every broker on this machine; the others are for the operator to choose.
    pub is_for_all: bool,
}

/// What these figures say.
pub fn settings(measured: &Measured) -> Vec<Setting> {
    [writes(measured), lending(measured), spinning(measured)].into_iter().flatten().collect()
}

fn writes(measured: &Measured) -> Option<Setting> {
    let (inline, ring) = (measured.writes.inline, measured.writes.ring?);
    let value = match inline.times.p50 / ring.times.p50.max(0.001) {
        ratio if ratio < CLEARLY => "inline",
        ratio if ratio > 1.0 / CLEARLY => "ring",
        _ => "auto",
    };
    let why = format!(
        "an append of 64 KiB takes {:.1} us inline and {:.1} us through the ring (p99 {:.1} and {:.1})",
        inline.times.p50, ring.times.p50, inline.times.p99, ring.times.p99
    );
    Some(Setting { name: "ringlog.io.writes", value: value.to_owned(), why, is_for_all: true })
}

fn lending(measured: &Measured) -> Option<Setting> {
    let longest = measured.reads.lengths.last()?;
    let value = measured.reads.lent_bytes_min(USUAL_LENT_BYTES_MIN).unwrap_or(i32::MAX as usize);
    let why = format!(
        "to read and send {} KiB costs {:.2} CPU-s/GiB copied and {:.2} lent",
        longest.bytes >> 10,
        longest.copied_cpu_s_per_gib,
        longest.lent_cpu_s_per_gib
    );
    Some(Setting { name: "ringlog.io.lend.min.bytes", value: value.to_string(), why, is_for_all: true })
}

fn spinning(measured: &Measured) -> Option<Setting> {
    let wire = measured.wire.as_ref()?;
    let why = format!(
        "saves about {:.1} us of {:.1} a request, and keeps each core busy: only where cores are the broker's own, for on \
         shared ones it loses far more",
        wire.wake_us(),
        wire.round_trip_sleeping.p50
    );
    Some(Setting { name: "ringlog.io.spin.us", value: SPIN_US.to_string(), why, is_for_all: false })
}

/// The settings as a file of properties; what is not for all is there to be switched on.
pub fn properties(machine: &str, settings: &[Setting]) -> String {
    let mut text = format!("# Measured by ringlog-tune on {machine}.\n");
    for setting in settings {
        let mark = if setting.is_for_all { "" } else { "#" };
        text += &format!("\n# {}\n{mark}{}={}\n", setting.why, setting.name, setting.value);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::tests::figures;
    use crate::measure::Times;
    use crate::measure::reads::Length;
    use crate::measure::writes::Way;

    fn with_writes(inline_us: f64, ring_us: f64) -> Measured {
        let mut measured = figures();
        let way =
            |p50| Way { times: Times { p50, ..measured.writes.inline.times }, ..measured.writes.inline };
        (measured.writes.inline, measured.writes.ring) = (way(inline_us), Some(way(ring_us)));
        measured
    }

    #[test]
    fn the_way_of_writing_is_chosen_only_where_it_is_clear() {
        for (inline, ring, expected) in [(10.0, 15.0, "inline"), (15.0, 10.0, "ring"), (10.0, 10.5, "auto")] {
            assert_eq!(settings(&with_writes(inline, ring))[0].value, expected);
        }
    }

    #[test]
    fn where_lending_never_pays_nothing_is_lent() {
        let mut measured = figures();
        measured.reads.lengths =
            vec![Length { bytes: 65536, copied_cpu_s_per_gib: 0.2, lent_cpu_s_per_gib: 0.3 }];
        let lending =
            settings(&measured).into_iter().find(|setting| setting.name == "ringlog.io.lend.min.bytes");
        assert_eq!(lending.unwrap().value, "2147483647");
    }

    #[test]
    fn what_costs_a_core_is_left_to_the_operator() {
        let text = properties("a machine", &settings(&figures()));
        assert!(text.contains("\n#ringlog.io.spin.us=1000\n"), "{text}");
        assert!(text.contains("\nringlog.io.writes=auto\n"), "{text}");
    }
}
