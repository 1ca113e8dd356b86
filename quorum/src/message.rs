//! What the nodes of a quorum tell each other, and the bytes of it. A private format: both ends are Ringlog's.
//!
//! ```text
//! version u8 │ cluster string │ from int32 │ to int32 │ term int64 │ kind int8 │ body
//! ```
//! Counts are checked against the bytes that are there, and a batch against its checksum; what a message says is checked in
//! `admission`. The messages are Raft's, but for two: a checkpoint goes in pieces, each of which is acknowledged.

use protocol::{DecodeError, Decoder, Encoder};
use raft::eraftpb::{Entry, Message as RaftMessage, MessageType};

use crate::batch::facts_of;
use crate::config::TERM_MAX;
use crate::error::MessageRefusal;
use crate::members::{Members, NodeId};
use crate::store::entry_of;

/// The only version.
const VERSION: i8 = 1;

/// Raft's own word for a campaign that the leader asked for.
const TRANSFER: &[u8] = b"CampaignTransfer";

/// A message, with its envelope.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    pub from: NodeId,
    pub to: NodeId,
    pub term: u64,
    pub body: Body,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Body {
    /// One of Raft's.
    Raft(RaftMessage),
    /// A part of a checkpoint.
    Piece(Piece),
    /// So much of a checkpoint is there.
    PieceTaken {
        /// Which.
        id: CheckpointId,
        /// Bytes from its beginning.
        position: u64,
    },
}

/// Which checkpoint: where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CheckpointId {
    pub index: u64,
    pub term: u64,
    pub offset: i64,
}

/// A part of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub id: CheckpointId,
    /// The members where it ends.
    pub members: Members,
    /// All of it, bytes.
    pub len: u64,
    /// Where this part begins.
    pub position: u64,
    pub bytes: Vec<u8>,
}

const PIECE: i8 = 100;
const PIECE_TAKEN: i8 = 101;

/// Each of Raft's messages that goes over the wire, with the number that it has there.
const KINDS: [(MessageType, i8); 11] = [
    (MessageType::MsgAppend, 1),
    (MessageType::MsgAppendResponse, 2),
    (MessageType::MsgRequestVote, 3),
    (MessageType::MsgRequestVoteResponse, 4),
    (MessageType::MsgRequestPreVote, 5),
    (MessageType::MsgRequestPreVoteResponse, 6),
    (MessageType::MsgHeartbeat, 7),
    (MessageType::MsgHeartbeatResponse, 8),
    (MessageType::MsgTimeoutNow, 9),
    (MessageType::MsgReadIndex, 10),
    (MessageType::MsgReadIndexResp, 11),
];

impl Message {
    /// The bytes. Appends carry batches: whoever makes the message has put them into its entries.
    pub fn encode(&self, cluster_id: &str) -> Vec<u8> {
        let mut e = Encoder::new();
        e.i8(VERSION);
        e.string(cluster_id, true);
        e.i32(self.from.0);
        e.i32(self.to.0);
        e.i64(self.term as i64);
        match &self.body {
            Body::Raft(message) => encode_raft(&mut e, message),
            Body::Piece(piece) => {
                e.i8(PIECE);
                encode_id(&mut e, piece.id);
                e.bytes(&piece.members.encode(), true);
                e.i64(piece.len as i64);
                e.i64(piece.position as i64);
                e.bytes(&piece.bytes, true);
            }
            Body::PieceTaken { id, position } => {
                e.i8(PIECE_TAKEN);
                encode_id(&mut e, *id);
                e.i64(*position as i64);
            }
        }
        e.into_vec()
    }

    /// Reads the bytes of a message that came to `me`.
    pub fn decode(bytes: &[u8], cluster_id: &str, me: NodeId) -> Result<Message, MessageRefusal> {
        let mut d = Decoder::new(bytes);
        let version = d.i8()?;
        if version != VERSION {
            return Err(MessageRefusal::UnknownVersion(version as u8));
        }
        let cluster = d.string(true)?;
        if cluster != cluster_id {
            return Err(MessageRefusal::OtherCluster(cluster.to_owned()));
        }
        let (from, to) = (NodeId(d.i32()?), NodeId(d.i32()?));
        if to != me {
            return Err(MessageRefusal::OtherNode(to));
        }
        if from.0 < 0 || from == me {
            return Err(MessageRefusal::OtherSender(from));
        }
        let term = number(&mut d)?;
        if term > TERM_MAX {
            return Err(MessageRefusal::Absurd("its term is larger than terms can be"));
        }
        let body = decode_body(&mut d, from, to, term)?;
        d.finish()?;
        Ok(Message { from, to, term, body })
    }
}

