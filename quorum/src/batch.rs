//! A batch of the metadata log, which is an entry of Raft's: what is in it, how it is made, and what is checked of one that
//! comes from a file or a peer.
//!
//! ```text
//! metadata records    │ values of Kafka's metadata records: one change, whole or not at all
//! LeaderChange        │ control record 2: the first batch of a leader, empty to Raft
//! Snapshot{Header,Footer} │ control records 3 and 4: at both ends of a checkpoint
//! Voters              │ control record 6: the quorum's members from here on
//! ```

use protocol::messages::leader_change_message::{LeaderChangeMessage, Voter as ChangeVoter};
use protocol::messages::snapshot_footer_record::SnapshotFooterRecord;
use protocol::messages::snapshot_header_record::SnapshotHeaderRecord;
use protocol::{Encoder, Message};
use shard::WallMs;
use storage::batch::{BatchBuilder, BatchHeader, Codec, HEADER_LEN, MAGIC, RecordStream};

use crate::config::BATCH_BYTES_MAX;
use crate::members::{Members, NodeId};

/// The attribute bit of control batches.
const CONTROL: i16 = 1 << 5;

const LEADER_CHANGE: i16 = 2;
const SNAPSHOT_HEADER: i16 = 3;
const SNAPSHOT_FOOTER: i16 = 4;
const VOTERS: i16 = 6;

/// What a batch is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// Values of metadata records.
    Records(Vec<Vec<u8>>),
    /// A leader has begun its term.
    LeaderChange,
    /// A checkpoint begins.
    SnapshotHeader,
    /// A checkpoint ends.
    SnapshotFooter,
    /// The members are these from here on.
    Members(Members),
}

/// What is known of a batch without its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    pub base_offset: i64,
    pub next_offset: i64,
    /// The leader's term. Logs of a time before there were quorums have the epoch 0, which Raft has no term for: it is 1.
    pub term: u64,
}

/// The facts of a batch that is whole: `None` if its length, its checksum or its counts are not right.
pub(crate) fn facts_of(batch: &[u8]) -> Option<Facts> {
    let header = BatchHeader::parse(batch)?;
    let is_whole = header.size() == Some(batch.len())
        && batch.len() <= BATCH_BYTES_MAX
        && header.magic == MAGIC
        && header.is_sum_of(batch);
    let is_dense = header.record_count > 0 && header.last_offset_delta == header.record_count - 1;
    let next_offset = header.base_offset.0.checked_add(i64::from(header.record_count))?;
    let is_plain = header.attributes.codec() == Some(Codec::None) && header.base_offset.0 >= 0;
    let term = u64::try_from(header.leader_epoch.0).ok()?.max(1);
    let facts = Facts { base_offset: header.base_offset.0, next_offset, term };
    (is_whole && is_dense && is_plain).then_some(facts)
}

/// What a whole batch is about; the text says why it cannot be told.
pub(crate) fn content_of(batch: &[u8]) -> Result<Content, String> {
    let header = BatchHeader::parse(batch).ok_or("the batch has no header")?;
    let mut stream = RecordStream::new(Codec::None, &batch[HEADER_LEN..], BATCH_BYTES_MAX)
        .map_err(|fault| fault.to_string())?;
    let mut values = Vec::new();
    while let Some(record) = stream.next().map_err(|fault| fault.to_string())? {
        if header.attributes.is_control() {
            return control_content(record.key.unwrap_or_default(), record.value.unwrap_or_default());
        }
        values.push(record.value.unwrap_or_default().to_vec());
    }
    if values.len() != header.record_count as usize {
        return Err(format!("the batch says {} records and has {}", header.record_count, values.len()));
    }
    Ok(Content::Records(values))
}

fn control_content(key: &[u8], value: &[u8]) -> Result<Content, String> {
    let kind = key.get(2..4).and_then(|kind| kind.first_chunk()).map(|kind| i16::from_be_bytes(*kind));
    match kind {
        Some(LEADER_CHANGE) => Ok(Content::LeaderChange),
        Some(SNAPSHOT_HEADER) => Ok(Content::SnapshotHeader),
        Some(SNAPSHOT_FOOTER) => Ok(Content::SnapshotFooter),
        Some(VOTERS) => Members::decode(value).map(Content::Members).map_err(|error| error.to_string()),
        Some(kind) => Err(format!("control records of type {kind} are not known to this version of Ringlog")),
        None => Err("a control record has no type".to_owned()),
    }
}

