//! Sends batches to their leaders, several under way to each, and knows which arrived.
//!
//! With acks=all the sender is idempotent: batches have sequence numbers, so that what is sent again after a broken
//! connection or a moved leader is written once. Without, a connection that breaks ends the command: nobody knows what of
//! the batches under way was written.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::thread;
use std::time::Duration;

use net::client::{Client, ClientError, Connection, Deadline, Target, TopicMap};
use protocol::messages::init_producer_id_request::InitProducerIdRequest;
use protocol::messages::init_producer_id_response::InitProducerIdResponse;
use protocol::messages::produce_request::{PartitionProduceData, ProduceRequest, TopicProduceData};
use protocol::messages::produce_response::{PartitionProduceResponse, ProduceResponse};
use protocol::{ErrorCode, Uuid};
use storage::{ProducerEpoch, ProducerId, Sequence};

use super::Acks;
use super::batching::OpenBatch;
use crate::cli::failure::{Failure, tell};
use crate::cli::topic::find_topics;

/// Requests under way to a leader; an idempotent producer may have no more.
const IN_FLIGHT_MAX: usize = 5;
/// The last version of Produce that names topics.
const NAMES_UP_TO: i16 = 12;

/// Before something is sent again.
const PAUSE: Duration = Duration::from_millis(100);

/// What arrived.
#[derive(Debug, Clone, Default)]
pub struct Sent {
    pub partitions: BTreeMap<i32, SentPartition>,
}

/// What arrived in a partition.
#[derive(Debug, Clone, Default)]
pub struct SentPartition {
    pub records: u64,
    pub first_offset: Option<i64>,
    pub last_offset: Option<i64>,
}

/// A batch as it goes over the wire.
struct Pending {
    partition: i32,
    lines: Vec<u64>,
    bytes: Vec<u8>,
}

/// A connection to a leader, and what is under way on it.
struct Lane {
    connection: Connection,
    in_flight: VecDeque<Pending>,
}

/// An idempotent producer, and the next sequence number of each partition.
struct Producer {
    id: ProducerId,
    epoch: ProducerEpoch,
    next: HashMap<i32, Sequence>,
}

/// Sends to one topic.
pub struct Sender<'a> {
    client: &'a mut Client,
    topic: TopicMap,
    acks: Acks,
    producer: Option<Producer>,
    lanes: BTreeMap<i32, Lane>,
    sent: Sent,
    sent_bytes: u64,
}

/// What an answer says about a batch.
enum Outcome {
    Written {
        base_offset: i64,
    },
    /// To be sent again, for this reason.
    Again(ClientError),
    Refused(Failure),
}

