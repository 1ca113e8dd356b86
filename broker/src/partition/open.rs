//! Making this core's partitions what the metadata says: opening the new, deleting the gone, closing all at the end.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shard::{Disk, WallMs};
use storage::journal::{self, Replayed};
use storage::{Log, Offset, OpenFiles, OpenLog, Recovered, StorageError};

use super::watch::Watches;
use super::{GENERATION_MASK, Outbound, Partition, Partitions, log_id, partition_id};
use crate::mail::{PartitionId, Turn};
use crate::metadata::{Image, Topic};

/// What one application of an image did.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenedCounts {
    /// Partitions opened.
    pub opened: usize,
    /// Partitions that are offline because their logs cannot be opened.
    pub offline: usize,
    /// Bytes whose checksums were checked.
    pub checked_bytes: u64,
    /// Bytes cut off torn ends.
    pub cut_bytes: u64,
}

impl Partitions {
    /// Opens the partitions that have come to this core between two images, deletes those whose topics are gone, and hands
    /// new settings to the rest.
    pub fn apply(
        &mut self,
        turn: &mut Turn<'_>,
        before: &Image,
        after: &Image,
        out: &mut Outbound,
    ) -> OpenedCounts {
        for topic in before.topics() {
            if after.topic_by_id(topic.id).is_none() {
                for partition in 0..topic.partitions.len() as i32 {
                    self.delete(turn, PartitionId { topic_id: topic.id, partition }, out);
                }
            }
        }
        if before.version == 0 && self.durability.journal.is_none() {
            self.open_journal(turn);
            self.look_at_space(turn);
        }
        let mut counts = OpenedCounts::default();
        for topic in after.topics() {
            let known = before.topic_by_id(topic.id);
            if known.is_some_and(|known| Arc::ptr_eq(known, topic)) {
                continue;
            }
            for (meta, number) in topic.partitions.iter().zip(0..) {
                if meta.home == turn.shard {
                    let is_start = before.version == 0;
                    self.open_or_update(turn, topic, number, is_start, &mut counts);
                }
            }
        }
        counts
    }

    fn open_or_update(
        &mut self,
        turn: &mut Turn<'_>,
        topic: &Arc<Topic>,
        number: i32,
        is_start: bool,
        counts: &mut OpenedCounts,
    ) {
        let id = PartitionId { topic_id: topic.id, partition: number };
        if let Some(&slot) = self.by_id.get(&id) {
            let partition = &mut self.slots[slot];
            if let Ok(log) = &mut partition.log {
                log.set_settings(Arc::clone(&topic.log_settings));
            }
            partition.topic = Arc::clone(topic);
            self.schedule_upkeep(slot);
            return;
        }
        let dir = self.dir_of(topic, number);
        let placed = if is_start { Ok(()) } else { move_stray_aside(turn, &dir) };
        let (data_dir, now) = (&self.data_dir, turn.wall_ms);
        let opened = placed.and_then(|()| {
            open_log(turn.disk, &mut self.files, data_dir, topic, number, now)
                .map_err(|error| error.to_string())
        });
        let log = match opened {
            Ok((log, recovered)) => {
                counts.opened += 1;
                counts.checked_bytes += recovered.checked_bytes;
                counts.cut_bytes += recovered.cut_bytes;
                Ok(log)
            }
            Err(error) => {
                tracing::error!(topic = %topic.name, partition = number, %error, "the partition is offline: its log cannot be opened");
                counts.offline += 1;
                Err(error)
            }
        };
        self.generation = (self.generation + 1) & GENERATION_MASK;
        let slot = self.slots.insert(Partition {
            topic: Arc::clone(topic),
            number,
            log,
            waiting: VecDeque::new(),
            watches: Watches::default(),
            is_listed: false,
            is_own: false,
            is_unsynced: false,
            is_compacting: false,
            upkeep_at: None,
            generation: self.generation,
        });
        self.by_id.insert(id, slot);
        self.schedule_upkeep(slot);
        self.note_unsynced(slot);
    }

    /// Deletes a partition at once. What the ring still has of it goes to files without a name, and its completions find
    /// nobody.
    fn delete(&mut self, turn: &mut Turn<'_>, id: PartitionId, out: &mut Outbound) {
        let Some(slot) = self.by_id.remove(&id) else { return };
        let mut partition = self.slots.remove(slot);
        partition.fail_appends("the topic was deleted", out);
        partition.watches.wake(out);
        let dir = self.dir_of(&partition.topic, partition.number);
        let deleted = match partition.log {
            Ok(log) => log.delete(turn.disk, &mut self.files).map_err(|error| error.to_string()),
            Err(_) => turn.disk.remove_dir(&dir).map_err(|error| error.to_string()),
        };
        if let Err(error) = deleted {
            tracing::error!(dir = %dir.display(), %error, "a deleted partition's files cannot be removed; the next start tries again");
        }
    }

    fn dir_of(&self, topic: &Topic, number: i32) -> PathBuf {
        partition_dir(&self.data_dir, topic, number)
    }

    /// Closes all logs cleanly, so that the next start has nothing to check. Everything must have been written.
    pub fn close(&mut self, turn: &mut Turn<'_>) {
        self.by_id.clear();
        let mut is_clean = true;
        for partition in self.slots.drain() {
            let Ok(log) = partition.log else { continue };
            is_clean &= log.offline().is_none();
            if let Err(error) = log.close(turn.disk, &mut self.files) {
                tracing::warn!(%error, "a log was not closed cleanly; the next start checks it");
                is_clean = false;
            }
        }
        if let Some(journal) = self.durability.journal.take()
            && let Err(error) = journal.close(turn.disk, is_clean)
        {
            tracing::warn!(%error, "the journal was not closed cleanly; the next start replays it");
        }
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

/// Brings into the segments what only the journals hold, after a crash. To be called before any partition is opened.
pub fn replay_journals(
    disk: &mut dyn Disk,
    data_dir: &Path,
    image: &Image,
) -> Result<Replayed, StorageError> {
    let replayed = journal::replay(disk, data_dir, |id| {
        let PartitionId { topic_id, partition } = partition_id(id);
        let topic = image.topic_by_id(topic_id)?;
        topic.partition(partition)?;
        Some(partition_dir(data_dir, topic, partition))
    })?;
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
