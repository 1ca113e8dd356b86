//! A member of a group, in the classic protocol with eager rebalancing and the assignor `range`, which every client has.

use std::collections::BTreeMap;
use std::time::Duration;

use net::client::{Answer, Client, ClientError, Connection, CoordinatorKind, Deadline, Target};
use protocol::messages::consumer_protocol_assignment::{ConsumerProtocolAssignment, TopicPartition};
use protocol::messages::consumer_protocol_subscription::ConsumerProtocolSubscription;
use protocol::messages::heartbeat_request::HeartbeatRequest;
use protocol::messages::heartbeat_response::HeartbeatResponse;
use protocol::messages::join_group_request::{JoinGroupRequest, JoinGroupRequestProtocol};
use protocol::messages::join_group_response::JoinGroupResponse;
use protocol::messages::leave_group_request::{LeaveGroupRequest, MemberIdentity};
use protocol::messages::sync_group_request::{SyncGroupRequest, SyncGroupRequestAssignment};
use protocol::messages::sync_group_response::SyncGroupResponse;
use protocol::{DecodeError, Decoder, Encoder, ErrorCode, Message, record};

use super::assign::{Subscriber, assign_by_range};
use super::fetching::unreadable;
use super::follow::Stop;

const PROTOCOL_TYPE: &str = "consumer";
const ASSIGNOR: &str = "range";
/// Subscriptions and assignments are written in the version that every client reads.
const CONSUMER_PROTOCOL_VERSION: i16 = 0;
/// How long the coordinator waits for a heartbeat, ms.
const SESSION_TIMEOUT_MS: i32 = 45_000;
/// How long it waits for members to join again, ms.
const REBALANCE_TIMEOUT_MS: i32 = 60_000;
/// A rebalance waits for the slowest member, whatever it asked for; Java's ask for five minutes.
const REBALANCE_MAX: Duration = Duration::from_secs(600);
/// How often signals are looked at meanwhile.
const TICK: Duration = Duration::from_millis(100);

/// Partitions by topic.
pub type Assignment = BTreeMap<String, Vec<i32>>;

/// A member, joined or to be.
pub struct Member {
    group: String,
    topics: Vec<String>,
    stop: Stop,
    pub member_id: String,
    pub generation: i32,
}

/// What a step of joining leads to.
enum Step {
    /// This member's partitions.
    Joined(Assignment),
    /// The group changed meanwhile.
    Again,
    /// A signal came.
    Stopped,
}

impl Member {
    /// A member that has not joined.
    pub fn new(group: &str, topics: &[&str], stop: Stop) -> Member {
        Member {
            group: group.to_owned(),
            topics: topics.iter().map(|topic| (*topic).to_owned()).collect(),
            stop,
            member_id: String::new(),
            generation: -1,
        }
    }

    /// Joins, or joins again; gives this member's partitions, or nothing if a signal came first.
    pub fn join(
        &mut self,
        client: &mut Client,
        counts: &BTreeMap<String, i32>,
    ) -> Result<Option<Assignment>, ClientError> {
        let deadline = Deadline::after(REBALANCE_MAX);
        loop {
            match client.until_done(|client| self.try_join(client, counts, deadline))? {
                Step::Joined(assignment) => return Ok(Some(assignment)),
                Step::Again if deadline.left().is_some() => {}
                Step::Again => {
                    let what =
                        format!("group {} does not come to rest: its members keep joining", self.group);
                    return Err(ClientError::NoBroker { what });
                }
                Step::Stopped => return Ok(None),
            }
        }
    }

    /// Whether the member may go on; if not, it must join again.
    pub fn heartbeat(&mut self, client: &mut Client) -> Result<bool, ClientError> {
        let request = HeartbeatRequest {
            group_id: &self.group,
            generation_id: self.generation,
            member_id: &self.member_id,
            ..Default::default()
        };
        let answer = client.ask(Target::Coordinator(CoordinatorKind::Group, &self.group), &request)?;
        let response: HeartbeatResponse = client.read(&answer)?;
        match self.after(&answer, response.error_code) {
            Ok(()) => Ok(true),
            Err(None) => Ok(false),
            Err(Some(error)) => Err(error),
        }
    }

    /// Leaves, so that the others need not wait for the session to expire.
    pub fn leave(&self, client: &mut Client) -> Result<(), ClientError> {
        if self.member_id.is_empty() {
            return Ok(());
        }
        let members = vec![MemberIdentity {
            member_id: &self.member_id,
            reason: Some("the command ended"),
            ..Default::default()
        }];
        let request = LeaveGroupRequest {
            group_id: &self.group,
            member_id: &self.member_id,
            members,
            ..Default::default()
        };
        client.ask(Target::Coordinator(CoordinatorKind::Group, &self.group), &request).map(drop)
    }

    /// Whether an error of a commit only says that the group has moved on.
    pub fn is_overtaken(error: &ClientError) -> bool {
        matches!(
            error.code(),
            Some(ErrorCode::RebalanceInProgress | ErrorCode::IllegalGeneration | ErrorCode::UnknownMemberId)
        )
    }

