//! ClientQuotaRecord, key 14. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ClientQuotaRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClientQuotaRecord<'a> {
    /// `Entity`, version 0.
    pub entity: Vec<EntityData<'a>>,
    /// `Key`, version 0.
    pub key: &'a str,
    /// `Value`, version 0.
    pub value: f64,
    /// `Remove`, version 0.
    pub remove: bool,
}

impl<'a> Message<'a> for ClientQuotaRecord<'a> {
    const NAME: &'static str = "ClientQuotaRecord";
    const API_KEY: Option<i16> = Some(14);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.entity = d.array(true, |d| EntityData::decode(d, version))?;
        message.key = d.string(true)?;
        message.value = d.f64()?;
        message.remove = d.bool()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.array(&self.entity, true, |e, item| item.encode(e, version));
        e.string(self.key, true);
        e.f64(self.value);
        e.bool(self.remove);
        e.no_tags();
    }
}

/// `EntityData` of [`ClientQuotaRecord`].
#[derive(Debug, Clone, PartialEq)]
pub struct EntityData<'a> {
    /// `EntityType`, version 0.
    pub entity_type: &'a str,
    /// `EntityName`, version 0.
    pub entity_name: Option<&'a str>,
}

impl Default for EntityData<'_> {
    fn default() -> Self {
        EntityData { entity_type: "", entity_name: Some("") }
    }
}

impl<'a> EntityData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.entity_type = d.string(true)?;
        message.entity_name = d.nullable_string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.entity_type, true);
        e.nullable_string(self.entity_name, true);
        e.no_tags();
    }
}
