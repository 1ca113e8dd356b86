//! ConfigRecord, key 4. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ConfigRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigRecord<'a> {
    /// `ResourceType`, version 0.
    pub resource_type: i8,
    /// `ResourceName`, version 0.
    pub resource_name: &'a str,
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Value`, version 0.
    pub value: Option<&'a str>,
}

impl Default for ConfigRecord<'_> {
    fn default() -> Self {
        ConfigRecord { resource_type: 0, resource_name: "", name: "", value: Some("") }
    }
}

impl<'a> Message<'a> for ConfigRecord<'a> {
    const NAME: &'static str = "ConfigRecord";
    const API_KEY: Option<i16> = Some(4);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.resource_type = d.i8()?;
        message.resource_name = d.string(true)?;
        message.name = d.string(true)?;
        message.value = d.nullable_string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i8(self.resource_type);
        e.string(self.resource_name, true);
        e.string(self.name, true);
        e.nullable_string(self.value, true);
        e.no_tags();
    }
}