impl<'a> Sender<'a> {
    /// A sender to a topic; with acks=all it gets a producer id first.
    pub fn new(client: &'a mut Client, topic: TopicMap, acks: Acks) -> Result<Sender<'a>, Failure> {
        let producer = match acks {
            Acks::All => Some(client.until_done(new_producer)?),
            Acks::Leader | Acks::Nobody => None,
        };
        Ok(Sender {
            client,
            topic,
            acks,
            producer,
            lanes: BTreeMap::new(),
            sent: Sent::default(),
            sent_bytes: 0,
        })
    }

    /// Sends a batch, having waited for room if too many are under way.
    pub fn send(&mut self, batch: OpenBatch) -> Result<(), Failure> {
        let pending = self.seal(batch);
        let again = match self.push(pending) {
            Ok(()) => return Ok(()),
            Err(again) => again,
        };
        self.recover(again)
    }

    /// Waits until everything has arrived.
    pub fn drain(&mut self) -> Result<(), Failure> {
        let leaders: Vec<i32> = self.lanes.keys().copied().collect();
        for leader in leaders {
            while self.lanes.get(&leader).is_some_and(|lane| !lane.in_flight.is_empty()) {
                if let Err(again) = self.receive(leader) {
                    self.recover(again)?;
                }
            }
        }
        Ok(())
    }

    /// After a failure: takes the answers that still come, so that what arrived is counted.
    pub fn settle(&mut self) {
        let leaders: Vec<i32> = self.lanes.keys().copied().collect();
        for leader in leaders {
            while self.lanes.get(&leader).is_some_and(|lane| !lane.in_flight.is_empty()) {
                if self.receive(leader).is_err() {
                    break;
                }
            }
        }
    }

    /// What arrived so far, by partition.
    pub fn sent(&self) -> Sent {
        self.sent.clone()
    }

    /// Records and bytes that arrived so far.
    pub fn so_far(&self) -> (u64, u64) {
        (self.sent.partitions.values().map(|it| it.records).sum(), self.sent_bytes)
    }

    /// Makes the batch's bytes, with the next sequence numbers of its partition.
    fn seal(&mut self, batch: OpenBatch) -> Pending {
        let OpenBatch { partition, mut builder, lines, .. } = batch;
        if let Some(producer) = &mut self.producer {
            let sequence = producer.next.entry(partition).or_insert(Sequence(0));
            builder = builder.producer(producer.id, producer.epoch, *sequence);
            *sequence = sequence.plus(lines.len() as i32);
        }
        Pending { partition, lines, bytes: builder.build() }
    }

    /// Puts a batch on its way. What cannot be sent comes back with the reason.
    fn push(&mut self, pending: Pending) -> Result<(), Again> {
        let leader = match self.lane_of(pending.partition) {
            Ok(leader) => leader,
            Err(why) => return Err(Again { why: why.into(), batches: vec![pending] }),
        };
        while self.lanes[&leader].in_flight.len() >= IN_FLIGHT_MAX {
            if let Err(mut again) = self.receive(leader) {
                again.batches.push(pending);
                return Err(again);
            }
        }
        let deadline = Deadline::after(self.client.timeout());
        let request = request_of(&self.topic, &pending, self.acks, deadline);
        let highest = if self.topic.id == Uuid::ZERO { NAMES_UP_TO } else { i16::MAX };
        let lane = self.lanes.get_mut(&leader).expect("the lane was found");
        let pushed = match self.acks {
            Acks::Nobody => lane.connection.tell(&request, highest, deadline),
            Acks::All | Acks::Leader => lane.connection.send(&request, highest, deadline),
        };
        match (pushed, self.acks) {
            (Ok(()), Acks::Nobody) => self.on_written(&pending, None),
            (Ok(()), _) => lane.in_flight.push_back(pending),
            (Err(error), _) => {
                let mut again = self.give_up(leader, error.into());
                again.batches.push(pending);
                return Err(again);
            }
        }
        Ok(())
    }

    /// Takes the oldest answer of a lane. If that batch must be sent again, so must those after it.
    fn receive(&mut self, leader: i32) -> Result<(), Again> {
        let deadline = Deadline::after(self.client.timeout());
        let lane = self.lanes.get_mut(&leader).expect("only lanes with batches are asked");
        let received = lane.connection.receive(deadline);
        let outcome = match &received {
            Ok(answer) => match answer.decode::<ProduceResponse<'_>>() {
                Ok(response) => {
                    let pending = lane.in_flight.front().expect("an answer has its batch");
                    outcome_of(answer, &response, pending)
                }
                Err(fault) => Outcome::Refused(crate::cli::consume::unreadable(answer, fault).into()),
            },
            Err(error) => return Err(self.give_up(leader, error.clone().into())),
        };
        match outcome {
            Outcome::Written { base_offset } => {
                let pending = lane.in_flight.pop_front().expect("an answer has its batch");
                self.on_written(&pending, Some(base_offset));
                Ok(())
            }
            Outcome::Again(error) => Err(self.rest_of(leader, Reason::MayPass(error))),
            Outcome::Refused(failure) => Err(self.rest_of(leader, Reason::Final(failure))),
        }
    }

