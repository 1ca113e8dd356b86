//! One connection to a peer: its state, what waits for it, what was asked on it.
//!
//! ```text
//!   Idle ──needed──► Resolving ──► Connecting ──► Greeting ──► Up
//!     ▲                  │              │             │         │
//!     └── Resting ◄──────┴──────────────┴─────────────┴─────────┘   failed, lost, or too slow
//! ```

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use shard::{Buf, Nanos, Op, Pool, SocketId};

use super::fault::PeerFault;
use super::question::{PeerAnswer, Question, QuestionId};
use super::{AskRefusal, PeerEvent, PeerId, PeerLimits};
use crate::client::{Address, Hello, Session, SessionFault, Versions};
use crate::frame::FrameReader;

/// A send takes about this many bytes at most.
const SEND_BYTES_MAX: usize = 4 << 20;

/// A peer that takes nothing for so long has lost its connection: it is gone, or as good as that.
const STUCK_MAX: Duration = Duration::from_secs(10);

/// One connection, or the lack of it.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) id: PeerId,
    address: Address,
    /// Addresses of the host that were not tried yet.
    pub(super) addresses: VecDeque<SocketAddr>,
    /// Tells what is under way from what was given up.
    pub(super) generation: u32,
    pub(super) socket: Option<SocketId>,
    pub(super) is_sending: bool,
    state: State,
    reader: FrameReader,
    answer_bytes_max: usize,
    versions: Option<Versions>,
    /// What is still to be said of the greeting.
    greeting: Option<Vec<u8>>,
    waiting: VecDeque<(QuestionId, Question)>,
    asked: VecDeque<Asked>,
    /// Bytes of the questions that wait, for the connection or for their answers.
    question_bytes: usize,
    correlation_id: i32,
    /// Failures since an answer came.
    failures: u32,
    fault: Option<PeerFault>,
    has_moved: bool,
}

#[derive(Debug)]
enum State {
    Idle,
    Resting { until: Nanos },
    Resolving { until: Nanos },
    Connecting { until: Nanos },
    Greeting { until: Nanos, session: Box<Session> },
    Up,
}

#[derive(Debug)]
struct Asked {
    id: QuestionId,
    key: i16,
    version: i16,
    correlation_id: i32,
    until: Nanos,
    bytes: usize,
}

/// What is to be done about a link.
#[derive(Debug)]
pub(super) enum Step {
    None,
    /// Begin to connect.
    Begin,
    /// End it.
    Fail(PeerFault),
}

impl Link {
    pub(super) fn new(id: PeerId, address: Address, answer_bytes_max: usize) -> Link {
        Link {
            id,
            address,
            addresses: VecDeque::new(),
            generation: 0,
            socket: None,
            is_sending: false,
            state: State::Idle,
            reader: FrameReader::new(answer_bytes_max),
            answer_bytes_max,
            versions: None,
            greeting: None,
            waiting: VecDeque::new(),
            asked: VecDeque::new(),
            question_bytes: 0,
            correlation_id: 0,
            failures: 0,
            fault: None,
            has_moved: false,
        }
    }

    pub(super) fn set_address(&mut self, address: Address) {
        self.has_moved |= self.address != address;
        self.address = address;
    }

    pub(super) fn is_up(&self) -> bool {
        matches!(self.state, State::Up)
    }

    pub(super) fn versions(&self) -> Option<&Versions> {
        self.versions.as_ref()
    }

    pub(super) fn ask(
        &mut self,
        id: QuestionId,
        question: Question,
        limits: &PeerLimits,
    ) -> Result<(), AskRefusal> {
        let is_first = self.waiting.is_empty() && self.asked.is_empty();
        let bytes = self.question_bytes + question.frame.len();
        let is_full = self.waiting.len() + self.asked.len() >= limits.questions_max;
        // One question may be larger than all may be: it would never be asked else.
        if is_full || (bytes > limits.question_bytes_max && !is_first) {
            return Err(AskRefusal::Full);
        }
        self.question_bytes = bytes;
        self.waiting.push_back((id, question));
        Ok(())
    }

