//! One answer as it came, to be read as the message that it is.

use std::sync::Arc;

use protocol::{ApiKey, DecodeError, Decoder, Message, decode_response_header};

/// A frame that answers a request. Messages borrow from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What was asked.
    pub key: ApiKey,
    /// In which version.
    pub version: i16,
    /// Who answered, in words.
    pub broker: Arc<str>,
    frame: Vec<u8>,
}

impl Answer {
    pub(super) fn new(key: ApiKey, version: i16, broker: Arc<str>, frame: Vec<u8>) -> Answer {
        Answer { key, version, broker, frame }
    }

    /// How large it is, bytes.
    pub fn size_bytes(&self) -> usize {
        self.frame.len()
    }

    /// Reads all of it.
    pub fn decode<'a, M: Message<'a>>(&'a self) -> Result<M, DecodeError> {
        assert_eq!(M::API_KEY, Some(self.key.code()), "an answer is read as what was asked");
        let mut d = Decoder::new(&self.frame);
        decode_response_header(&mut d, self.key, self.version)?;
        let message = M::decode(&mut d, self.version)?;
        d.finish()?;
        Ok(message)
    }
}