fn decode_body(d: &mut Decoder<'_>, from: NodeId, to: NodeId, term: u64) -> Result<Body, MessageRefusal> {
    let kind = d.i8()?;
    match kind {
        PIECE => Ok(Body::Piece(Piece {
            id: decode_id(d)?,
            members: Members::decode(d.bytes(true)?)?,
            len: number(d)?,
            position: number(d)?,
            bytes: d.bytes(true)?.to_vec(),
        })),
        PIECE_TAKEN => Ok(Body::PieceTaken { id: decode_id(d)?, position: number(d)? }),
        _ => {
            let (kind, _) = KINDS
                .iter()
                .find(|(_, number)| *number == kind)
                .ok_or(MessageRefusal::Absurd("it is of an unknown kind"))?;
            let mut message =
                RaftMessage { from: from.to_raft(), to: to.to_raft(), term, ..RaftMessage::default() };
            message.set_msg_type(*kind);
            decode_raft(d, message).map(Body::Raft)
        }
    }
}

fn encode_id(e: &mut Encoder, id: CheckpointId) {
    e.i64(id.index as i64);
    e.i64(id.term as i64);
    e.i64(id.offset);
}

fn decode_id(d: &mut Decoder<'_>) -> Result<CheckpointId, MessageRefusal> {
    let id = CheckpointId { index: number(d)?, term: number(d)?, offset: d.i64()? };
    let is_real = id.index > 0 && id.offset > 0 && id.term > 0 && id.term <= TERM_MAX;
    if is_real { Ok(id) } else { Err(MessageRefusal::Absurd("it names a checkpoint that cannot be")) }
}

/// A number that is not negative, as int64.
fn number(d: &mut Decoder<'_>) -> Result<u64, DecodeError> {
    let at = d.position() as u32;
    u64::try_from(d.i64()?).map_err(|_| DecodeError::NegativeLength { at })
}

fn encode_raft(e: &mut Encoder, message: &RaftMessage) {
    let kind = message.get_msg_type();
    let (_, number) = KINDS.iter().find(|(of, _)| *of == kind).expect("no other kind leaves a node");
    e.i8(*number);
    e.i64(message.index as i64);
    e.i64(message.log_term as i64);
    e.i64(message.commit as i64);
    e.i64(message.commit_term as i64);
    e.bool(message.reject);
    e.i64(message.reject_hint as i64);
    match kind {
        MessageType::MsgAppend => {
            e.length(message.entries.len(), true);
            message.entries.iter().for_each(|entry| e.bytes(&entry.data, true));
        }
        MessageType::MsgReadIndex | MessageType::MsgReadIndexResp => {
            e.bytes(message.entries.first().map_or(&[], |entry| &entry.data[..]), true);
        }
        _ => e.bytes(&message.context, true),
    }
}

fn decode_raft(d: &mut Decoder<'_>, mut message: RaftMessage) -> Result<RaftMessage, MessageRefusal> {
    message.index = number(d)?;
    message.log_term = number(d)?;
    message.commit = number(d)?;
    message.commit_term = number(d)?;
    message.reject = d.bool()?;
    message.reject_hint = number(d)?;
    match message.get_msg_type() {
        MessageType::MsgAppend => {
            let first =
                message.index.checked_add(1).ok_or(MessageRefusal::Absurd("its place is too large"))?;
            let entries = decode_batches(d, first)?;
            message.set_entries(entries.into());
        }
        MessageType::MsgReadIndex | MessageType::MsgReadIndexResp => {
            let entry = Entry { data: d.bytes(true)?.to_vec().into(), ..Entry::default() };
            message.set_entries(vec![entry].into());
        }
        kind => {
            let context = d.bytes(true)?;
            let may_have_one = match kind {
                MessageType::MsgRequestVote => context.is_empty() || context == TRANSFER,
                MessageType::MsgHeartbeat | MessageType::MsgHeartbeatResponse => context.len() <= 64,
                _ => context.is_empty(),
            };
            if !may_have_one {
                return Err(MessageRefusal::Absurd("it has a context that its kind has not"));
            }
            message.context = context.to_vec().into();
        }
    }
    // What is a request without a term to Raft is one of the node itself, and has none on the wire either.
    if message.term == 0 && message.get_msg_type() != MessageType::MsgReadIndex {
        return Err(MessageRefusal::Absurd("it has no term"));
    }
    Ok(message)
}

