//! What was acknowledged is there, at the offset that was told (C1, Q35).
//!
//! acks=all survives everything that can happen to one machine whose disk keeps what it has synced; acks=1, and all of a topic
//! with `ringlog.durability=os`, survives the end of the process, not a loss of power.

use std::collections::{BTreeMap, HashMap};

use super::Property;
use crate::event::{Down, Event, Isolation, RecordId, Survives};
use crate::topics::Place;

/// What every partition must hold.
#[derive(Default)]
pub struct AckedNotLost {
    kept: HashMap<Place, BTreeMap<i64, (RecordId, Survives)>>,
}

impl AckedNotLost {
    fn check_one(&self, place: Place, offset: i64, found: RecordId) -> Result<(), String> {
        match self.kept.get(&place).and_then(|kept| kept.get(&offset)) {
            Some((record, _)) if *record != found => {
                Err(format!("{place} has {found} at {offset}, where {record} was acknowledged"))
            }
            _ => Ok(()),
        }
    }

    fn check_all(&self, place: Place, records: &[(i64, RecordId)]) -> Result<(), String> {
        let found: HashMap<i64, RecordId> = records.iter().copied().collect();
        for (offset, (record, survives)) in self.kept.get(&place).into_iter().flatten() {
            if found.get(offset) != Some(record) {
                let instead = found.get(offset).map_or("nothing".to_owned(), RecordId::to_string);
                return Err(format!(
                    "{record} was acknowledged at {place} {offset} and survives {survives:?}, but {instead} is there"
                ));
            }
        }
        Ok(())
    }
}

impl Property for AckedNotLost {
    fn name(&self) -> &'static str {
        "acked_not_lost"
    }

    fn on_event(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Acked { place, offset, first, count, survives } => {
                let kept = self.kept.entry(*place).or_default();
                for index in 0..*count {
                    let (at, record) = (offset + i64::from(index), first.plus(index));
                    if let Some((other, _)) = kept.insert(at, (record, *survives))
                        && other != record
                    {
                        return Err(format!("{record} is acknowledged at {place} {at}, and so was {other}"));
                    }
                }
                Ok(())
            }
            Event::Down { how: Down::PowerLost, .. } => {
                for kept in self.kept.values_mut() {
                    kept.retain(|_, (_, survives)| *survives == Survives::Power);
                }
                Ok(())
            }
            Event::Read { place, offset, record, .. } => self.check_one(*place, *offset, *record),
            Event::Audited { place, isolation: Isolation::Uncommitted, records } => {
                self.check_all(*place, records)
            }
            _ => Ok(()),
        }
    }
}
