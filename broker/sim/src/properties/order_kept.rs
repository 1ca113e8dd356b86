//! The records of an idempotent producer are in a partition in the order in which they were sent, without a gap that was not
//! told (KIP-98; Q41, Q42). A batch whose predecessors are all acknowledged is not refused for its sequence number, unless the
//! topic may lose what was acknowledged.

use std::collections::{HashMap, HashSet};

use super::Property;
use crate::event::{Down, Event, Isolation, RecordId};
use crate::topics::Place;

/// Who numbers its records, and how far each reader has read each of them.
#[derive(Default)]
pub struct OrderKept {
    sequenced: HashSet<u16>,
    last_read: HashMap<(u16, Place, u16), u32>,
    power_was_lost: bool,
    was_killed: bool,
}

impl OrderKept {
    fn check_all(&self, place: Place, records: &[(i64, RecordId)]) -> Result<(), String> {
        let mut last: HashMap<u16, u32> = HashMap::new();
        for (offset, record) in records {
            if self.sequenced.contains(&record.writer)
                && let Some(before) = last.insert(record.writer, record.number)
                && before > record.number
            {
                return Err(format!("{record} is at {place} {offset}, behind number {before} of its writer"));
            }
        }
        Ok(())
    }
}

impl Property for OrderKept {
    fn name(&self) -> &'static str {
        "order_kept"
    }

    fn on_event(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Sent { first, is_sequenced: true, .. } => _ = self.sequenced.insert(first.writer),
            Event::Down { how: Down::Killed, .. } => self.was_killed = true,
            Event::Down { how: Down::PowerLost, .. } => {
                self.power_was_lost = true;
                // What a killed process had not synced is shown by the next one, and may be lost and sent again.
                if self.was_killed {
                    self.last_read.clear();
                }
            }
            Event::Refused { place, first, error } if place.topic.survives_power || !self.power_was_lost => {
                return Err(format!("{first} is refused at {place} with {error:?}, and nothing is missing"));
            }
            Event::Rewound { reader, place } => {
                self.last_read.retain(|(who, at, _), _| (who, at) != (reader, place));
            }
            Event::Read { reader, place, record, offset, .. } if self.sequenced.contains(&record.writer) => {
                let last = self.last_read.insert((*reader, *place, record.writer), record.number);
                // What a topic has lost with the power is sent again, behind what a reader has seen.
                if place.topic.survives_power
                    && let Some(before) = last
                    && before > record.number
                {
                    return Err(format!("{record} is read at {place} {offset} after number {before}"));
                }
            }
            Event::Audited { place, isolation: Isolation::Uncommitted, records } => {
                return self.check_all(*place, records);
            }
            _ => {}
        }
        Ok(())
    }
}
