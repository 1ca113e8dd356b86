//! Making this core's partitions what the metadata says: adding the new, deleting the gone.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use protocol::ErrorCode;
use shard::{Disk, ShardId, WallMs};
use storage::journal::{self, Replayed};
use storage::{Log, LogId, Offset, OpenFiles, OpenLog, Recovered, StorageError};

use super::facts::Facts;
use super::watch::Watches;
use super::{
    GENERATION_MASK, NoLog, Outbound, Partition, Partitions, Refusal, log_id, partition_id, refused,
};
use crate::mail::{PartitionId, Turn};
use crate::metadata::{Image, Topic};

/// What opening logs took.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OpenedCounts {
    /// Logs opened.
    pub opened: usize,
    /// Partitions that are offline because their logs cannot be opened.
    pub offline: usize,
    /// Bytes whose checksums were checked.
    pub checked_bytes: u64,
    /// Bytes cut off torn ends.
    pub cut_bytes: u64,
}

impl Partitions {
    /// Adds the partitions that have come to this core between two images, deletes those whose topics are gone, and hands
    /// new settings to the rest. Logs are opened when they are needed.
    pub fn apply(&mut self, turn: &mut Turn<'_>, before: &Image, after: &Arc<Image>, out: &mut Outbound) {
        self.image = Some(Arc::clone(after));
        // A core that closes its logs knows its partitions no more, and would take theirs for strays of a new one.
        if self.closing.is_some() {
            return;
        }
        for topic in before.topics() {
            if after.topic_by_id(topic.id).is_none() {
                for partition in 0..topic.partitions.len() as i32 {
                    self.delete(turn, PartitionId { topic_id: topic.id, partition }, out);
                }
            }
        }
        for topic in after.topics() {
            let known = before.topic_by_id(topic.id);
            if known.is_some_and(|known| Arc::ptr_eq(known, topic)) {
                continue;
            }
            for (meta, number) in topic.partitions.iter().zip(0..) {
                if meta.home == turn.shard && meta.is_on(after.node_id()) {
                    self.add_or_update(turn, topic, number, before.version == 0, out);
                }
            }
        }
        if before.version == 0 && self.durability.journal.is_none() {
            self.open_journal(turn);
            self.look_at_space(turn);
            self.open_later();
        }
    }

    /// All logs that nobody asks for are opened in quiet moments; those that the journal has something of come first.
    fn open_later(&mut self) {
        for (slot, partition) in &self.slots {
            self.openings.add(slot, partition.generation, partition.is_inherited);
        }
        self.openings.tell();
    }

    fn add_or_update(
        &mut self,
        turn: &mut Turn<'_>,
        topic: &Arc<Topic>,
        number: i32,
        is_start: bool,
        out: &mut Outbound,
    ) {
        let id = PartitionId { topic_id: topic.id, partition: number };
        if let Some(&slot) = self.by_id.get(&id) {
            let partition = &mut self.slots[slot];
            if let Ok(log) = &mut partition.log {
                log.set_settings(Arc::clone(&topic.log_settings));
            }
            let is_same = partition.topic.log_settings == topic.log_settings;
            let epoch_before = partition.leader_epoch();
            partition.topic = Arc::clone(topic);
            if partition.leader_epoch() != epoch_before {
                // Who waits here for records may have to look elsewhere.
                partition.watches.wake(out);
            }
            // What a closed log has to do by its new settings, only the log can tell.
            if !is_same && matches!(partition.log, Err(NoLog::Closed)) {
                self.openings.add(slot, partition.generation, false);
            }
            self.schedule_upkeep(slot);
            return;
        }
        self.generation = (self.generation + 1) & GENERATION_MASK;
        let slot = self.slots.insert(Partition {
            topic: Arc::clone(topic),
            number,
            log: Err(NoLog::Closed),
            asked: VecDeque::new(),
            waiting: VecDeque::new(),
            watches: Watches::default(),
            is_listed: false,
            is_own: false,
            is_unsynced: false,
            is_inherited: false,
            unsure: Vec::new(),
            is_compacting: false,
            facts: Facts::default(),
            used_at: turn.now,
            upkeep_at: None,
            generation: self.generation,
        });
        self.by_id.insert(id, slot);
        // A new partition has nothing to be read before it is used.
        if !is_start && let Err(error) = move_stray_aside(turn, &self.dir_of(topic, number)) {
            tracing::error!(topic = %topic.name, partition = number, %error, "the partition is offline");
            self.slots[slot].log = Err(NoLog::Offline(error));
        }
    }

