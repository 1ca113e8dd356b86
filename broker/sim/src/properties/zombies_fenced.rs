//! A producer that was replaced by a newer one of the same transactional id writes nothing more (KIP-98, KIP-890; Q43, Q46).

use super::Property;
use crate::event::Event;

/// Nothing needs to be remembered.
#[derive(Default)]
pub struct ZombiesFenced;

impl Property for ZombiesFenced {
    fn name(&self) -> &'static str {
        "zombies_fenced"
    }

    fn on_event(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::ZombieAcked { place, txn } => {
                Err(format!("a batch of the producer before that of {txn} was taken at {place}"))
            }
            _ => Ok(()),
        }
    }
}
