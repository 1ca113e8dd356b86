//! DescribeGroupsRequest, key 15. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeGroupsRequest`, versions 0–6, flexible from 5.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeGroupsRequest<'a> {
    /// `Groups`, versions 0–6.
    pub groups: Vec<&'a str>,
    /// `IncludeAuthorizedOperations`, versions 3–6.
    pub include_authorized_operations: bool,
}

impl<'a> Message<'a> for DescribeGroupsRequest<'a> {
    const NAME: &'static str = "DescribeGroupsRequest";
    const API_KEY: Option<i16> = Some(15);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=6;
    const FLEXIBLE_FROM: i16 = 5;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 5;
        let mut message = Self::default();
        message.groups = d.array(flexible, |d| d.string(flexible))?;
        if version >= 3 {
            message.include_authorized_operations = d.bool()?;
        }
        if version >= 5 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 5;
        e.array(&self.groups, flexible, |e, item| e.string(item, flexible));
        if version >= 3 {
            e.bool(self.include_authorized_operations);
        }
        if version >= 5 {
            e.no_tags();
        }
    }
}
