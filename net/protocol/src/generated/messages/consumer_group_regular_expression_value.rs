//! ConsumerGroupRegularExpressionValue, key 16. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ConsumerGroupRegularExpressionValue`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConsumerGroupRegularExpressionValue<'a> {
    /// `Topics`, version 0.
    pub topics: Vec<&'a str>,
    /// `Version`, version 0.
    pub version: i64,
    /// `Timestamp`, version 0.
    pub timestamp: i64,
}

impl<'a> Message<'a> for ConsumerGroupRegularExpressionValue<'a> {
    const NAME: &'static str = "ConsumerGroupRegularExpressionValue";
    const API_KEY: Option<i16> = Some(16);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.topics = d.array(true, |d| d.string(true))?;
        message.version = d.i64()?;
        message.timestamp = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.array(&self.topics, true, |e, item| e.string(item, true));
        e.i64(self.version);
        e.i64(self.timestamp);
        e.no_tags();
    }
}
