//! Ringlog's own request among the controllers of one cluster: bytes from one of them to another.
//!
//! Kafka's controllers speak another protocol among each other (KIP-595), so this one has a key far from Kafka's, and is served
//! where peers connect, nowhere else. What the bytes mean is between the two controllers. `docs/protocol-extensions.md`
//! describes the request.
//!
//! ```text
//!   request   cluster_id string, from int32, to int32, content bytes
//!   response  error_code int16, message nullable string
//! ```

use std::ops::RangeInclusive;

use crate::{DecodeError, Decoder, Encoder, RequestHeader};

/// Its number: "RI", far from the keys that Kafka counts from 0. A request's header is v1, a response's v0.
pub const KEY: i16 = 0x5249;

/// The versions that are spoken.
pub const VERSIONS: RangeInclusive<i16> = 0..=0;

/// The request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControllerMessage<'a> {
    /// Which cluster the sender belongs to.
    pub cluster_id: &'a str,
    /// The sender's node id.
    pub from: i32,
    /// The node id of the controller that is meant.
    pub to: i32,
    /// What is said.
    pub content: &'a [u8],
}

/// The answer: whether the message has come to the controller that it is meant for. What that makes of it is not said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControllerMessageAnswer<'a> {
    /// 0, or why it was refused.
    pub error_code: i16,
    /// The reason in words.
    pub message: Option<&'a str>,
}

impl<'a> ControllerMessage<'a> {
    /// Reads a request's body.
    pub fn decode(d: &mut Decoder<'a>) -> Result<ControllerMessage<'a>, DecodeError> {
        let (cluster_id, from, to) = (d.string(false)?, d.i32()?, d.i32()?);
        Ok(ControllerMessage { cluster_id, from, to, content: d.bytes(false)? })
    }

    /// The whole frame of a request, size prefix included.
    pub fn encode_request(&self, correlation_id: i32, client_id: &str) -> Vec<u8> {
        let mut e = Encoder::new();
        let start = e.begin_frame();
        let api_version = *VERSIONS.end();
        RequestHeader { api_key: KEY, api_version, correlation_id, client_id: Some(client_id) }
            .encode(&mut e);
        e.string(self.cluster_id, false);
        e.i32(self.from);
        e.i32(self.to);
        e.bytes(self.content, false);
        e.end_frame(start);
        e.into_vec()
    }
}

impl<'a> ControllerMessageAnswer<'a> {
    /// Reads a response's body.
    pub fn decode(d: &mut Decoder<'a>) -> Result<ControllerMessageAnswer<'a>, DecodeError> {
        Ok(ControllerMessageAnswer { error_code: d.i16()?, message: d.nullable_string(false)? })
    }

    /// The whole frame of a response, size prefix included.
    pub fn encode_response(&self, correlation_id: i32) -> Vec<u8> {
        let mut e = Encoder::new();
        let start = e.begin_frame();
        e.i32(correlation_id);
        e.i16(self.error_code);
        e.nullable_string(self.message, false);
        e.end_frame(start);
        e.into_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let message = ControllerMessage { cluster_id: "c", from: 1, to: 2, content: b"xyz" };
        let frame = message.encode_request(7, "me");
        assert_eq!(
            frame,
            b"\0\0\0\x1e\x52\x49\0\0\0\0\0\x07\0\x02me\0\x01c\0\0\0\x01\0\0\0\x02\0\0\0\x03xyz"
        );
        let mut d = Decoder::new(&frame[4..]);
        let header = RequestHeader::decode(&mut d).unwrap();
        assert_eq!((header.api_key, header.api_version, header.correlation_id), (KEY, 0, 7));
        assert_eq!(ControllerMessage::decode(&mut d), Ok(message));
        assert_eq!(d.finish(), Ok(()));
    }

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        for message in [None, Some("no")] {
            let answer = ControllerMessageAnswer { error_code: 104, message };
            let frame = answer.encode_response(7);
            let mut d = Decoder::new(&frame[4..]);
            assert_eq!(d.i32(), Ok(7));
            assert_eq!(ControllerMessageAnswer::decode(&mut d), Ok(answer));
            assert_eq!(d.finish(), Ok(()));
        }
    }

    #[test]
    fn what_is_cut_off_or_claims_too_much_is_refused() {
        let frame =
            ControllerMessage { cluster_id: "c", from: 1, to: 2, content: b"xyz" }.encode_request(7, "me");
        let body = &frame[4 + 12..];
        for len in 0..body.len() {
            assert!(ControllerMessage::decode(&mut Decoder::new(&body[..len])).is_err(), "{len} bytes");
        }
        let claim = b"\0\x01c\0\0\0\x01\0\0\0\x02\x7f\xff\xff\xffxyz";
        assert!(ControllerMessage::decode(&mut Decoder::new(claim)).is_err());
    }
}
