//! The records of `__transaction_state`, as owned values: Kafka's own, so that Kafka's tools can read them.

use std::collections::BTreeSet;
use std::sync::Arc;

use protocol::messages::transaction_log_key::TransactionLogKey;
use protocol::messages::transaction_log_value::{PartitionsSchema, TransactionLogValue};
use protocol::record::{decode_value, encode_key, encode_value};
use protocol::{DecodeError, Decoder, Encoder, TransactionKey};

/// The version that values are written in: Kafka 4's.
const VALUE_VERSION: i16 = 1;

/// A partition by its topic's name: a topic that is made anew takes over, as in Kafka.
pub type Partition = (Arc<str>, i32);

/// Where a transactional id stands. Kafka's numbers and words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It has begun nothing since it was initialised.
    Empty,
    /// A transaction is open.
    Ongoing,
    /// It is committed; markers are being written.
    PrepareCommit,
    /// It is aborted; markers are being written.
    PrepareAbort,
    /// The last one is committed everywhere.
    CompleteCommit,
    /// The last one is aborted everywhere.
    CompleteAbort,
    /// The id has expired.
    Dead,
    /// Kafka's memory alone knows it: the producer is being fenced.
    PrepareEpochFence,
}

impl State {
    /// All of them, by Kafka's numbers.
    pub const ALL: [State; 8] = [
        State::Empty,
        State::Ongoing,
        State::PrepareCommit,
        State::PrepareAbort,
        State::CompleteCommit,
        State::CompleteAbort,
        State::Dead,
        State::PrepareEpochFence,
    ];

    /// Kafka's word.
    pub fn name(self) -> &'static str {
        match self {
            State::Empty => "Empty",
            State::Ongoing => "Ongoing",
            State::PrepareCommit => "PrepareCommit",
            State::PrepareAbort => "PrepareAbort",
            State::CompleteCommit => "CompleteCommit",
            State::CompleteAbort => "CompleteAbort",
            State::Dead => "Dead",
            State::PrepareEpochFence => "PrepareEpochFence",
        }
    }

    /// The state of Kafka's word.
    pub fn of_name(name: &str) -> Option<State> {
        State::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// A transactional id as it is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// The producer that has it.
    pub producer_id: i64,
    /// The one before, if its epochs were used up; else -1.
    pub previous_producer_id: i64,
    /// The one that it gets when the markers are written, if epochs are used up; else -1.
    pub next_producer_id: i64,
    /// The producer's epoch.
    pub producer_epoch: i16,
    /// How long a transaction may be open.
    pub timeout_ms: i32,
    /// Where it stands.
    pub state: State,
    /// The partitions of the transaction that is open or being ended.
    pub partitions: BTreeSet<Partition>,
    /// When it changed last, calendar ms.
    pub update_ms: i64,
    /// When the transaction began, calendar ms; -1 if there was none.
    pub start_ms: i64,
    /// The version of transactions that the client speaks (KIP-890): from 2 on each transaction has an epoch of its own.
    pub version: i16,
}

/// One record: a transactional id, and what it is; nothing if it has expired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The id.
    pub id: Arc<str>,
    /// Its state, or a tombstone.
    pub saved: Option<Saved>,
}

impl Record {
    /// The record's key and value as they stand in the log.
    pub fn encode(&self) -> (Vec<u8>, Option<Vec<u8>>) {
        let mut key = Encoder::new();
        encode_key(&mut key, &TransactionLogKey { transactional_id: &self.id });
        (key.into_vec(), self.saved.as_ref().map(encode))
    }

    /// Reads a record of the log; `None` for one of a kind that means nothing here.
    pub fn decode(key: &[u8], value: Option<&[u8]>) -> Result<Option<Record>, DecodeError> {
        let Some(key) = TransactionKey::decode(&mut Decoder::new(key))? else { return Ok(None) };
        let TransactionKey::TransactionLog(TransactionLogKey { transactional_id }) = key;
        let saved = value.map(decode).transpose()?.flatten();
        Ok(Some(Record { id: transactional_id.into(), saved }))
    }
}

fn encode(saved: &Saved) -> Vec<u8> {
    let mut topics: Vec<PartitionsSchema<'_>> = Vec::new();
    for (topic, partition) in &saved.partitions {
        match topics.last_mut().filter(|last| last.topic == &**topic) {
            Some(last) => last.partition_ids.push(*partition),
            None => topics.push(PartitionsSchema { topic, partition_ids: vec![*partition] }),
        }
    }
    // Kafka has none where nothing was begun.
    let has_partitions = saved.state != State::Empty || !topics.is_empty();
    let value = TransactionLogValue {
        producer_id: saved.producer_id,
        previous_producer_id: saved.previous_producer_id,
        next_producer_id: saved.next_producer_id,
        producer_epoch: saved.producer_epoch,
        next_producer_epoch: -1,
        transaction_timeout_ms: saved.timeout_ms,
        transaction_status: saved.state as i8,
        transaction_partitions: has_partitions.then_some(topics),
        transaction_last_update_timestamp_ms: saved.update_ms,
        transaction_start_timestamp_ms: saved.start_ms,
        client_transaction_version: saved.version,
    };
    let mut e = Encoder::new();
    encode_value(&mut e, &value, VALUE_VERSION);
    e.into_vec()
}

/// `None` for a state that is no state of a live id.
fn decode(bytes: &[u8]) -> Result<Option<Saved>, DecodeError> {
    let value: TransactionLogValue<'_> = decode_value(&mut Decoder::new(bytes))?;
    let state = usize::try_from(value.transaction_status).ok().and_then(|number| State::ALL.get(number));
    let Some(&state) = state.filter(|state| !matches!(state, State::Dead | State::PrepareEpochFence)) else {
        return Ok(None);
    };
    let partitions = value.transaction_partitions.iter().flatten().flat_map(|topic| {
        let name: Arc<str> = topic.topic.into();
        topic.partition_ids.iter().map(move |&partition| (name.clone(), partition))
    });
    Ok(Some(Saved {
        producer_id: value.producer_id,
        previous_producer_id: value.previous_producer_id,
        next_producer_id: value.next_producer_id,
        producer_epoch: value.producer_epoch,
        timeout_ms: value.transaction_timeout_ms,
        state,
        partitions: partitions.collect(),
        update_ms: value.transaction_last_update_timestamp_ms,
        start_ms: value.transaction_start_timestamp_ms,
        version: value.client_transaction_version,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_back_as_written() {
        let saved = Saved {
            producer_id: 7,
            previous_producer_id: 5,
            next_producer_id: 9,
            producer_epoch: 3,
            timeout_ms: 60_000,
            state: State::PrepareCommit,
            partitions: [("a".into(), 0), ("a".into(), 2), ("b".into(), 1)].into(),
            update_ms: 12,
            start_ms: 11,
            version: 2,
        };
        for saved in [Some(saved), None] {
            let record = Record { id: "tx".into(), saved };
            let (key, value) = record.encode();
            assert_eq!(Record::decode(&key, value.as_deref()), Ok(Some(record)));
        }
        assert_eq!(Record::decode(b"\0\x07\0\0", None), Ok(None), "a kind that is not known");
    }
}
