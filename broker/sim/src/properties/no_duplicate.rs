//! No record is in the logs twice, however often its batch was sent (KIP-98, Q41).

use std::collections::HashMap;

use super::Property;
use crate::event::{Down, Event, Isolation, RecordId};
use crate::topics::Place;

/// Where each record was found.
#[derive(Default)]
pub struct NoDuplicate {
    found: HashMap<RecordId, (Place, i64)>,
    read: HashMap<(u16, RecordId), (Place, i64)>,
    was_killed: bool,
}

impl Property for NoDuplicate {
    fn name(&self) -> &'static str {
        "no_duplicate"
    }

    fn on_event(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Read { reader, place, offset, record, .. } if place.topic.survives_power => {
                check(self.read.insert((*reader, *record), (*place, *offset)), (*place, *offset), *record)
            }
            Event::Down { how: Down::Killed, .. } => {
                self.was_killed = true;
                Ok(())
            }
            // What a killed process had not synced is shown by the next one, and may be lost and sent again.
            Event::Down { how: Down::PowerLost, .. } if self.was_killed => {
                self.read.clear();
                Ok(())
            }
            Event::Audited { place, isolation: Isolation::Uncommitted, records } => {
                for (offset, record) in records.iter() {
                    check(self.found.insert(*record, (*place, *offset)), (*place, *offset), *record)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn check(before: Option<(Place, i64)>, now: (Place, i64), record: RecordId) -> Result<(), String> {
    match before {
        Some(before) if before != now => {
            Err(format!("{record} is at {} {} and at {} {}", before.0, before.1, now.0, now.1))
        }
        _ => Ok(()),
    }
}
