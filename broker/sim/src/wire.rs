//! A client's connection in virtual time: it connects again when it is lost, and every question has a deadline.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};

use protocol::{ApiKey, Decoder, Message, RequestHeader, decode_response_header, encode_request};
use shard::Nanos;
use shard::memory::{Peer, World};
use shard::random::Random;

/// A question that is not answered after so long takes its connection with it.
const PATIENCE_MS: i64 = 4_000;
/// How long to wait before the next connection, at most.
const BACKOFF_MS_MAX: u64 = 300;

/// One connection after another.
pub struct Wire {
    from: IpAddr,
    to: SocketAddr,
    peer: Option<Peer>,
    received: Vec<u8>,
    asked: VecDeque<Asked>,
    correlation_id: i32,
    connects_at: Nanos,
}

struct Asked {
    correlation_id: i32,
    key: ApiKey,
    version: i16,
    until: Nanos,
}

/// What a connection brings.
pub enum Heard {
    /// The answer to the oldest question.
    Answer(Answer),
    /// The connection is gone, and what was asked on it is not answered.
    Lost,
}

/// A response that has arrived.
pub struct Answer {
    key: ApiKey,
    version: i16,
    frame: Vec<u8>,
}

impl Answer {
    /// Its body. What cannot be read is a fault of the node's, and ends the run.
    pub fn read<'a, M: Message<'a>>(&'a self) -> M {
        assert_eq!(M::API_KEY, Some(self.key.code()), "{} is not what was asked for", M::NAME);
        let mut d = Decoder::new(&self.frame);
        let header = decode_response_header(&mut d, self.key, self.version);
        let message = header.and_then(|_| M::decode(&mut d, self.version));
        message.unwrap_or_else(|fault| panic!("a response of {} cannot be read: {fault}", M::NAME))
    }
}

impl Wire {
    /// No connection yet.
    pub fn new(from: IpAddr, to: SocketAddr) -> Wire {
        let (peer, received, asked) = (None, Vec::new(), VecDeque::new());
        Wire { from, to, peer, received, asked, correlation_id: 0, connects_at: Nanos::default() }
    }

    /// From now on it speaks to another node.
    pub fn turn_to(&mut self, to: SocketAddr, world: &World, random: &mut Random) {
        self.to = to;
        self.drop_connection(world, random);
    }

    /// Whether something may be asked; connects if it is time to.
    pub fn is_up(&mut self, world: &World) -> bool {
        if self.peer.is_none() && world.now() >= self.connects_at {
            self.peer = world.connect_from(self.from, self.to);
            if self.peer.is_none() {
                self.connects_at = world.now().plus_ms(BACKOFF_MS_MAX as i64);
            }
        }
        self.peer.is_some()
    }

    /// Whether an attempt to connect has just failed: nobody listens there.
    pub fn has_failed(&self, world: &World) -> bool {
        self.peer.is_none() && self.connects_at == world.now().plus_ms(BACKOFF_MS_MAX as i64)
    }

    /// How many answers are to come.
    pub fn asked_count(&self) -> usize {
        self.asked.len()
    }

    /// Asks, on a connection that is up.
    pub fn ask<'a, M: Message<'a>>(&mut self, world: &World, version: i16, body: &M) {
        let Some(peer) = &self.peer else { return };
        let key = M::API_KEY.and_then(ApiKey::from_code).expect("only requests are asked");
        self.correlation_id = self.correlation_id.wrapping_add(1);
        let correlation_id = self.correlation_id;
        let header = RequestHeader {
            api_key: key.code(),
            api_version: version,
            correlation_id,
            client_id: Some("sim"),
        };
        peer.send(&encode_request(&header, body));
        let until = world.now().plus_ms(PATIENCE_MS);
        self.asked.push_back(Asked { correlation_id, key, version, until });
    }

    /// What has come since it was looked at last.
    pub fn hear(&mut self, world: &World, random: &mut Random) -> Option<Heard> {
        let peer = self.peer.as_ref()?;
        let (bytes, is_closed) = (peer.receive(usize::MAX), peer.is_closed());
        self.received.extend(bytes);
        if let Some(answer) = self.take_answer() {
            return Some(Heard::Answer(answer));
        }
        let is_overdue = self.asked.front().is_some_and(|oldest| oldest.until <= world.now());
        if is_overdue || is_closed {
            self.drop_connection(world, random);
            return Some(Heard::Lost);
        }
        None
    }

    /// Gives the connection up.
    pub fn drop_connection(&mut self, world: &World, random: &mut Random) {
        if let Some(peer) = self.peer.take() {
            peer.reset();
        }
        self.received.clear();
        self.asked.clear();
        self.connects_at = world.now().plus_ms(1 + random.below(BACKOFF_MS_MAX) as i64);
    }

    /// When something is to be done though nothing comes.
    pub fn due(&self) -> Option<Nanos> {
        match &self.peer {
            None => Some(self.connects_at),
            Some(_) => self.asked.front().map(|oldest| oldest.until),
        }
    }

    fn take_answer(&mut self) -> Option<Answer> {
        let size = i32::from_be_bytes(*self.received.first_chunk()?) as usize;
        if self.received.len() < 4 + size {
            return None;
        }
        let frame = self.received[4..4 + size].to_vec();
        self.received.drain(..4 + size);
        let Asked { correlation_id, key, version, .. } =
            self.asked.pop_front().expect("an answer comes to a question");
        let got = frame.first_chunk().map(|bytes| i32::from_be_bytes(*bytes));
        assert_eq!(got, Some(correlation_id), "answers come in the order of their questions (Q10)");
        Some(Answer { key, version, frame })
    }
}
