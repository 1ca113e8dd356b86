//! Loading: a coordinator is made of its partition's log, a slice at a time.

use shard::Buf;
use storage::batch::{HEADER_LEN, RecordStream};
use storage::{BatchHeader, Offset};

use super::coordinator::Coordinator;
use super::record::Record;
use super::{Phase, TxnCoordinators};
use crate::mail::Turn;
use crate::partition::{Outbound, OwnRead, Partitions};

/// Bytes that one slice reads, a first batch that is larger excepted.
const SLICE_BYTES: u32 = 1 << 20;

/// What the records of one batch may unpack to: the broker does not pack its own, but a copy of Kafka's log may be packed.
const UNPACKED_BYTES_MAX: usize = 64 << 20;

impl TxnCoordinators {
    /// Replays one slice of a partition's log; at its end the coordinator takes questions.
    pub(super) fn load_slice(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        number: i32,
        out: &mut Outbound,
    ) {
        let Some(home) = self.homes.get_mut(&number) else { return };
        let Phase::Loading(from) = home.phase else { return };
        match partitions.read_own(turn, home.id, from, SLICE_BYTES) {
            Ok(OwnRead::NotYet) => {}
            Ok(OwnRead::Batches(batches)) => match replay(&mut home.machine, &batches) {
                Some(next) if next > from => home.phase = Phase::Loading(next),
                _ => {
                    tracing::error!(partition = number, "a batch of {} cannot be read", super::TOPIC);
                    home.fail(out);
                }
            },
            Ok(OwnRead::End(end)) => {
                (home.appended, home.written) = (end, end);
                home.phase = Phase::Active;
                if end > Offset::ZERO {
                    tracing::info!(
                        partition = number,
                        ids = home.machine.id_count(),
                        "transactional ids are loaded"
                    );
                }
                self.run(turn, partitions, number, out, |machine, env| machine.on_loaded(env));
            }
            Err(why) => {
                tracing::error!(partition = number, %why, "transactions cannot be loaded");
                home.fail(out);
            }
        }
    }
}

/// Replays whole batches; gives the offset after them, or `None` if they cannot be read. A record that makes no sense is
/// left out: one bad record must not take a partition's other ids away.
fn replay(machine: &mut Coordinator, batches: &Buf) -> Option<Offset> {
    let mut rest: &[u8] = batches;
    let mut next = None;
    while !rest.is_empty() {
        let header = BatchHeader::parse(rest)?;
        let size = header.size().filter(|&size| size >= HEADER_LEN && size <= rest.len())?;
        let (batch, after) = rest.split_at(size);
        rest = after;
        next = Some(header.last_offset().plus(1));
        if header.attributes.is_control() {
            continue;
        }
        let mut records =
            RecordStream::new(header.attributes.codec()?, &batch[HEADER_LEN..], UNPACKED_BYTES_MAX).ok()?;
        while let Some(record) = records.next().ok()? {
            match record.key.map(|key| Record::decode(key, record.value)) {
                Some(Ok(Some(record))) => machine.apply(record),
                Some(Ok(None)) | None => {}
                Some(Err(error)) => {
                    let offset = header.base_offset.0 + i64::from(record.offset_delta);
                    tracing::warn!(offset, %error, "a record of {} is left out", super::TOPIC);
                }
            }
        }
    }
    next
}