/// Batches of an append, each whole, their numbers counted from `first` and their offsets without a gap.
fn decode_batches(d: &mut Decoder<'_>, first: u64) -> Result<Vec<Entry>, MessageRefusal> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut next_offset = None;
    for index in (first..).take(d.required_count(true)?) {
        let batch = d.bytes(true)?;
        let facts = facts_of(batch).ok_or(MessageRefusal::Absurd("a batch in it is not whole"))?;
        if next_offset.is_some_and(|next| next != facts.base_offset) {
            return Err(MessageRefusal::Absurd("a batch in it does not follow the one before"));
        }
        next_offset = Some(facts.next_offset);
        entries.push(entry_of(index, facts.term, batch.to_vec()));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use shard::WallMs;
    use shard::random::Random;

    use super::*;
    use crate::batch;

    const ME: NodeId = NodeId(2);

    fn batch(offset: i64) -> Vec<u8> {
        let mut batch = batch::of_records(&[vec![7; 20]], WallMs(1));
        batch::place(&mut batch, offset, 3);
        batch
    }

    fn samples() -> Vec<Message> {
        let of = |body| Message { from: NodeId(1), to: ME, term: 3, body };
        let id = CheckpointId { index: 5, term: 2, offset: 80 };
        let piece = Piece { id, members: Members::default(), len: 10, position: 4, bytes: vec![1, 2] };
        let mut messages = vec![of(Body::Piece(piece)), of(Body::PieceTaken { id, position: 6 })];
        for (kind, _) in KINDS {
            let mut message = RaftMessage { from: 2, to: 3, term: 3, index: 4, ..RaftMessage::default() };
            message.set_msg_type(kind);
            match kind {
                MessageType::MsgAppend => {
                    message.set_entries(vec![entry_of(5, 3, batch(8)), entry_of(6, 3, batch(9))].into());
                }
                MessageType::MsgReadIndex | MessageType::MsgReadIndexResp => {
                    message.set_entries(vec![Entry { data: vec![9].into(), ..Entry::default() }].into());
                }
                MessageType::MsgRequestVote => message.context = TRANSFER.to_vec().into(),
                _ => {}
            }
            messages.push(of(Body::Raft(message)));
        }
        messages
    }

    #[test]
    fn messages_come_back_as_they_were_sent() {
        for message in samples() {
            assert_eq!(Message::decode(&message.encode("c"), "c", ME), Ok(message));
        }
    }

    #[test]
    fn what_is_of_another_cluster_or_for_another_node_is_refused() {
        let bytes = samples()[0].encode("c");
        assert_eq!(Message::decode(&bytes, "d", ME), Err(MessageRefusal::OtherCluster("c".into())));
        assert_eq!(Message::decode(&bytes, "c", NodeId(9)), Err(MessageRefusal::OtherNode(ME)));
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let mut random = Random::from_seed(1);
        for message in samples() {
            let bytes = message.encode("c");
            for len in 0..bytes.len() {
                assert!(Message::decode(&bytes[..len], "c", ME).is_err(), "cut at {len}");
            }
            for _ in 0..2000 {
                let mut bent = bytes.clone();
                for _ in 0..=random.below(3) {
                    let at = random.below(bent.len() as u64) as usize;
                    bent[at] = random.next_u64() as u8;
                }
                _ = Message::decode(&bent, "c", ME);
            }
        }
    }
}
