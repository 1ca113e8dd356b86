//! A request as a handler gets it: its header read, its body still in the frame.

use std::net::SocketAddr;

use net::{ConnectionId, ListenerIndex, ReplySlot};
use protocol::{ApiKey, DecodeError, Decoder, Message, RequestHeader};
use shard::{Buf, ShardId};

/// Who gets the reply to a request.
#[derive(Debug, Clone, Copy)]
pub enum ReplyTo {
    /// The client whose connection it came in by.
    Client(ReplySlot),
    /// This broker, which asked; the number tells what for.
    Own(u64),
    /// The node that passed a client's request on (KIP-590): the reply goes into the answer to its Envelope.
    Envelope {
        /// Where that answer goes.
        slot: ReplySlot,
        /// Returned in it.
        correlation_id: i32,
    },
}

/// A request of a key and a version that are served here.
#[derive(Debug)]
pub struct Request {
    /// The core that took it in and will send the reply.
    pub origin: ShardId,
    /// Where the reply goes.
    pub to: ReplyTo,
    /// Its API key.
    pub key: ApiKey,
    /// Its version, within the served range.
    pub version: i16,
    /// Returned in the reply.
    pub correlation_id: i32,
    /// The listener that it came in by (Q23).
    pub listener: ListenerIndex,
    /// Who asks.
    pub peer: SocketAddr,
    /// The frame without its size.
    pub frame: Buf,
    /// Where the body begins in it.
    pub body_at: usize,
    /// Whether it is carried out once more, after topics were to be made for it.
    pub is_retried: bool,
}

impl Request {
    /// The client's name for itself; null counts as empty (Q4).
    pub fn client_id(&self) -> &str {
        RequestHeader::decode(&mut Decoder::new(&self.frame))
            .ok()
            .and_then(|header| header.client_id)
            .unwrap_or("")
    }

    /// The connection that it came in by; only clients fetch.
    pub fn connection(&self) -> ConnectionId {
        match self.to {
            ReplyTo::Client(slot) => slot.connection(),
            ReplyTo::Own(_) | ReplyTo::Envelope { .. } => unreachable!("only clients fetch"),
        }
    }

    /// A decoder of the whole frame that stands at the body.
    pub fn body(&self) -> Result<Decoder<'_>, DecodeError> {
        body_of(&self.frame, self.body_at)
    }

    /// The body. Bytes left over are ignored, as in Kafka: librdkafka leaves three in some Metadata requests.
    pub fn decode<'a, M: Message<'a>>(&'a self) -> Result<M, DecodeError> {
        let mut d = self.body()?;
        M::decode(&mut d, self.version)
    }
}

/// A decoder of a whole frame that stands where its header, read before, has ended.
pub fn body_of(frame: &Buf, body_at: usize) -> Result<Decoder<'_>, DecodeError> {
    let mut d = Decoder::new(frame);
    d.take(body_at)?;
    Ok(d)
}
