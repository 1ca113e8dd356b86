//! Requests that this broker makes itself, to the controller: what for, and what becomes of the answers.

use std::net::{Ipv4Addr, SocketAddr};

use net::{ListenerIndex, Reply};
use protocol::{ApiKey, Decoder, Message, RequestHeader, decode_response_header, encode_request};
use rustc_hash::FxHashMap;
use shard::{Buf, ShardId};

use crate::request::{ReplyTo, Request};

/// What such a request calls its client.
const CLIENT_ID: &str = "ringlog";

/// Requests that may be unanswered, on one core.
const WAITING_MAX: usize = 10_000;

/// What a request is made for.
#[derive(Debug)]
pub enum Purpose {
    /// Topics that a client's request is about; it is carried out when they are there, or cannot be had.
    Create(Box<Request>),
    /// Producer ids.
    ProducerIds,
    /// Being a part of the cluster.
    Registration,
    /// Staying one.
    Heartbeat,
}

/// Those of one core that have no answer yet.
#[derive(Debug, Default)]
pub struct OwnRequests {
    count: u64,
    waiting: FxHashMap<u64, Purpose>,
}

impl OwnRequests {
    /// Takes note of a request that is about to be made, and gives its number; the purpose comes back if too many wait.
    pub fn begin(&mut self, purpose: Purpose) -> Result<u64, Purpose> {
        if self.waiting.len() >= WAITING_MAX {
            return Err(purpose);
        }
        self.count += 1;
        self.waiting.insert(self.count, purpose);
        Ok(self.count)
    }

    /// What an answer is for.
    pub fn end(&mut self, number: u64) -> Option<Purpose> {
        self.waiting.remove(&number)
    }
}

/// A request of this broker's, as a handler gets it.
pub fn request<'a>(
    origin: ShardId,
    number: u64,
    key: ApiKey,
    version: i16,
    body: &impl Message<'a>,
) -> Request {
    // Nobody else sees it, and nothing but the number tells it from another.
    let correlation_id = (number & i32::MAX as u64) as i32;
    let header = RequestHeader {
        api_key: key.code(),
        api_version: version,
        correlation_id,
        client_id: Some(CLIENT_ID),
    };
    let framed = Buf::from(encode_request(&header, body));
    // A handler's frame is without its size.
    let frame = framed.slice(size_of::<i32>()..framed.len());
    let mut d = Decoder::new(&frame);
    RequestHeader::decode(&mut d).expect("the header was encoded just now");
    let body_at = d.position();
    let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let (to, listener) = (ReplyTo::Own(number), ListenerIndex(0));
    Request { origin, to, key, version, correlation_id, listener, peer, frame, body_at, is_retried: false }
}

/// The whole frame of an answer, in one piece; nothing if there is none.
pub fn frame_of(reply: &Reply) -> Vec<u8> {
    match reply {
        Reply::Send(parts) => parts.iter().map(|part| &part[..]).collect::<Vec<_>>().concat(),
        Reply::Silent | Reply::Close(_) => Vec::new(),
    }
}

/// An answer's body; nothing if there is none, or if it makes no sense.
pub fn read<'a, M: Message<'a>>(frame: &'a [u8], version: i16) -> Option<M> {
    let mut d = Decoder::new(frame.get(size_of::<i32>()..)?);
    let key = M::API_KEY.and_then(ApiKey::from_code)?;
    decode_response_header(&mut d, key, version).ok()?;
    M::decode(&mut d, version).ok()
}
