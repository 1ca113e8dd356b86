//! Closing all logs when the core stops: synced side by side, then marked as clean, a bounded number a turn. What is not
//! done when the time is over stays as a crash would leave it, and is looked at by the next start when it is needed.

use std::collections::VecDeque;

use super::{NoLog, Partition, Partitions};
use crate::mail::Turn;

/// Segments that are synced at a time. More do not make the device faster.
const SYNCS_MAX: usize = 128;
/// Logs that are closed in one turn.
const CLOSED_MAX: usize = 64;

/// Closing under way.
#[derive(Debug)]
pub(super) struct Closing {
    waiting: VecDeque<usize>,
    syncing: Vec<usize>,
    is_clean: bool,
}

impl Partitions {
    /// Takes closing on; `true` when all is closed. Everything must have been written, and nothing is asked any more.
    pub fn close_on(&mut self, turn: &mut Turn<'_>) -> bool {
        let mut closing = self.closing.take().unwrap_or_else(|| self.begin_closing());
        let mut closed = 0;
        let mut looks = std::mem::take(&mut closing.syncing).into_iter();
        while closed < CLOSED_MAX && closing.syncing.len() < SYNCS_MAX {
            let Some(slot) = looks.next().or_else(|| closing.waiting.pop_front()) else { break };
            let Some(Ok(log)) = self.slots.get_mut(slot).map(|partition| &mut partition.log) else {
                continue;
            };
            if log.offline().is_some() || (log.is_synced() && !log.has_flight()) {
                closing.is_clean &= self.close_log(turn, slot);
                closed += 1;
            } else {
                log.request_checkpoint();
                closing.syncing.push(slot);
                self.list_if_dirty(slot);
            }
        }
        // Those that were not looked at are still being synced.
        closing.syncing.extend(looks);
        let is_done = closing.syncing.is_empty() && closing.waiting.is_empty();
        self.closing = Some(closing);
        is_done
    }

    fn begin_closing(&mut self) -> Closing {
        self.by_id.clear();
        let mut waiting = VecDeque::new();
        for (slot, partition) in &mut self.slots {
            match &partition.log {
                Ok(_) => waiting.push_back(slot),
                Err(NoLog::Closed | NoLog::Offline(_)) => {}
                // Nothing of it was changed that the next opening would not do again.
                Err(NoLog::Opening(_)) => partition.log = Err(NoLog::Closed),
            }
        }
        Closing { waiting, syncing: Vec::new(), is_clean: true }
    }

    /// Says whether the log was closed cleanly.
    fn close_log(&mut self, turn: &mut Turn<'_>, slot: usize) -> bool {
        let Ok(log) = std::mem::replace(&mut self.slots[slot].log, Err(NoLog::Closed)) else { return true };
        let is_online = log.offline().is_none();
        let closed = log.close(turn.disk, &mut self.files);
        self.files.close_evicted(turn.disk);
        if let Err(error) = &closed {
            tracing::warn!(%error, "a log was not closed cleanly; the next start checks it");
        } else if is_online {
            self.on_inheritance_synced(slot);
        }
        is_online && closed.is_ok()
    }

    /// Ends the use of the journal, whether all logs are closed or the time for that is over.
    pub fn close_journal(&mut self, turn: &mut Turn<'_>) {
        let left = self.closing.as_ref().map_or(self.slots.len(), |it| it.waiting.len() + it.syncing.len());
        if left > 0 {
            tracing::warn!(
                logs = left,
                "there was no time to close all logs; the next start looks at the rest"
            );
        }
        let is_clean = left == 0 && self.closing.as_ref().is_some_and(|closing| closing.is_clean);
        let is_open = |partition: &Partition| partition.log.is_ok();
        let is_needless = is_clean
            && self.inherited_count() == 0
            && !self.slots.iter().any(|(_, partition)| is_open(partition));
        if let Some(journal) = self.durability.journal.take_if(|journal| !journal.has_flight())
            && let Err(error) = journal.close(turn.disk, is_needless)
        {
            tracing::warn!(%error, "the journal was not closed cleanly; the next start replays it");
        }
    }
}