    /// After a refusal: takes the answers of the batches behind it, for some may have arrived.
    fn rest_of(&mut self, leader: i32, why: Reason) -> Again {
        let lane = self.lanes.get_mut(&leader).expect("the lane was just asked");
        let mut batches: Vec<Pending> = lane.in_flight.pop_front().into_iter().collect();
        let deadline = Deadline::after(self.client.timeout());
        while let Some(lane) = self.lanes.get_mut(&leader).filter(|lane| !lane.in_flight.is_empty()) {
            let Ok(answer) = lane.connection.receive(deadline) else { break };
            let pending = lane.in_flight.pop_front().expect("an answer has its batch");
            let response = answer.decode::<ProduceResponse<'_>>();
            match response.map(|response| outcome_of(&answer, &response, &pending)) {
                Ok(Outcome::Written { base_offset }) => self.on_written(&pending, Some(base_offset)),
                // Behind a batch that is missing the numbers do not fit; they will when it was sent again.
                Ok(Outcome::Again(_) | Outcome::Refused(_)) | Err(_) => batches.push(pending),
            }
        }
        let mut again = self.give_up_lane(leader);
        batches.append(&mut again);
        Again { why, batches }
    }

    /// A lane is of no more use: all that is under way on it must be sent again.
    fn give_up(&mut self, leader: i32, why: Reason) -> Again {
        Again { why, batches: self.give_up_lane(leader) }
    }

    fn give_up_lane(&mut self, leader: i32) -> Vec<Pending> {
        self.lanes.remove(&leader).map_or(Vec::new(), |lane| lane.in_flight.into())
    }

    /// Sends again what did not arrive, until the timeout is over.
    fn recover(&mut self, again: Again) -> Result<(), Failure> {
        let deadline = Deadline::after(self.client.timeout());
        let Again { mut why, batches } = again;
        let mut queue: VecDeque<Pending> = batches.into();
        loop {
            let error = match why {
                Reason::Final(failure) => return Err(failure),
                Reason::MayPass(error) => error,
            };
            let is_safe = self.producer.is_some() || matches!(error, ClientError::Refused(_));
            if !is_safe || deadline.left().is_none() {
                return Err(given_up(&error, &queue, is_safe));
            }
            tell(&format!("{error}; sending again"));
            let name = self.topic.name.clone();
            thread::sleep(PAUSE);
            self.topic = find_topics(self.client, &[&name])?.remove(0);
            why = loop {
                let Some(pending) = queue.pop_front() else { return Ok(()) };
                if let Err(mut again) = self.push(pending) {
                    // In the order of their numbers: what was under way comes before what was not.
                    again.batches.extend(queue);
                    queue = again.batches.into();
                    break again.why;
                }
            };
        }
    }

    /// The leader of a partition, with a lane to it.
    fn lane_of(&mut self, partition: i32) -> Result<i32, ClientError> {
        let leader = self.topic.partition(partition).and_then(|partition| partition.leader);
        let leader = leader.ok_or_else(|| ClientError::NoBroker {
            what: format!("partition {partition} of topic {} has no leader at the moment", self.topic.name),
        })?;
        if !self.lanes.contains_key(&leader) {
            let connection = self.client.own_connection(leader)?;
            self.lanes.insert(leader, Lane { connection, in_flight: VecDeque::new() });
        }
        Ok(leader)
    }

    fn on_written(&mut self, pending: &Pending, base_offset: Option<i64>) {
        let base_offset = base_offset.filter(|offset| *offset >= 0);
        let partition = self.sent.partitions.entry(pending.partition).or_default();
        let count = pending.lines.len();
        partition.records += count as u64;
        partition.first_offset = partition.first_offset.or(base_offset);
        partition.last_offset = base_offset.map(|base| base + count as i64 - 1).or(partition.last_offset);
        self.sent_bytes += pending.bytes.len() as u64;
    }
}

/// What must be sent again, in order, and why.
struct Again {
    why: Reason,
    batches: Vec<Pending>,
}

enum Reason {
    MayPass(ClientError),
    Final(Failure),
}

