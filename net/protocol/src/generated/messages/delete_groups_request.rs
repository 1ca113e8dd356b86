//! DeleteGroupsRequest, key 42. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DeleteGroupsRequest`, versions 0–2, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteGroupsRequest<'a> {
    /// `GroupsNames`, versions 0–2.
    pub groups_names: Vec<&'a str>,
}

impl<'a> Message<'a> for DeleteGroupsRequest<'a> {
    const NAME: &'static str = "DeleteGroupsRequest";
    const API_KEY: Option<i16> = Some(42);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.groups_names = d.array(flexible, |d| d.string(flexible))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.array(&self.groups_names, flexible, |e, item| e.string(item, flexible));
        if version >= 2 {
            e.no_tags();
        }
    }
}
