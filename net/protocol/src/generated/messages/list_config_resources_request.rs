//! ListConfigResourcesRequest, key 74. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ListConfigResourcesRequest`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListConfigResourcesRequest {
    /// `ResourceTypes`, version 1.
    pub resource_types: Vec<i8>,
}

impl<'a> Message<'a> for ListConfigResourcesRequest {
    const NAME: &'static str = "ListConfigResourcesRequest";
    const API_KEY: Option<i16> = Some(74);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        if version >= 1 {
            message.resource_types = d.array(true, Decoder::i8)?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        if version >= 1 {
            e.array(&self.resource_types, true, |e, item| e.i8(*item));
        }
        e.no_tags();
    }
}
