//! The ends of transactions: markers are appended here, for the coordinators of this node and of administrators.

use std::sync::Arc;

use protocol::ErrorCode;
use storage::log::MarkerFault;
use storage::{
    Appended as LogAppended, Durability, LeaderEpoch, Marker, MarkerRefusal, ProducerRow, Promise,
};

use super::Partitions;
use super::append::{Waiting, kept_end, offline};
use crate::answer::{Answer, Appended};
use crate::mail::{PendingId, Turn};
use crate::transactions::Unsure;
use crate::transactions::ask::Producer;

impl Partitions {
    /// A log that is kept in the page cache was opened: markers of the transactions that are open in it may be lost.
    pub(super) fn find_unsure(&mut self, slot: usize) {
        let partition = &mut self.slots[slot];
        let Ok(log) = &partition.log else { return };
        if log.settings().durability == Durability::Disk {
            return;
        }
        let open = log.producers().rows().take_while(|row| row.txn_first_offset.is_some());
        let (id, name) = (partition.id(), (Arc::clone(&partition.topic.name), partition.number));
        partition.unsure = open
            .map(|row| {
                let producer = Producer { id: row.id.0, epoch: row.epoch.0 };
                Unsure { id, partition: name.clone(), producer }
            })
            .collect();
        self.unsure.extend(partition.unsure.iter().cloned());
    }

    /// What logs were not sure of since this was asked last.
    pub fn take_unsure(&mut self) -> impl Iterator<Item = Unsure> + use<> {
        std::mem::take(&mut self.unsure).into_iter()
    }

    /// A transaction is alive: its producer goes on.
    pub fn settle(&mut self, sure: &Unsure) {
        if let Some(slot) = self.by_id.get(&sure.id) {
            self.slots[*slot].unsure.retain(|unsure| unsure.producer.id != sure.producer.id);
        }
    }

    /// Appends a marker; the answer, unless it has to wait until the marker is on stable storage.
    pub(super) fn mark(
        &mut self,
        turn: &Turn<'_>,
        slot: usize,
        (request, number): (PendingId, u32),
        marker: &Marker,
        bumps_epoch: bool,
    ) -> Option<Answer> {
        let partition = &mut self.slots[slot];
        let leader_epoch = LeaderEpoch(partition.leader_epoch());
        let log = match &mut partition.log {
            Ok(log) => log,
            Err(no_log) => return Some(offline(no_log.why())),
        };
        let mut answer = Appended::refused(ErrorCode::None, "");
        let appended = log.append_marker(marker, bumps_epoch, leader_epoch, turn.wall_ms, Promise::Disk);
        let (last_offset, promise) = match appended {
            Ok(LogAppended::Fresh { last_offset, promise, .. }) => (last_offset, promise),
            Ok(LogAppended::Duplicate(before, promise)) => (before.last_offset, promise),
            Err(fault) => {
                let error = error_of(&fault);
                return Some(Answer::Appended(Appended::refused(error, error.text())));
            }
        };
        partition.unsure.retain(|unsure| !unsure.is_ended_by(marker));
        answer.base_offset = last_offset.0;
        if last_offset < kept_end(log, promise) {
            return Some(Answer::Appended(answer));
        }
        partition.waiting.push_back(Waiting { request, number, last_offset, promise, answer });
        self.schedule_upkeep(slot);
        self.list_if_dirty(slot);
        None
    }

    pub(super) fn producers(&self, slot: usize) -> Result<Vec<ProducerRow>, ErrorCode> {
        let log = self.slots[slot].log.as_ref().map_err(|_| ErrorCode::KafkaStorageError)?;
        Ok(log.producers().rows().collect())
    }
}

/// Kafka's error for a marker that was not written.
pub(super) fn error_of(fault: &MarkerFault) -> ErrorCode {
    match fault {
        MarkerFault::Refused(MarkerRefusal::StaleEpoch { .. }) => ErrorCode::InvalidProducerEpoch,
        MarkerFault::Refused(MarkerRefusal::StaleCoordinator { .. }) => {
            ErrorCode::TransactionCoordinatorFenced
        }
        MarkerFault::Append(_) => ErrorCode::KafkaStorageError,
    }
}
