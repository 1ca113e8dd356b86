//! StreamsGroupDescribeRequest, key 89. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `StreamsGroupDescribeRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamsGroupDescribeRequest<'a> {
    /// `GroupIds`, version 0.
    pub group_ids: Vec<&'a str>,
    /// `IncludeAuthorizedOperations`, version 0.
    pub include_authorized_operations: bool,
}

impl<'a> Message<'a> for StreamsGroupDescribeRequest<'a> {
    const NAME: &'static str = "StreamsGroupDescribeRequest";
    const API_KEY: Option<i16> = Some(89);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_ids = d.array(true, |d| d.string(true))?;
        message.include_authorized_operations = d.bool()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.array(&self.group_ids, true, |e, item| e.string(item, true));
        e.bool(self.include_authorized_operations);
        e.no_tags();
    }
}