impl From<ClientError> for Reason {
    fn from(error: ClientError) -> Reason {
        if error.may_pass() || matches!(error, ClientError::TimedOut { .. }) {
            Reason::MayPass(error)
        } else {
            Reason::Final(error.into())
        }
    }
}

fn given_up(error: &ClientError, queue: &VecDeque<Pending>, is_safe: bool) -> Failure {
    let lines = queue.iter().flat_map(|pending| pending.lines.iter().copied());
    let first = lines.min().unwrap_or(0);
    let hint =
        if is_safe { "" } else { " (it may have been written nevertheless; --acks all sends again safely)" };
    Failure::Refused(format!("from line {first} on not everything was acknowledged: {error}{hint}"))
}

fn new_producer(client: &mut Client) -> Result<Producer, ClientError> {
    let request = InitProducerIdRequest {
        transactional_id: None,
        transaction_timeout_ms: 60_000,
        ..Default::default()
    };
    let answer = client.ask(Target::Any, &request)?;
    let response: InitProducerIdResponse = client.read(&answer)?;
    answer.check("", response.error_code, None)?;
    let (id, epoch) = (ProducerId(response.producer_id), ProducerEpoch(response.producer_epoch));
    Ok(Producer { id, epoch, next: HashMap::new() })
}

fn request_of<'a>(
    topic: &'a TopicMap,
    pending: &'a Pending,
    acks: Acks,
    deadline: Deadline,
) -> ProduceRequest<'a> {
    let partition = PartitionProduceData {
        index: pending.partition,
        records: Some(&pending.bytes),
        ..Default::default()
    };
    let data = TopicProduceData {
        name: &topic.name,
        topic_id: topic.id,
        partition_data: vec![partition],
        ..Default::default()
    };
    let acks = match acks {
        Acks::All => -1,
        Acks::Leader => 1,
        Acks::Nobody => 0,
    };
    let timeout_ms = deadline.had().as_millis() as i32;
    ProduceRequest { transactional_id: None, acks, timeout_ms, topic_data: vec![data], ..Default::default() }
}

fn outcome_of(answer: &net::client::Answer, response: &ProduceResponse<'_>, pending: &Pending) -> Outcome {
    let found = response.responses.iter().flat_map(|topic| &topic.partition_responses);
    let found = found.into_iter().find(|it| it.index == pending.partition);
    let Some(found) = found else {
        return Outcome::Refused(Failure::Refused(
            "the broker answered Produce without the partition".to_owned(),
        ));
    };
    match ErrorCode::from_code(found.error_code) {
        Some(ErrorCode::None) => Outcome::Written { base_offset: found.base_offset },
        // It arrived the first time; where it lies the broker has forgotten.
        Some(ErrorCode::DuplicateSequenceNumber) => Outcome::Written { base_offset: -1 },
        _ => match answer.check(&lines_of(found, pending), found.error_code, message_of(found)) {
            Err(error) if error.may_pass() => Outcome::Again(error),
            Err(error) => Outcome::Refused(error.into()),
            Ok(()) => Outcome::Written { base_offset: found.base_offset },
        },
    }
}

/// What the broker says: about the first record that it names, or about all.
fn message_of<'a>(found: &PartitionProduceResponse<'a>) -> Option<&'a str> {
    found.record_errors.iter().find_map(|error| error.batch_index_error_message).or(found.error_message)
}

/// The lines that an answer is about.
fn lines_of(found: &PartitionProduceResponse<'_>, pending: &Pending) -> String {
    let line = |index: i32| usize::try_from(index).ok().and_then(|index| pending.lines.get(index)).copied();
    let named: Vec<u64> = found.record_errors.iter().filter_map(|error| line(error.batch_index)).collect();
    let lines = if named.is_empty() { &pending.lines } else { &named };
    match (lines.first(), lines.last()) {
        (Some(first), Some(last)) if first == last => format!("line {first}"),
        (Some(first), Some(last)) => {
            format!("lines {first} to {last}, those for partition {}", pending.partition)
        }
        _ => format!("partition {}", pending.partition),
    }
}