    /// When something is to be done though nothing comes.
    pub(super) fn next_deadline(&self) -> Option<Nanos> {
        let of_state = match self.state {
            State::Idle | State::Up => None,
            State::Resting { .. } if self.waiting.is_empty() => None,
            State::Resting { until }
            | State::Resolving { until }
            | State::Connecting { until }
            | State::Greeting { until, .. } => Some(until),
        };
        let waiting = self.waiting.iter().map(|(_, question)| question.until);
        let asked = self.asked.iter().map(|asked| asked.until);
        of_state.into_iter().chain(waiting).chain(asked).min()
    }

    /// What the hour brings.
    pub(super) fn on_time(&mut self, now: Nanos, events: &mut Vec<PeerEvent>) -> Step {
        if std::mem::take(&mut self.has_moved) {
            self.addresses.clear();
            self.failures = 0;
            return match self.state {
                State::Idle | State::Resting { .. } => {
                    self.state = State::Idle;
                    self.on_time(now, events)
                }
                _ => Step::Fail(PeerFault::Moved),
            };
        }
        self.fail_overdue(now, events);
        match self.state {
            State::Idle if !self.waiting.is_empty() => Step::Begin,
            State::Resting { until } if until <= now && !self.waiting.is_empty() => Step::Begin,
            State::Resolving { until } | State::Connecting { until } | State::Greeting { until, .. }
                if until <= now =>
            {
                Step::Fail(PeerFault::TooSlow)
            }
            State::Up if self.asked.iter().any(|asked| asked.until <= now) => Step::Fail(PeerFault::NoAnswer),
            _ => Step::None,
        }
    }

    fn fail_overdue(&mut self, now: Nanos, events: &mut Vec<PeerEvent>) {
        let fault = match self.state {
            State::Up => PeerFault::NoAnswer,
            _ => self.fault.clone().unwrap_or(PeerFault::TooSlow),
        };
        if self.waiting.iter().all(|(_, question)| question.until > now) {
            return;
        }
        for (id, question) in std::mem::take(&mut self.waiting) {
            if question.until > now {
                self.waiting.push_back((id, question));
                continue;
            }
            self.question_bytes -= question.frame.len();
            events.push(PeerEvent::Failed { peer: self.id, question: id, fault: fault.clone() });
        }
    }

    /// The next operation on the way to a connection.
    pub(super) fn begin(&mut self, generation: u32, now: Nanos, limits: &PeerLimits) -> Op {
        self.generation = generation;
        let until = now.plus_ms(limits.connect_ms_max);
        match self.addresses.pop_front() {
            Some(address) => {
                self.state = State::Connecting { until };
                Op::Connect { address, stuck_max: Some(STUCK_MAX) }
            }
            None => {
                self.state = State::Resolving { until };
                Op::Resolve { host: self.address.host.clone(), port: self.address.port }
            }
        }
    }

    /// The connection is there: ApiVersions is the first to be said on it.
    pub(super) fn greet(&mut self, now: Nanos, limits: &PeerLimits) {
        let mut session = Box::new(Session::new("ringlog", Arc::from(self.address.to_string())));
        self.greeting = Some(session.hello());
        self.state = State::Greeting { until: now.plus_ms(limits.connect_ms_max), session };
    }

    /// Takes received bytes in.
    pub(super) fn on_bytes(&mut self, bytes: Buf, pool: &Pool, events: &mut Vec<PeerEvent>) -> Step {
        if let Err(error) = self.reader.push(bytes, pool) {
            return Step::Fail(PeerFault::Frame(error));
        }
        while let Some(frame) = self.reader.pop() {
            let step = match &mut self.state {
                State::Greeting { session, .. } => match session.on_hello(&frame) {
                    Ok(Hello::Again(frame)) => {
                        self.greeting = Some(frame);
                        Step::None
                    }
                    Ok(Hello::Done) => {
                        self.versions = session.versions().cloned();
                        self.state = State::Up;
                        // The host may stand for other addresses when it is next connected to.
                        self.addresses.clear();
                        events.push(PeerEvent::Connected { peer: self.id });
                        Step::None
                    }
                    Err(fault) => Step::Fail(PeerFault::Session(fault)),
                },
                _ => match self.take_answer(frame, events) {
                    Ok(()) => Step::None,
                    Err(fault) => Step::Fail(PeerFault::Session(fault)),
                },
            };
            if !matches!(step, Step::None) {
                return step;
            }
        }
        Step::None
    }

