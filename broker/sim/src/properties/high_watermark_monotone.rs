//! The ends of a log stand in order (Q50, Q54, Q64), and who asks after another was answered is never told less; nor less than
//! what acks=all had acknowledged when he asked.
//!
//! After a loss of power that holds for topics all of whose records survive it, as far as readers were told what was on the
//! disk: all of it, while the process that took the records lives. The next process after a kill finds records in the page
//! cache and shows them without a sync (decision 0007): then it holds for what was acknowledged.

use std::collections::HashMap;

use super::Property;
use crate::event::{Down, Event, Survives};
use crate::topics::Place;

/// The largest ends that were told.
#[derive(Default)]
pub struct HighWatermarkMonotone {
    told: HashMap<Place, Ends>,
    /// The same when each reader asked.
    asked: HashMap<u16, HashMap<Place, Ends>>,
    /// Where what was acknowledged ends.
    acked: HashMap<Place, i64>,
    was_killed: bool,
}

#[derive(Default, Clone, Copy)]
struct Ends {
    high_watermark: i64,
    last_stable: i64,
    log_start: i64,
}

impl HighWatermarkMonotone {
    /// Takes back what may be lost with the power.
    fn lose_power(&mut self) {
        for told in self.asked.values_mut().chain([&mut self.told]) {
            told.retain(|place, _| place.topic.survives_power);
            for (place, ends) in told.iter_mut().filter(|_| self.was_killed) {
                let acked = self.acked.get(place).copied().unwrap_or(0);
                ends.high_watermark = ends.high_watermark.min(acked);
                ends.last_stable = ends.last_stable.min(acked);
            }
        }
    }
}

impl Property for HighWatermarkMonotone {
    fn name(&self) -> &'static str {
        "high_watermark_monotone"
    }

    fn on_event(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::FetchAsked { reader } => _ = self.asked.insert(*reader, self.told.clone()),
            // What acks=1 acknowledges may have to wait behind a record that waits for the disk, as in Kafka behind the replicas.
            Event::Acked { place, offset, count, survives: Survives::Power, .. } => {
                let end = offset + i64::from(*count);
                let (told, acked) =
                    (self.told.entry(*place).or_default(), self.acked.entry(*place).or_default());
                told.high_watermark = told.high_watermark.max(end);
                *acked = (*acked).max(end);
            }
            Event::Down { how: Down::PowerLost, .. } => self.lose_power(),
            Event::Down { how: Down::Killed, .. } => self.was_killed = true,
            Event::Ends { reader, place, log_start, last_stable, high_watermark } => {
                let now = Ends {
                    log_start: *log_start,
                    last_stable: *last_stable,
                    high_watermark: *high_watermark,
                };
                if !(log_start <= last_stable && last_stable <= high_watermark) {
                    return Err(format!(
                        "{place} is {log_start} ≤ {last_stable} ≤ {high_watermark}, which is not so"
                    ));
                }
                let asked = self.asked.get(reader).and_then(|asked| asked.get(place));
                let before = asked.copied().unwrap_or_default();
                for (what, before, now) in [
                    ("high watermark", before.high_watermark, now.high_watermark),
                    ("last stable offset", before.last_stable, now.last_stable),
                    ("log start", before.log_start, now.log_start),
                ] {
                    if now < before {
                        return Err(format!("the {what} of {place} went from {before} back to {now}"));
                    }
                }
                let told = self.told.entry(*place).or_default();
                told.high_watermark = told.high_watermark.max(now.high_watermark);
                told.last_stable = told.last_stable.max(now.last_stable);
                told.log_start = told.log_start.max(now.log_start);
            }
            _ => {}
        }
        Ok(())
    }
}