/// Whether a whole batch changes the members.
pub(crate) fn is_of_members(batch: &[u8]) -> bool {
    BatchHeader::parse(batch).is_some_and(|header| header.attributes.is_control())
        && matches!(content_of(batch), Ok(Content::Members(_)))
}

/// Metadata records, not placed yet.
pub(crate) fn of_records(values: &[Vec<u8>], now: WallMs) -> Vec<u8> {
    let empty = BatchBuilder::new();
    values.iter().fold(empty, |batch, value| batch.record(now.0, None, Some(value))).build()
}

/// A leader's first batch, not placed yet.
pub(crate) fn of_leader_change(leader: NodeId, members: &Members, now: WallMs) -> Vec<u8> {
    let voters = members.voters().map(|voter| ChangeVoter { voter_id: voter.id.0, ..ChangeVoter::default() });
    let message = LeaderChangeMessage {
        version: 0,
        leader_id: leader.0,
        voters: voters.collect(),
        granting_voters: Vec::new(),
    };
    control(LEADER_CHANGE, &encoded(&message), now)
}

/// New members, not placed yet.
pub(crate) fn of_members(members: &Members, now: WallMs) -> Vec<u8> {
    control(VOTERS, &members.encode(), now)
}

/// The first batch of a checkpoint.
pub(crate) fn of_snapshot_header(now: WallMs) -> Vec<u8> {
    let record = SnapshotHeaderRecord { version: 0, last_contained_log_timestamp: now.0 };
    control(SNAPSHOT_HEADER, &encoded(&record), now)
}

/// The last batch of a checkpoint.
pub(crate) fn of_snapshot_footer(now: WallMs) -> Vec<u8> {
    control(SNAPSHOT_FOOTER, &encoded(&SnapshotFooterRecord { version: 0 }), now)
}

/// Says where a batch stands; both numbers lie outside the checksum (Q30).
pub(crate) fn place(batch: &mut [u8], base_offset: i64, term: u64) {
    let epoch = i32::try_from(term).expect("terms are leader epochs");
    batch[..8].copy_from_slice(&base_offset.to_be_bytes());
    batch[12..16].copy_from_slice(&epoch.to_be_bytes());
}

fn encoded<'a>(message: &impl Message<'a>) -> Vec<u8> {
    let mut e = Encoder::new();
    message.encode(&mut e, 0);
    e.into_vec()
}

/// A control batch of one record, whose key is a version and a type.
fn control(kind: i16, value: &[u8], now: WallMs) -> Vec<u8> {
    let key = [0, kind].map(i16::to_be_bytes).concat();
    BatchBuilder::new().attributes(CONTROL).record(now.0, Some(&key), Some(value)).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_tells_where_it_stands_and_what_it_holds() {
        let values = vec![b"a".to_vec(), b"bc".to_vec()];
        let mut batch = of_records(&values, WallMs(5));
        place(&mut batch, 40, 3);
        assert_eq!(facts_of(&batch), Some(Facts { base_offset: 40, next_offset: 42, term: 3 }));
        assert_eq!(content_of(&batch), Ok(Content::Records(values)));
    }

    #[test]
    fn a_batch_of_a_time_before_quorums_has_a_term_of_its_own() {
        let mut batch = of_records(&[b"a".to_vec()], WallMs(5));
        place(&mut batch, 0, 0);
        assert_eq!(facts_of(&batch).map(|facts| facts.term), Some(1));
    }

    #[test]
    fn a_bent_batch_is_not_whole() {
        let mut batch = of_members(&Members::default(), WallMs(5));
        place(&mut batch, 0, 1);
        assert!(facts_of(&batch).is_some() && is_of_members(&batch));
        for at in (8..12).chain(16..batch.len()) {
            let mut bent = batch.clone();
            bent[at] ^= 1;
            assert_eq!(facts_of(&bent), None, "bent at {at}");
        }
        for len in 0..batch.len() {
            assert_eq!(facts_of(&batch[..len]), None, "cut at {len}");
        }
    }

    #[test]
    fn control_batches_are_told_apart() {
        let members = Members::default();
        let contents = [
            (of_leader_change(NodeId(1), &members, WallMs(1)), Content::LeaderChange),
            (of_snapshot_header(WallMs(1)), Content::SnapshotHeader),
            (of_snapshot_footer(WallMs(1)), Content::SnapshotFooter),
            (of_members(&members, WallMs(1)), Content::Members(members)),
        ];
        for (batch, content) in contents {
            assert_eq!(content_of(&batch), Ok(content));
        }
        assert!(content_of(&control(99, b"", WallMs(1))).is_err());
    }
}