    fn try_join(
        &mut self,
        client: &mut Client,
        counts: &BTreeMap<String, i32>,
        deadline: Deadline,
    ) -> Result<Step, ClientError> {
        let coordinator = client.coordinator(CoordinatorKind::Group, &self.group)?;
        let mut connection = client.own_connection(coordinator)?;
        let topics = self.topics.iter().map(String::as_str).collect();
        let metadata = value_of(&ConsumerProtocolSubscription { topics, ..Default::default() });
        let protocol = JoinGroupRequestProtocol { name: ASSIGNOR, metadata: &metadata, ..Default::default() };
        let request = JoinGroupRequest {
            group_id: &self.group,
            session_timeout_ms: SESSION_TIMEOUT_MS,
            rebalance_timeout_ms: REBALANCE_TIMEOUT_MS,
            member_id: &self.member_id,
            protocol_type: PROTOCOL_TYPE,
            protocols: vec![protocol],
            ..Default::default()
        };
        connection.send(&request, i16::MAX, deadline)?;
        let Some(answer) = self.receive(&mut connection, deadline)? else { return Ok(Step::Stopped) };
        let response: JoinGroupResponse<'_> = client.read(&answer)?;
        if response.error_code == ErrorCode::MemberIdRequired.code() {
            self.member_id = response.member_id.to_owned();
            return Ok(Step::Again);
        }
        match self.after(&answer, response.error_code) {
            Err(None) => return Ok(Step::Again),
            Err(Some(error)) => return Err(error),
            Ok(()) => {}
        }
        self.member_id = response.member_id.to_owned();
        self.generation = response.generation_id;
        let is_leader = response.leader == self.member_id && !response.skip_assignment;
        let plan = match is_leader {
            true => plan_of(&response, counts).map_err(|fault| unreadable(&answer, fault))?,
            false => Vec::new(),
        };
        self.sync(&mut connection, client, response.protocol_name, &plan, deadline)
    }

    fn sync(
        &mut self,
        connection: &mut Connection,
        client: &mut Client,
        protocol: Option<&str>,
        plan: &[(String, Vec<u8>)],
        deadline: Deadline,
    ) -> Result<Step, ClientError> {
        let assignments = plan
            .iter()
            .map(|(member_id, assignment)| SyncGroupRequestAssignment {
                member_id,
                assignment,
                ..Default::default()
            })
            .collect();
        let request = SyncGroupRequest {
            group_id: &self.group,
            generation_id: self.generation,
            member_id: &self.member_id,
            protocol_type: Some(PROTOCOL_TYPE),
            protocol_name: Some(protocol.unwrap_or(ASSIGNOR)),
            assignments,
            ..Default::default()
        };
        connection.send(&request, i16::MAX, deadline)?;
        let Some(answer) = self.receive(connection, deadline)? else { return Ok(Step::Stopped) };
        let response: SyncGroupResponse<'_> = client.read(&answer)?;
        match self.after(&answer, response.error_code) {
            Err(None) => Ok(Step::Again),
            Err(Some(error)) => Err(error),
            Ok(()) => {
                let mine = assignment_of(response.assignment).map_err(|fault| unreadable(&answer, fault))?;
                Ok(Step::Joined(mine))
            }
        }
    }

    /// Waits for an answer that may take as long as the slowest member; nothing if a signal comes first.
    fn receive(
        &self,
        connection: &mut Connection,
        deadline: Deadline,
    ) -> Result<Option<Answer>, ClientError> {
        loop {
            match connection.receive(Deadline::after(TICK)) {
                Err(ClientError::TimedOut { .. }) if self.stop.is_asked() => return Ok(None),
                Err(ClientError::TimedOut { .. }) if deadline.left().is_some() => {}
                answer => return answer.map(Some),
            }
        }
    }

    /// What an answer's error means for the member: nothing, joining again (`None`), or the end.
    fn after(&mut self, answer: &Answer, code: i16) -> Result<(), Option<ClientError>> {
        let error = match answer.check(&format!("group {}", self.group), code, None) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        if Member::is_overtaken(&error) {
            if error.code() == Some(ErrorCode::UnknownMemberId) {
                self.member_id.clear();
            }
            return Err(None);
        }
        Err(Some(error))
    }
}

/// Every member's assignment, ready to send.
fn plan_of(
    response: &JoinGroupResponse<'_>,
    counts: &BTreeMap<String, i32>,
) -> Result<Vec<(String, Vec<u8>)>, DecodeError> {
    let mut subscribers = Vec::new();
    for member in &response.members {
        let subscription: ConsumerProtocolSubscription<'_> =
            record::decode_value(&mut Decoder::new(member.metadata))?;
        let topics = subscription.topics.iter().map(|topic| (*topic).to_owned()).collect();
        subscribers.push(Subscriber { member_id: member.member_id.to_owned(), topics });
    }
    let assigned = assign_by_range(&subscribers, counts);
    Ok(assigned.into_iter().map(|(member_id, assignment)| (member_id, wire_of(&assignment))).collect())
}

fn wire_of(assignment: &Assignment) -> Vec<u8> {
    let assigned = assignment.iter().map(|(topic, partitions)| TopicPartition {
        topic,
        partitions: partitions.clone(),
        ..Default::default()
    });
    value_of(&ConsumerProtocolAssignment { assigned_partitions: assigned.collect(), ..Default::default() })
}

fn value_of<'a, M: Message<'a>>(message: &M) -> Vec<u8> {
    let mut e = Encoder::new();
    record::encode_value(&mut e, message, CONSUMER_PROTOCOL_VERSION);
    e.into_vec()
}

/// What an assignment says; empty bytes are no partitions.
pub fn assignment_of(bytes: &[u8]) -> Result<Assignment, DecodeError> {
    if bytes.is_empty() {
        return Ok(Assignment::new());
    }
    let assignment: ConsumerProtocolAssignment<'_> = record::decode_value(&mut Decoder::new(bytes))?;
    let assigned = assignment.assigned_partitions.into_iter();
    Ok(assigned.map(|it| (it.topic.to_owned(), it.partitions)).collect())
}
