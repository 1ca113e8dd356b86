//! What happens in a run, as clients and faults see it: the words that properties are written in.

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use protocol::ErrorCode;

use crate::picture::Picture;
use crate::topics::Place;

/// A record, by who wrote it and which of its records it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId {
    /// The writer.
    pub writer: u16,
    /// Rises in the order in which the writer sends.
    pub number: u32,
}

/// A transaction, by its producer and which of its transactions it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TxnId {
    /// The producer.
    pub writer: u16,
    /// Rises in the order in which they begin.
    pub number: u32,
}

/// What an acknowledged record survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survives {
    /// The end of the process: acks=1, or a topic with `ringlog.durability=os`.
    Process,
    /// A loss of power: acks=all.
    Power,
}

/// How a node went down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Down {
    /// It was told to stop, and did.
    Stopped,
    /// Its process was killed.
    Killed,
    /// Its machine lost power.
    PowerLost,
}

/// Which records a reader wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isolation {
    /// All that there are.
    Uncommitted,
    /// Those of committed transactions, and of none.
    Committed,
}

/// How a transaction ended, as its producer was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TxnEnd {
    /// The coordinator said that it is committed.
    Committed,
    /// The coordinator said that it is aborted.
    Aborted,
    /// The producer was fenced, or lost sight of it.
    Unknown,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A node begins to run.
    Up { node: usize, shards: u16 },
    /// A node could not be started.
    NotUp { node: usize, why: String },
    /// A node runs no more.
    Down { node: usize, how: Down },
    /// From here on nothing goes wrong any more.
    FaultsStop,
    /// Records are sent, for the first time; with sequence numbers, so that they stay in order, or without.
    Sent { place: Place, first: RecordId, count: u32, is_sequenced: bool, txn: Option<TxnId> },
    /// Records are acknowledged.
    Acked { place: Place, offset: i64, first: RecordId, count: u32, survives: Survives },
    /// A batch was refused for what its producer wrote before.
    Refused { place: Place, first: RecordId, error: ErrorCode },
    /// A producer that was replaced by a newer one of its name was acknowledged a batch.
    ZombieAcked { place: Place, txn: TxnId },
    /// A reader asks.
    FetchAsked { reader: u16 },
    /// A reader learns where a log ends.
    Ends { reader: u16, place: Place, log_start: i64, last_stable: i64, high_watermark: i64 },
    /// A reader gets a record.
    Read { reader: u16, isolation: Isolation, place: Place, offset: i64, record: RecordId },
    /// A reader begins a log from its start.
    Rewound { reader: u16, place: Place },
    /// A producer is about to ask for the end of its transaction.
    TxnEnding { txn: TxnId, commits: bool },
    /// A producer is told how its transaction ended.
    TxnEnded { txn: TxnId, end: TxnEnd },
    /// A member of the group may work on a partition from now on.
    Owned { member: Rc<str>, place: Place },
    /// A member of the group has let a partition go.
    Released { member: Rc<str>, place: Place },
    /// An offset is to be committed; the number names the attempt.
    CommitAsked { group: &'static str, place: Place, offset: i64, attempt: u32 },
    /// It is committed.
    CommitAcked { group: &'static str, attempt: u32 },
    /// It is not, and will not be.
    CommitRefused { group: &'static str, attempt: u32 },
    /// A group asks for what it has committed; the number names the question.
    CommittedAsked { group: &'static str, place: Place, question: u32 },
    /// A group is told what it has committed; -1 is nothing.
    CommittedRead { group: &'static str, place: Place, question: u32, offset: i64 },
    /// A topic was made.
    TopicMade { name: Rc<str> },
    /// A topic was deleted.
    TopicGone { name: Rc<str> },
    /// A setting of a topic was changed.
    TopicSet { name: Rc<str>, value: Rc<str> },
    /// What became of a change to a topic is not known.
    TopicUnclear { name: Rc<str> },
    /// All topics that there are.
    TopicsSeen { names: BTreeSet<Rc<str>> },
    /// What a topic's setting is.
    SettingSeen { name: Rc<str>, value: Rc<str> },
    /// A setting of a group was changed.
    GroupSet { name: Rc<str>, value: Rc<str> },
    /// What became of a change to a group is not known.
    GroupUnclear { name: Rc<str> },
    /// A node's metadata is of this version now, and so it looks.
    ImageSeen { node: usize, version: i64, digest: u64 },
    /// A node's metadata, when nothing is under way any more.
    ImageAtEnd { node: usize, picture: Rc<Picture> },
    /// What a node was told to do, and acknowledged, is not to be seen there.
    NotVisible { node: usize, name: Rc<str> },
    /// The whole of a log, read after the faults have stopped.
    Audited { place: Place, isolation: Isolation, records: Rc<Vec<(i64, RecordId)>> },
    /// A client has done something that it could not have done before the faults stopped.
    Progress { client: usize },
}

impl Event {
    /// The partition that it is about, if it is about one.
    pub fn place(&self) -> Option<Place> {
        match self {
            Event::Sent { place, .. }
            | Event::Acked { place, .. }
            | Event::Refused { place, .. }
            | Event::ZombieAcked { place, .. }
            | Event::Ends { place, .. }
            | Event::Read { place, .. }
            | Event::Rewound { place, .. }
            | Event::Owned { place, .. }
            | Event::Released { place, .. }
            | Event::CommitAsked { place, .. }
            | Event::CommittedAsked { place, .. }
            | Event::CommittedRead { place, .. }
            | Event::Audited { place, .. } => Some(*place),
            Event::Up { .. }
            | Event::NotUp { .. }
            | Event::Down { .. }
            | Event::FaultsStop
            | Event::FetchAsked { .. }
            | Event::TxnEnding { .. }
            | Event::TxnEnded { .. }
            | Event::CommitAcked { .. }
            | Event::CommitRefused { .. }
            | Event::TopicMade { .. }
            | Event::TopicGone { .. }
            | Event::TopicSet { .. }
            | Event::TopicUnclear { .. }
            | Event::TopicsSeen { .. }
            | Event::SettingSeen { .. }
            | Event::GroupSet { .. }
            | Event::GroupUnclear { .. }
            | Event::ImageSeen { .. }
            | Event::ImageAtEnd { .. }
            | Event::NotVisible { .. }
            | Event::Progress { .. } => None,
        }
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "w{}.{}", self.writer, self.number)
    }
}

impl fmt::Display for TxnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "txn {}.{}", self.writer, self.number)
    }
}

