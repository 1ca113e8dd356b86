//! ListGroupsRequest, key 16. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ListGroupsRequest`, versions 0–5, flexible from 3.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListGroupsRequest<'a> {
    /// `StatesFilter`, versions 4–5.
    pub states_filter: Vec<&'a str>,
    /// `TypesFilter`, version 5.
    pub types_filter: Vec<&'a str>,
}

impl<'a> Message<'a> for ListGroupsRequest<'a> {
    const NAME: &'static str = "ListGroupsRequest";
    const API_KEY: Option<i16> = Some(16);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=5;
    const FLEXIBLE_FROM: i16 = 3;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        if version >= 4 {
            message.states_filter = d.array(true, |d| d.string(true))?;
        }
        if version >= 5 {
            message.types_filter = d.array(true, |d| d.string(true))?;
        }
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        if version >= 4 {
            e.array(&self.states_filter, true, |e, item| e.string(item, true));
        }
        if version >= 5 {
            e.array(&self.types_filter, true, |e, item| e.string(item, true));
        }
        if version >= 3 {
            e.no_tags();
        }
    }
}
