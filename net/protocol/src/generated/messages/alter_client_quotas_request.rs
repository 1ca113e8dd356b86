//! AlterClientQuotasRequest, key 49. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `AlterClientQuotasRequest`, versions 0–1, flexible from 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterClientQuotasRequest<'a> {
    /// `Entries`, versions 0–1.
    pub entries: Vec<EntryData<'a>>,
    /// `ValidateOnly`, versions 0–1.
    pub validate_only: bool,
}

impl<'a> Message<'a> for AlterClientQuotasRequest<'a> {
    const NAME: &'static str = "AlterClientQuotasRequest";
    const API_KEY: Option<i16> = Some(49);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 1;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 1;
        let mut message = Self::default();
        message.entries = d.array(flexible, |d| EntryData::decode(d, version))?;
        message.validate_only = d.bool()?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.array(&self.entries, flexible, |e, item| item.encode(e, version));
        e.bool(self.validate_only);
        if version >= 1 {
            e.no_tags();
        }
    }
}

/// `EntryData` of [`AlterClientQuotasRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntryData<'a> {
    /// `Entity`, versions 0–1.
    pub entity: Vec<EntityData<'a>>,
    /// `Ops`, versions 0–1.
    pub ops: Vec<OpData<'a>>,
}

impl<'a> EntryData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 1;
        let mut message = Self::default();
        message.entity = d.array(flexible, |d| EntityData::decode(d, version))?;
        message.ops = d.array(flexible, |d| OpData::decode(d, version))?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.array(&self.entity, flexible, |e, item| item.encode(e, version));
        e.array(&self.ops, flexible, |e, item| item.encode(e, version));
        if version >= 1 {
            e.no_tags();
        }
    }
}

/// `EntityData` of [`AlterClientQuotasRequest`].
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

/// `OpData` of [`AlterClientQuotasRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpData<'a> {
    /// `Key`, versions 0–1.
    pub key: &'a str,
    /// `Value`, versions 0–1.
    pub value: f64,
    /// `Remove`, versions 0–1.
    pub remove: bool,
}

impl<'a> OpData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 1;
        let mut message = Self::default();
        message.key = d.string(flexible)?;
        message.value = d.f64()?;
        message.remove = d.bool()?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.string(self.key, flexible);
        e.f64(self.value);
        e.bool(self.remove);
        if version >= 1 {
            e.no_tags();
        }
    }
}
