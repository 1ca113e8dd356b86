//! Fetching ahead: one thread a leader asks for the next records while those before are printed.
//!
//! A thread looks at the heads of batches only, to know where to go on. It ends when all of its spans are read, when a
//! broker says no, or soon after nobody listens any more.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use net::client::{Answer, Client, ClientError, Connection, Deadline, WantedTopics};
use protocol::Uuid;
use protocol::messages::fetch_request::{FetchPartition, FetchRequest, FetchTopic};
use protocol::messages::fetch_response::FetchResponse;

use crate::cli::batches::Batches;
use crate::cli::offsets::Isolation;

/// Answers that wait to be printed.
const AHEAD_MAX: usize = 3;
/// How long a broker waits for records, ms.
const WAIT_MS: i32 = 500;
/// A round's size, bytes; one batch may be beyond it.
const ROUND_BYTES: i32 = 8 << 20;
/// And of one partition.
const PARTITION_BYTES: i32 = 4 << 20;
/// The last version that names topics.
pub const NAMES_UP_TO: i16 = 12;

/// A partition from where to where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub topic: Arc<str>,
    /// Zero where the broker knows no ids.
    pub topic_id: Uuid,
    pub partition: i32,
    /// The next offset to read.
    pub next: i64,
    /// The first offset not to read, if there is an end.
    pub stop: Option<i64>,
}

impl Span {
    /// A span that begins at 0 and has no end.
    pub fn new(topic: &str, topic_id: Uuid, partition: i32) -> Span {
        Span { topic: topic.into(), topic_id, partition, next: 0, stop: None }
    }

    /// Whether all of it was read.
    pub fn is_done(&self) -> bool {
        self.stop.is_some_and(|stop| self.next >= stop)
    }

    /// In words.
    pub fn name(&self) -> String {
        format!("partition {} of {}", self.partition, self.topic)
    }
}

/// What threads tell.
pub enum News {
    /// A broker answered.
    Fetched(Answer),
    /// It cannot go on; perhaps with another broker.
    Failed(ClientError),
}

/// The threads, and what they have fetched.
pub struct Fetching {
    news: Receiver<News>,
}

impl Fetching {
    /// Starts to fetch what is not done of `spans`, each from its leader.
    pub fn start(client: &mut Client, spans: &[Span], isolation: Isolation) -> Result<Fetching, ClientError> {
        let (sender, news) = sync_channel(AHEAD_MAX);
        for (leader, spans) in by_leader(client, spans)? {
            let connection = client.own_connection(leader)?;
            let thread =
                Thread { connection, spans, isolation, timeout: client.timeout(), sender: sender.clone() };
            thread::spawn(move || thread.run());
        }
        Ok(Fetching { news })
    }

    /// The next news; `None` if there is none within `wait`, or none to come.
    pub fn next(&self, wait: Duration) -> Option<News> {
        match self.news.recv_timeout(wait) {
            Ok(news) => Some(news),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                // All of it was read, and nobody is to wake us: the caller looks at the clock again.
                thread::sleep(wait.min(Duration::from_millis(10)));
                None
            }
        }
    }
}

fn by_leader(client: &mut Client, spans: &[Span]) -> Result<HashMap<i32, Vec<Span>>, ClientError> {
    let open: Vec<&Span> = spans.iter().filter(|span| !span.is_done()).collect();
    let mut names: Vec<&str> = open.iter().map(|span| &*span.topic).collect();
    names.dedup();
    let map = client.metadata(WantedTopics::Named(&names))?;
    let mut by_leader: HashMap<i32, Vec<Span>> = HashMap::new();
    for span in open {
        let topic = map.topic(&span.topic).filter(|topic| topic.error_code == 0);
        let topic = topic.filter(|topic| topic.id == span.topic_id);
        let topic = topic.ok_or_else(|| ClientError::Unsupported {
            what: format!("topic {} was deleted while it was read", span.topic),
        })?;
        let leader = topic.partition(span.partition).and_then(|partition| partition.leader);
        let leader = leader.ok_or_else(|| ClientError::NoBroker {
            what: format!("{} has no leader at the moment", span.name()),
        })?;
        by_leader.entry(leader).or_default().push(span.clone());
    }
    Ok(by_leader)
}

struct Thread {
    connection: Connection,
    spans: Vec<Span>,
    isolation: Isolation,
    timeout: Duration,
    sender: SyncSender<News>,
}

impl Thread {
    fn run(mut self) {
        while !self.spans.is_empty() {
            let news = match self.round() {
                Ok(answer) => News::Fetched(answer),
                Err(error) => News::Failed(error),
            };
            let is_last = matches!(news, News::Failed(_));
            if self.sender.send(news).is_err() || is_last {
                return;
            }
        }
    }

    /// Asks for the next records of every span, and moves the spans on.
    fn round(&mut self) -> Result<Answer, ClientError> {
        let deadline = Deadline::after(self.timeout + Duration::from_millis(WAIT_MS as u64));
        let request = request_of(&self.spans, self.isolation);
        let has_ids = self.spans.iter().all(|span| !span.topic_id.is_zero());
        let highest = if has_ids { i16::MAX } else { NAMES_UP_TO };
        let answer = self.connection.ask(&request, highest, deadline)?;
        drop(request);
        let response: FetchResponse<'_> = answer.decode().map_err(|fault| unreadable(&answer, fault))?;
        answer.check("", response.error_code, None)?;
        for topic in &response.responses {
            for partition in &topic.partitions {
                let is_it = |span: &&mut Span| {
                    is_topic(span, topic.topic, topic.topic_id) && span.partition == partition.partition_index
                };
                let Some(span) = self.spans.iter_mut().find(is_it) else { continue };
                answer.check(&span.name(), partition.error_code, None)?;
                // What is wrong with a batch is told by whoever prints it.
                let batches = Batches::of(partition.records.unwrap_or_default()).map_while(Result::ok);
                if let Some(last) = batches.last() {
                    span.next = span.next.max(last.header.last_offset().0 + 1);
                }
            }
        }
        self.spans.retain(|span| !span.is_done());
        Ok(answer)
    }
}

/// Whether an answer's topic, which has a name or an id, is that of a span.
pub fn is_topic(span: &Span, name: &str, id: Uuid) -> bool {
    if name.is_empty() { span.topic_id == id } else { *span.topic == *name }
}

/// An answer that the protocol does not have.
pub fn unreadable(answer: &Answer, fault: protocol::DecodeError) -> ClientError {
    let fault = net::client::SessionFault::Decode { key: answer.key, fault };
    ClientError::Session { broker: answer.broker.to_string(), fault }
}

fn request_of(spans: &[Span], isolation: Isolation) -> FetchRequest<'_> {
    let mut topics: Vec<FetchTopic<'_>> = Vec::new();
    for span in spans {
        let partition = FetchPartition {
            partition: span.partition,
            fetch_offset: span.next,
            partition_max_bytes: PARTITION_BYTES,
            ..Default::default()
        };
        match topics.last_mut().filter(|topic| topic.topic == &*span.topic) {
            Some(topic) => topic.partitions.push(partition),
            None => topics.push(FetchTopic {
                topic: &span.topic,
                topic_id: span.topic_id,
                partitions: vec![partition],
                ..Default::default()
            }),
        }
    }
    FetchRequest {
        max_wait_ms: WAIT_MS,
        min_bytes: 1,
        max_bytes: ROUND_BYTES,
        isolation_level: isolation as i8,
        topics,
        ..Default::default()
    }
}
