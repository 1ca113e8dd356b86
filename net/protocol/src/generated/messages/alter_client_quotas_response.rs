//! AlterClientQuotasResponse, key 49. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `AlterClientQuotasResponse`, versions 0–1, flexible from 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterClientQuotasResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–1.
    pub throttle_time_ms: i32,
    /// `Entries`, versions 0–1.
    pub entries: Vec<EntryData<'a>>,
}

impl<'a> Message<'a> for AlterClientQuotasResponse<'a> {
    const NAME: &'static str = "AlterClientQuotasResponse";
    const API_KEY: Option<i16> = Some(49);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 1;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 1;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.entries = d.array(flexible, |d| EntryData::decode(d, version))?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.i32(self.throttle_time_ms);
        e.array(&self.entries, flexible, |e, item| item.encode(e, version));
        if version >= 1 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.entries {
            one.each_error(on);
        }
    }
}

/// `EntryData` of [`AlterClientQuotasResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct EntryData<'a> {
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–1.
    pub error_message: Option<&'a str>,
    /// `Entity`, versions 0–1.
    pub entity: Vec<EntityData<'a>>,
}

impl Default for EntryData<'_> {
    fn default() -> Self {
        EntryData { error_code: 0, error_message: Some(""), entity: Vec::new() }
    }
}

impl<'a> EntryData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 1;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(flexible)?;
        message.entity = d.array(flexible, |d| EntityData::decode(d, version))?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.i16(self.error_code);
        e.nullable_string(self.error_message, flexible);
        e.array(&self.entity, flexible, |e, item| item.encode(e, version));
        if version >= 1 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `EntityData` of [`AlterClientQuotasResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct EntityData<'a> {
    /// `EntityType`, versions 0–1.
    pub entity_type: &'a str,
    /// `EntityName`, versions 0–1.
    pub entity_name: Option<&'a str>,
}

impl Default for EntityData<'_> {
    fn default() -> Self {
        EntityData { entity_type: "", entity_name: Some("") }
    }
}

impl<'a> EntityData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 1;
        let mut message = Self::default();
        message.entity_type = d.string(flexible)?;
        message.entity_name = d.nullable_string(flexible)?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.string(self.entity_type, flexible);
        e.nullable_string(self.entity_name, flexible);
        if version >= 1 {
            e.no_tags();
        }
    }
}