    /// Deletes a partition at once. What the ring still has of it goes to files without a name, and its completions find
    /// nobody.
    fn delete(&mut self, turn: &mut Turn<'_>, id: PartitionId, out: &mut Outbound) {
        let Some(slot) = self.by_id.remove(&id) else { return };
        self.on_inheritance_synced(slot);
        let mut partition = self.slots.remove(slot);
        partition.fail_appends("the topic was deleted", out);
        partition.watches.wake(out);
        let refusal = Refusal { error: ErrorCode::UnknownTopicOrPartition, leader_epoch: -1 };
        for (request, question) in partition.asked.drain(..) {
            let (budget, left) = self.openings.take_budget(request);
            self.openings.keep_budget(request, budget, left);
            out.answers.push((request, question.number, refused(&question.ask, refusal)));
        }
        let dir = self.dir_of(&partition.topic, partition.number);
        let deleted = match partition.log {
            Ok(log) => log.delete(turn.disk, &mut self.files).map_err(|error| error.to_string()),
            Err(NoLog::Opening(opening)) => {
                opening.abandon(&mut self.files);
                storage::delete_dir(turn.disk, &dir).map_err(|error| error.to_string())
            }
            Err(NoLog::Closed | NoLog::Offline(_)) => {
                storage::delete_dir(turn.disk, &dir).map_err(|error| error.to_string())
            }
        };
        if let Err(error) = deleted {
            tracing::error!(dir = %dir.display(), %error, "a deleted partition's files cannot be removed; the next start tries again");
        }
    }

    pub(super) fn dir_of(&self, topic: &Topic, number: i32) -> PathBuf {
        partition_dir(&self.data_dir, topic, number)
    }
}

/// Where a partition's log lies.
pub fn partition_dir(data_dir: &Path, topic: &Topic, number: i32) -> PathBuf {
    data_dir.join(format!("{}-{number}", topic.name))
}

/// Opens a partition's log. All that it holds counts as committed: this node is its only replica.
pub fn open_log(
    disk: &mut dyn Disk,
    files: &mut OpenFiles,
    data_dir: &Path,
    topic: &Topic,
    number: i32,
    now: WallMs,
) -> Result<(Log, Recovered), StorageError> {
    let with = OpenLog {
        id: log_id(&PartitionId { topic_id: topic.id, partition: number }),
        dir: partition_dir(data_dir, topic, number),
        settings: Arc::clone(&topic.log_settings),
        log_start: Offset::ZERO,
        now,
    };
    let (mut log, recovered) = Log::open(disk, files, with)?;
    let end = log.offsets().end;
    log.advance_high_watermark(end);
    Ok((log, recovered))
}

/// Brings into the segments what only the journals hold, after a crash. To be called before any partition is opened. A
/// journal that belongs to a core which still has all its partitions is left for it.
pub fn replay_journals(
    disk: &mut dyn Disk,
    data_dir: &Path,
    image: &Image,
    core_count: u16,
) -> Result<Replayed, StorageError> {
    let find = |id: &LogId| {
        let PartitionId { topic_id, partition } = partition_id(id);
        let topic = image.topic_by_id(topic_id)?;
        let meta = topic.partition(partition).filter(|meta| meta.is_on(image.node_id()))?;
        Some((topic, partition, meta.home))
    };
    let dir_of = |id: &LogId| find(id).map(|(topic, partition, _)| partition_dir(data_dir, topic, partition));
    let journal_len = image.server.values().ringlog_journal_bytes();
    let stays = |core: u16, len: u64, id: &LogId| {
        core < core_count && len == journal_len && find(id).is_some_and(|(.., home)| home == ShardId(core))
    };
    let replayed = journal::replay(disk, data_dir, dir_of, stays)?;
    if replayed.frames > 0 {
        let Replayed { frames, bytes, segments, .. } = replayed;
        tracing::info!(frames, bytes, segments, "the journal was replayed");
    }
    Ok(replayed)
}

/// A new partition never adopts files: what lies in its place, put there by whomever, is moved aside. If it cannot be, the
/// partition is offline.
fn move_stray_aside(turn: &mut Turn<'_>, dir: &Path) -> Result<(), String> {
    if turn.disk.list(dir).is_err() {
        return Ok(());
    }
    let aside = storage::aside_of(dir, &format!("{}.stray", turn.wall_ms.0));
    let moved = turn.disk.rename(dir, &aside);
    moved
        .map_err(|error| format!("files lie in the place of a new partition and cannot be moved: {error}"))?;
    tracing::warn!(dir = %dir.display(), aside = %aside.display(), "files in the place of a new partition were moved aside");
    Ok(())
}
