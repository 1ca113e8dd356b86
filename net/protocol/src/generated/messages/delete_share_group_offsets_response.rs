//! DeleteShareGroupOffsetsResponse, key 92. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `DeleteShareGroupOffsetsResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteShareGroupOffsetsResponse<'a> {
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `ErrorMessage`, version 0.
    pub error_message: Option<&'a str>,
    /// `Responses`, version 0.
    pub responses: Vec<DeleteShareGroupOffsetsResponseTopic<'a>>,
}

impl<'a> Message<'a> for DeleteShareGroupOffsetsResponse<'a> {
    const NAME: &'static str = "DeleteShareGroupOffsetsResponse";
    const API_KEY: Option<i16> = Some(92);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        message.responses = d.array(true, |d| DeleteShareGroupOffsetsResponseTopic::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.array(&self.responses, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.responses {
            one.each_error(on);
        }
    }
}

/// `DeleteShareGroupOffsetsResponseTopic` of [`DeleteShareGroupOffsetsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteShareGroupOffsetsResponseTopic<'a> {
    /// `TopicName`, version 0.
    pub topic_name: &'a str,
    /// `TopicId`, version 0.
    pub topic_id: Uuid,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `ErrorMessage`, version 0.
    pub error_message: Option<&'a str>,
}

impl<'a> DeleteShareGroupOffsetsResponseTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_name = d.string(true)?;
        message.topic_id = d.uuid()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.topic_name, true);
        e.uuid(self.topic_id);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
