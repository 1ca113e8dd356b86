//! Loading: a machine is made of its partition's log, a slice at a time.

use shard::Buf;
use storage::batch::{HEADER_LEN, RecordStream};
use storage::{BatchHeader, Marker, Offset};

use super::{Homes, Machine, Phase};
use crate::mail::Turn;
use crate::partition::{Outbound, OwnRead, Partitions};

/// Bytes that one slice reads, a first batch that is larger excepted.
const SLICE_BYTES: u32 = 1 << 20;

/// What the records of one batch may unpack to: the broker does not pack its own, but a copy of Kafka's log may be packed.
const UNPACKED_BYTES_MAX: usize = 64 << 20;

impl<M: Machine> Homes<M> {
    /// Replays one slice of a partition's log; at its end the machine takes questions.
    pub(super) fn load_slice(
        &mut self,
        turn: &mut Turn<'_>,
        partitions: &mut Partitions,
        number: i32,
        out: &mut Outbound,
    ) {
        let Some(home) = self.by_number.get_mut(&number) else { return };
        let Phase::Loading(from) = home.phase else { return };
        match partitions.read_own(turn, home.id, from, SLICE_BYTES) {
            Ok(OwnRead::NotYet) => {}
            Ok(OwnRead::Batches(batches)) => match replay(&mut home.machine, &batches) {
                Some(next) if next > from => home.phase = Phase::Loading(next),
                _ => {
                    tracing::error!(partition = number, "a batch of {} cannot be read", M::TOPIC);
                    home.fail(out);
                }
            },
            Ok(OwnRead::End(end)) => {
                (home.appended, home.written) = (end, end);
                home.phase = Phase::Active;
                if end > Offset::ZERO {
                    let count = home.machine.count();
                    tracing::info!(partition = number, count, "{} are loaded", M::SUBJECT);
                }
                self.run(turn, partitions, number, out, |machine, env| machine.on_loaded(env));
            }
            Err(why) => {
                tracing::error!(partition = number, %why, "{} cannot be loaded", M::SUBJECT);
                home.fail(out);
            }
        }
    }
}

/// Replays whole batches; gives the offset after them, or `None` if they cannot be read. A record that makes no sense is
/// left out: one bad record must not take all the others of a partition away.
fn replay<M: Machine>(machine: &mut M, batches: &Buf) -> Option<Offset> {
    let mut rest: &[u8] = batches;
    let mut next = None;
    while !rest.is_empty() {
        let header = BatchHeader::parse(rest)?;
        let size = header.size().filter(|&size| size >= HEADER_LEN && size <= rest.len())?;
        let (batch, after) = rest.split_at(size);
        rest = after;
        next = Some(header.last_offset().plus(1));
        if header.attributes.is_control() {
            if let Some(marker) = Marker::parse(&header, batch) {
                machine.replay_marker(&marker);
            }
            continue;
        }
        let mut records =
            RecordStream::new(header.attributes.codec()?, &batch[HEADER_LEN..], UNPACKED_BYTES_MAX).ok()?;
        while let Some(record) = records.next().ok()? {
            let Some(key) = record.key else { continue };
            if let Err(error) = machine.replay(&header, key, record.value) {
                let offset = header.base_offset.0 + i64::from(record.offset_delta);
                tracing::warn!(offset, %error, "a record of {} is left out", M::TOPIC);
            }
        }
    }
    next
}
