//! An offset whose commit was acknowledged is what the group is told, or a later one is, whatever happens to the node (C45,
//! Q88, Q89): the coordinator's records are always on the disk.
//!
//! A commit that was not answered may still be carried out while the process that got it lives.

use std::collections::HashMap;

use super::Property;
use crate::event::Event;
use crate::topics::Place;

type Group = &'static str;

/// What each group may be told.
#[derive(Default)]
pub struct CommitNotLost {
    /// Attempts that are not answered.
    open: HashMap<(Group, u32), (Place, i64)>,
    acked: HashMap<(Group, Place), i64>,
    /// What was acknowledged when a question was asked.
    asked: HashMap<(Group, u32), i64>,
    /// All that was ever tried.
    tried: HashMap<(Group, Place), Vec<i64>>,
}

const NOTHING: i64 = -1;

impl CommitNotLost {
    fn check(&mut self, group: Group, place: Place, question: u32, told: i64) -> Result<(), String> {
        let floor = self.asked.remove(&(group, question)).unwrap_or(NOTHING);
        let is_open = self.open.values().any(|(at, offset)| *at == place && *offset == told);
        if told < floor && !is_open {
            return Err(format!("{group} is told {told} for {place}, and {floor} was committed before"));
        }
        let was_tried = self.tried.get(&(group, place)).is_some_and(|tried| tried.contains(&told));
        if told != NOTHING && !was_tried {
            return Err(format!("{group} is told {told} for {place}, which nobody committed"));
        }
        Ok(())
    }
}

impl Property for CommitNotLost {
    fn name(&self) -> &'static str {
        "commit_not_lost"
    }

    fn on_event(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::CommitAsked { group, place, offset, attempt } => {
                self.open.insert((group, *attempt), (*place, *offset));
                self.tried.entry((group, *place)).or_default().push(*offset);
            }
            Event::CommitAcked { group, attempt } => {
                if let Some((place, offset)) = self.open.remove(&(*group, *attempt)) {
                    let acked = self.acked.entry((group, place)).or_insert(NOTHING);
                    *acked = offset.max(*acked);
                }
            }
            Event::CommitRefused { group, attempt } => _ = self.open.remove(&(*group, *attempt)),
            Event::CommittedAsked { group, place, question } => {
                let floor = self.acked.get(&(*group, *place)).copied().unwrap_or(NOTHING);
                self.asked.insert((group, *question), floor);
            }
            Event::CommittedRead { group, place, question, offset } => {
                return self.check(group, *place, *question, *offset);
            }
            // What the process had not carried out, nobody will.
            Event::Down { .. } => self.open.clear(),
            _ => {}
        }
        Ok(())
    }
}
