//! A partition of a group is worked on by one member at a time (KIP-848; Q97).

use std::collections::HashMap;
use std::rc::Rc;

use super::Property;
use crate::event::Event;
use crate::topics::Place;

/// Who works on what.
#[derive(Default)]
pub struct GroupSingleOwner {
    owners: HashMap<Place, Rc<str>>,
}

impl Property for GroupSingleOwner {
    fn name(&self) -> &'static str {
        "group_single_owner"
    }

    fn on_event(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Owned { member, place } => match self.owners.insert(*place, member.clone()) {
                Some(other) if other != *member => {
                    Err(format!("{member} was given {place}, which {other} still has"))
                }
                _ => Ok(()),
            },
            Event::Released { member, place } => {
                if self.owners.get(place) == Some(member) {
                    self.owners.remove(place);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