impl RecordId {
    /// Reads what [`fmt::Display`] writes; what follows a blank is padding.
    pub fn parse(value: &[u8]) -> Option<RecordId> {
        let text = std::str::from_utf8(value).ok()?.split(' ').next()?;
        let (writer, number) = text.strip_prefix('w')?.split_once('.')?;
        Some(RecordId { writer: writer.parse().ok()?, number: number.parse().ok()? })
    }

    /// The record that its writer sends `count` records later.
    pub fn plus(self, count: u32) -> RecordId {
        RecordId { number: self.number + count, ..self }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Up { node, shards } => write!(f, "node {node} starts on {shards} shards"),
            Event::NotUp { node, why } => write!(f, "node {node} cannot start: {why}"),
            Event::Down { node, how } => write!(f, "node {node} is down: {how:?}"),
            Event::FaultsStop => write!(f, "faults stop"),
            Event::Sent { place, first, count, txn: None, .. } => {
                write!(f, "sends {count} from {first} to {place}")
            }
            Event::Sent { place, first, count, txn: Some(txn), .. } => {
                write!(f, "sends {count} from {first} to {place} in {txn}")
            }
            Event::Acked { place, offset, first, count, survives } => {
                write!(f, "{count} from {first} are at {place} from {offset} on and survive {survives:?}")
            }
            Event::Refused { place, first, error } => write!(f, "{first} is refused at {place}: {error:?}"),
            Event::ZombieAcked { place, txn } => write!(f, "a zombie's batch of {txn} is taken at {place}"),
            Event::FetchAsked { reader } => write!(f, "reader {reader} asks"),
            Event::Ends { reader, place, log_start, last_stable, high_watermark } => write!(
                f,
                "reader {reader} hears that {place} is {log_start} ≤ {last_stable} (stable) ≤ {high_watermark}"
            ),
            Event::Read { reader, isolation, place, offset, record } => {
                write!(f, "reader {reader} ({isolation:?}) gets {record} at {place} {offset}")
            }
            Event::Rewound { reader, place } => write!(f, "reader {reader} begins {place} anew"),
            Event::TxnEnding { txn, commits: true } => write!(f, "wants {txn} committed"),
            Event::TxnEnding { txn, commits: false } => write!(f, "wants {txn} aborted"),
            Event::TxnEnded { txn, end } => write!(f, "{txn} has ended: {end:?}"),
            Event::Owned { member, place } => write!(f, "member {member} owns {place}"),
            Event::Released { member, place } => write!(f, "member {member} lets go of {place}"),
            Event::CommitAsked { group, place, offset, attempt } => {
                write!(f, "{group} commits {offset} of {place} (attempt {attempt})")
            }
            Event::CommitAcked { group, attempt } => write!(f, "{group}: attempt {attempt} is committed"),
            Event::CommitRefused { group, attempt } => write!(f, "{group}: attempt {attempt} is refused"),
            Event::CommittedAsked { group, place, question } => {
                write!(f, "{group} asks what it has committed of {place} (question {question})")
            }
            Event::CommittedRead { group, place, offset, question } => {
                write!(f, "{group} has committed {offset} of {place} (question {question})")
            }
            Event::TopicMade { name } => write!(f, "topic {name} is made"),
            Event::TopicGone { name } => write!(f, "topic {name} is deleted"),
            Event::TopicSet { name, value } => write!(f, "topic {name} is set to {value}"),
            Event::TopicUnclear { name } => write!(f, "nobody knows what becomes of topic {name}"),
            Event::TopicsSeen { names } => write!(f, "the topics are {}", list(names)),
            Event::SettingSeen { name, value } => write!(f, "topic {name} has {value}"),
            Event::GroupSet { name, value } => write!(f, "group {name} is set to {value}"),
            Event::GroupUnclear { name } => write!(f, "nobody knows what becomes of group {name}"),
            Event::ImageSeen { node, version, digest } => {
                write!(f, "node {node} knows the metadata up to {version}: {digest:016x}")
            }
            Event::ImageAtEnd { node, picture } => {
                let (topics, groups) = (picture.topics.len(), picture.groups.len());
                write!(
                    f,
                    "node {node} ends with {topics} topics and {groups} groups: {:016x}",
                    picture.digest
                )
            }
            Event::NotVisible { node, name } => {
                write!(f, "node {node} acknowledged topic {name}, and does not know it")
            }
            Event::Audited { place, isolation, records } => {
                write!(f, "{place} holds {} records ({isolation:?})", records.len())
            }
            Event::Progress { client } => write!(f, "client {client} goes on after the faults"),
        }
    }
}

fn list(names: &BTreeSet<Rc<str>>) -> String {
    names.iter().map(|name| &**name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_known_by_its_value() {
        let record = RecordId { writer: 3, number: 17 };
        assert_eq!(RecordId::parse(format!("{record} xxxx").as_bytes()), Some(record));
        assert_eq!(RecordId::parse(b"w3"), None);
        assert_eq!(RecordId::parse(&[0xff]), None);
    }
}
