//! One reading connection: a fetch at a time, in a session, from where it has come to.

use protocol::messages::fetch_response::FetchResponse;
use protocol::{ApiKey, Decoder, Message, decode_response_header};
use shard::{Buf, Nanos};
use storage::BatchHeader;

use super::frames::{FETCH, fetch_frame};
use crate::scenario::Scenario;

/// The code that says that an offset is not in the log: the reader of old data begins again.
const OFFSET_OUT_OF_RANGE: i16 = 1;

/// Codes that end a session: it is begun again.
const FETCH_SESSION_ID_NOT_FOUND: i16 = 70;
const INVALID_FETCH_SESSION_EPOCH: i16 = 71;

/// A reading connection.
#[derive(Debug)]
pub struct Consumer {
    /// Which set of tail readers it belongs to; none for a reader of old data.
    pub tail: Option<usize>,
    /// Partitions and the next offset of each.
    partitions: Vec<(i32, i64)>,
    /// Those whose offset the session does not know yet, by place.
    changed: Vec<usize>,
    session_id: i32,
    session_epoch: i32,
    /// When the fetch that is under way was sent.
    pub sent: Nanos,
}

/// What a fetch brought.
#[derive(Debug, Default)]
pub struct Fetched {
    /// Records in whole batches.
    pub records: u64,
    /// Bytes of these batches.
    pub bytes: u64,
    /// Partitions and the offset after their last whole batch.
    pub next: Vec<(i32, i64)>,
    /// Errors by Kafka's code.
    pub errors: Vec<i16>,
}

impl Consumer {
    /// A reader of these partitions, each from an offset on.
    pub fn new(tail: Option<usize>, partitions: Vec<(i32, i64)>) -> Consumer {
        let changed = (0..partitions.len()).collect();
        Consumer { tail, partitions, changed, session_id: 0, session_epoch: 0, sent: Nanos(0) }
    }

    /// The next fetch.
    pub fn next_request(&mut self, scenario: &Scenario, topic: &str, now: Nanos) -> Buf {
        self.sent = now;
        let named = std::mem::take(&mut self.changed);
        let named = named.iter().map(|place| self.partitions[*place]);
        fetch_frame(scenario, topic, (self.session_id, self.session_epoch), named)
    }

    /// A reply; an error if it cannot be read.
    pub fn on_reply(&mut self, reply: &[u8]) -> Result<Fetched, String> {
        let mut d = Decoder::new(reply);
        decode_response_header(&mut d, ApiKey::Fetch, FETCH).map_err(|error| error.to_string())?;
        let response = FetchResponse::decode(&mut d, FETCH).map_err(|error| error.to_string())?;
        let mut fetched = Fetched::default();
        if response.error_code != 0 {
            if ![FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH].contains(&response.error_code) {
                fetched.errors.push(response.error_code);
            }
            self.begin_session_again();
            return Ok(fetched);
        }
        for partition in response.responses.iter().flat_map(|topic| &topic.partitions) {
            let place = self.partitions.iter().position(|(number, _)| *number == partition.partition_index);
            let place = place.ok_or("a partition that was not asked for")?;
            let before = self.partitions[place].1;
            let mut next = before;
            for header in batches(partition.records.unwrap_or(&[])) {
                fetched.records += u64::try_from(header.record_count).unwrap_or(0);
                fetched.bytes += header.size().unwrap_or(0) as u64;
                next = header.last_offset().0 + 1;
            }
            if next != before {
                fetched.next.push((partition.partition_index, next));
            }
            let is_behind = partition.error_code == OFFSET_OUT_OF_RANGE || next >= partition.high_watermark;
            if self.tail.is_none() && is_behind {
                next = partition.log_start_offset.max(0);
            } else if partition.error_code != 0 {
                fetched.errors.push(partition.error_code);
            }
            if next != before {
                self.partitions[place].1 = next;
                self.changed.push(place);
            }
        }
        if response.session_id == 0 {
            self.begin_session_again();
        } else {
            self.session_id = response.session_id;
            self.session_epoch = if self.session_epoch == i32::MAX { 1 } else { self.session_epoch + 1 };
        }
        Ok(fetched)
    }

    fn begin_session_again(&mut self) {
        (self.session_id, self.session_epoch) = (0, 0);
        self.changed = (0..self.partitions.len()).collect();
    }
}

/// The headers of whole batches, in order; a cut one at the end is left out.
fn batches(mut records: &[u8]) -> impl Iterator<Item = BatchHeader> {
    std::iter::from_fn(move || {
        let header = BatchHeader::parse(records)?;
        let size = header.size().filter(|size| *size <= records.len())?;
        records = &records[size..];
        Some(header)
    })
}

#[cfg(test)]
mod tests {
    use protocol::encode_response;
    use protocol::messages::fetch_response::{FetchableTopicResponse, PartitionData};
    use storage::batch::BatchBuilder;

    use super::*;

    fn batch_at(base: i64, count: usize) -> Vec<u8> {
        let builder = (0..count).fold(BatchBuilder::new(), |batch, _| batch.record(0, None, Some(b"v")));
        let mut batch = builder.build();
        batch[..8].copy_from_slice(&base.to_be_bytes());
        batch
    }

    fn reply(session_id: i32, high_watermark: i64, records: &[u8]) -> Vec<u8> {
        let partition = PartitionData { high_watermark, records: Some(records), ..Default::default() };
        let topic = FetchableTopicResponse { partitions: vec![partition], ..Default::default() };
        let response = FetchResponse { session_id, responses: vec![topic], ..Default::default() };
        encode_response(ApiKey::Fetch, FETCH, 0, &response)[4..].to_vec()
    }

    #[test]
    fn a_tail_reader_goes_on_after_the_last_whole_batch() {
        let mut consumer = Consumer::new(Some(0), vec![(0, 10)]);
        let mut records = [batch_at(10, 3), batch_at(13, 2)].concat();
        records.extend_from_slice(&batch_at(15, 1)[..40]);
        let fetched = consumer.on_reply(&reply(9, 16, &records)).unwrap();
        assert_eq!((fetched.records, fetched.next), (5, vec![(0, 15)]));
        assert_eq!((consumer.partitions[0], consumer.session_id, consumer.session_epoch), ((0, 15), 9, 1));
    }

    #[test]
    fn a_reader_of_old_data_begins_again_at_the_end() {
        let mut consumer = Consumer::new(None, vec![(0, 0)]);
        let fetched = consumer.on_reply(&reply(9, 3, &batch_at(0, 3))).unwrap();
        assert_eq!((fetched.records, consumer.partitions[0]), (3, (0, 0)));
    }

    #[test]
    fn what_is_no_fetch_response_is_said_to_be_none() {
        let mut consumer = Consumer::new(Some(0), vec![(0, 0)]);
        assert!(consumer.on_reply(b"nonsense").is_err());
    }
}
