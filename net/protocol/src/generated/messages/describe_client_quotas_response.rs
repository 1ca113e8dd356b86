//! DescribeClientQuotasResponse, key 48. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeClientQuotasResponse`, versions 0–1, flexible from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeClientQuotasResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–1.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–1.
    pub error_message: Option<&'a str>,
    /// `Entries`, versions 0–1.
    pub entries: Option<Vec<EntryData<'a>>>,
}

impl Default for DescribeClientQuotasResponse<'_> {
    fn default() -> Self {
        DescribeClientQuotasResponse {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(""),
            entries: Some(Vec::new()),
        }
    }
}

impl<'a> Message<'a> for DescribeClientQuotasResponse<'a> {
    const NAME: &'static str = "DescribeClientQuotasResponse";
    const API_KEY: Option<i16> = Some(48);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 1;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 1;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(flexible)?;
        message.entries = d.nullable_array(flexible, |d| EntryData::decode(d, version))?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, flexible);
        e.nullable_array(self.entries.as_deref(), flexible, |e, item| item.encode(e, version));
        if version >= 1 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `EntryData` of [`DescribeClientQuotasResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntryData<'a> {
    /// `Entity`, versions 0–1.
    pub entity: Vec<EntityData<'a>>,
    /// `Values`, versions 0–1.
    pub values: Vec<ValueData<'a>>,
}

impl<'a> EntryData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 1;
        let mut message = Self::default();
        message.entity = d.array(flexible, |d| EntityData::decode(d, version))?;
        message.values = d.array(flexible, |d| ValueData::decode(d, version))?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.array(&self.entity, flexible, |e, item| item.encode(e, version));
        e.array(&self.values, flexible, |e, item| item.encode(e, version));
        if version >= 1 {
            e.no_tags();
        }
    }
}

/// `EntityData` of [`DescribeClientQuotasResponse`].
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

/// `ValueData` of [`DescribeClientQuotasResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ValueData<'a> {
    /// `Key`, versions 0–1.
    pub key: &'a str,
    /// `Value`, versions 0–1.
    pub value: f64,
}

impl<'a> ValueData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 1;
        let mut message = Self::default();
        message.key = d.string(flexible)?;
        message.value = d.f64()?;
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
        if version >= 1 {
            e.no_tags();
        }
    }
}