    fn take_answer(&mut self, frame: Buf, events: &mut Vec<PeerEvent>) -> Result<(), SessionFault> {
        let oldest = self.asked.front().ok_or(SessionFault::NotAsked)?;
        let wanted = oldest.correlation_id;
        let got = frame.first_chunk().map_or(wanted.wrapping_sub(1), |bytes| i32::from_be_bytes(*bytes));
        if got != wanted {
            return Err(SessionFault::WrongCorrelation { wanted, got });
        }
        let Asked { id: question, key, version, bytes, .. } =
            self.asked.pop_front().expect("it was looked at just now");
        self.question_bytes -= bytes;
        self.failures = 0;
        let answer = PeerAnswer::new(key, version, frame);
        events.push(PeerEvent::Answered { peer: self.id, question, answer });
        Ok(())
    }

    /// What is to be sent now: the greeting, or questions that waited. Those that the peer does not serve fail.
    pub(super) fn take_frames(&mut self, events: &mut Vec<PeerEvent>) -> Vec<Vec<u8>> {
        if self.is_sending {
            return Vec::new();
        }
        let mut frames: Vec<Vec<u8>> = self.greeting.take().into_iter().collect();
        let mut bytes = 0;
        while self.is_up() && bytes < SEND_BYTES_MAX {
            let Some((id, mut question)) = self.waiting.pop_front() else { break };
            let (key, version) = (question.key, question.version);
            let served = self.versions.as_ref().and_then(|versions| versions.served_code(key));
            if !served.is_some_and(|versions| versions.contains(&version)) {
                self.question_bytes -= question.frame.len();
                let fault = PeerFault::NotServed { key, version };
                events.push(PeerEvent::Failed { peer: self.id, question: id, fault });
                continue;
            }
            self.correlation_id = self.correlation_id.wrapping_add(1);
            question.set_correlation_id(self.correlation_id);
            let Question { frame, until, .. } = question;
            bytes += frame.len();
            self.asked.push_back(Asked {
                id,
                key,
                version,
                correlation_id: self.correlation_id,
                until,
                bytes: frame.len(),
            });
            frames.push(frame);
        }
        frames
    }

    /// The connection is lost, or does not come about; the socket that is to be closed.
    pub(super) fn fail(
        &mut self,
        generation: u32,
        fault: &PeerFault,
        events: &mut Vec<PeerEvent>,
    ) -> Option<SocketId> {
        self.generation = generation;
        for asked in std::mem::take(&mut self.asked) {
            self.question_bytes -= asked.bytes;
            events.push(PeerEvent::Failed { peer: self.id, question: asked.id, fault: fault.clone() });
        }
        if !matches!(self.state, State::Idle | State::Resting { .. }) {
            events.push(PeerEvent::Disconnected { peer: self.id, fault: fault.clone() });
        }
        self.state = State::Idle;
        self.fault = Some(fault.clone());
        self.reader = FrameReader::new(self.answer_bytes_max);
        (self.versions, self.greeting) = (None, None);
        self.is_sending = false;
        self.socket.take()
    }

    /// Waits before the next attempt: longer after each failure, and not as long as all the others that failed with it.
    pub(super) fn rest(&mut self, now: Nanos, jitter: u64, limits: &PeerLimits) {
        let whole = limits.pause_ms_min << self.failures.min(16);
        let pause_us = whole.min(limits.pause_ms_max) * 1_000;
        self.failures += 1;
        let drawn = pause_us / 2 + jitter % (pause_us / 2 + 1);
        self.state = State::Resting { until: now + Duration::from_micros(drawn) };
    }

    /// Gives up what waits.
    pub(super) fn fail_waiting(&mut self, fault: &PeerFault, events: &mut Vec<PeerEvent>) {
        for (question, _) in std::mem::take(&mut self.waiting) {
            events.push(PeerEvent::Failed { peer: self.id, question, fault: fault.clone() });
        }
        self.question_bytes = 0;
    }
}
