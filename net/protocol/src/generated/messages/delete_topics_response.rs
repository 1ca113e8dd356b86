//! DeleteTopicsResponse, key 20. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `DeleteTopicsResponse`, versions 1–6, flexible from 4.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteTopicsResponse<'a> {
    /// `ThrottleTimeMs`, versions 1–6.
    pub throttle_time_ms: i32,
    /// `Responses`, versions 1–6.
    pub responses: Vec<DeletableTopicResult<'a>>,
}

impl<'a> Message<'a> for DeleteTopicsResponse<'a> {
    const NAME: &'static str = "DeleteTopicsResponse";
    const API_KEY: Option<i16> = Some(20);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=6;
    const FLEXIBLE_FROM: i16 = 4;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 4;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.responses = d.array(flexible, |d| DeletableTopicResult::decode(d, version))?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.i32(self.throttle_time_ms);
        e.array(&self.responses, flexible, |e, item| item.encode(e, version));
        if version >= 4 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.responses {
            one.each_error(on);
        }
    }
}

/// `DeletableTopicResult` of [`DeleteTopicsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DeletableTopicResult<'a> {
    /// `Name`, versions 1–6.
    pub name: Option<&'a str>,
    /// `TopicId`, version 6.
    pub topic_id: Uuid,
    /// `ErrorCode`, versions 1–6.
    pub error_code: i16,
    /// `ErrorMessage`, versions 5–6.
    pub error_message: Option<&'a str>,
}

impl Default for DeletableTopicResult<'_> {
    fn default() -> Self {
        DeletableTopicResult { name: Some(""), topic_id: Uuid::ZERO, error_code: 0, error_message: None }
    }
}

impl<'a> DeletableTopicResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 4;
        let mut message = Self::default();
        message.name = if version >= 6 { d.nullable_string(flexible)? } else { Some(d.string(flexible)?) };
        if version >= 6 {
            message.topic_id = d.uuid()?;
        }
        message.error_code = d.i16()?;
        if version >= 5 {
            message.error_message = d.nullable_string(true)?;
        }
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        if version >= 6 {
            e.nullable_string(self.name, flexible)
        } else {
            e.string(self.name.unwrap_or_default(), flexible)
        };
        if version >= 6 {
            e.uuid(self.topic_id);
        }
        e.i16(self.error_code);
        if version >= 5 {
            e.nullable_string(self.error_message, true);
        }
        if version >= 4 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
