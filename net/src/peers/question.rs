//! What is asked of a peer, and what it answers.

use protocol::controller_message::{self, ControllerMessage};
use protocol::{
    ApiKey, DecodeError, Decoder, Message, RequestHeader, decode_response_header, encode_request,
};
use shard::{Buf, Nanos};

/// What this end calls itself.
const CLIENT_ID: &str = "ringlog";

/// Where the correlation id stands in a frame: after its size, the key and the version.
const CORRELATION_AT: usize = 8;

/// A question under way; never the same twice on a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionId(pub u64);

/// A request, whole but for its correlation id, and until when it is worth an answer.
#[derive(Debug)]
pub struct Question {
    pub(super) key: i16,
    pub(super) version: i16,
    pub(super) frame: Vec<u8>,
    pub(super) until: Nanos,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct PeerAnswer {
    key: i16,
    version: i16,
    /// Without its size.
    frame: Buf,
}

impl Question {
    /// A request of Kafka's.
    pub fn of<'a, M: Message<'a>>(message: &M, version: i16, until: Nanos) -> Question {
        let key = M::API_KEY.expect("only requests are asked");
        let client_id = Some(CLIENT_ID);
        let header = RequestHeader { api_key: key, api_version: version, correlation_id: 0, client_id };
        Question { key, version, frame: encode_request(&header, message), until }
    }

    /// A request that is encoded already, without its size.
    pub fn of_frame(key: ApiKey, version: i16, request: &[u8], until: Nanos) -> Question {
        let size = i32::try_from(request.len()).expect("a request's frame has a size");
        let frame = [&size.to_be_bytes()[..], request].concat();
        Question { key: key.code(), version, frame, until }
    }

    /// A message to another controller.
    pub fn of_controllers(message: &ControllerMessage<'_>, until: Nanos) -> Question {
        let frame = message.encode_request(0, CLIENT_ID);
        Question { key: controller_message::KEY, version: *controller_message::VERSIONS.end(), frame, until }
    }

    pub(super) fn set_correlation_id(&mut self, correlation_id: i32) {
        self.frame[CORRELATION_AT..CORRELATION_AT + 4].copy_from_slice(&correlation_id.to_be_bytes());
    }
}

impl PeerAnswer {
    pub(super) fn new(key: i16, version: i16, frame: Buf) -> PeerAnswer {
        PeerAnswer { key, version, frame }
    }

    /// The whole answer, header and body, without its size.
    pub fn frame(&self) -> &[u8] {
        &self.frame
    }

    /// A decoder that stands at the body.
    pub fn body(&self) -> Result<Decoder<'_>, DecodeError> {
        let mut d = Decoder::new(&self.frame);
        match ApiKey::from_code(self.key) {
            Some(key) => decode_response_header(&mut d, key, self.version)?,
            None => d.i32()?,
        };
        Ok(d)
    }

    /// The body of an answer to a request of Kafka's.
    pub fn read<'a, M: Message<'a>>(&'a self) -> Result<M, DecodeError> {
        assert_eq!(M::API_KEY, Some(self.key), "{} is not what was asked for", M::NAME);
        M::decode(&mut self.body()?, self.version)
    }
}
