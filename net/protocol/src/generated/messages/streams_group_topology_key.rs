//! StreamsGroupTopologyKey, key 23. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `StreamsGroupTopologyKey`, version 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamsGroupTopologyKey<'a> {
    /// `GroupId`, version 0.
    pub group_id: &'a str,
}

impl<'a> Message<'a> for StreamsGroupTopologyKey<'a> {
    const NAME: &'static str = "StreamsGroupTopologyKey";
    const API_KEY: Option<i16> = Some(23);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_id = d.string(false)?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.group_id, false);
    }
}
