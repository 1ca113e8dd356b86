//! DescribeClientQuotasRequest, key 48. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeClientQuotasRequest`, versions 0–1, flexible from 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeClientQuotasRequest<'a> {
    /// `Components`, versions 0–1.
    pub components: Vec<ComponentData<'a>>,
    /// `Strict`, versions 0–1.
    pub strict: bool,
}

impl<'a> Message<'a> for DescribeClientQuotasRequest<'a> {
    const NAME: &'static str = "DescribeClientQuotasRequest";
    const API_KEY: Option<i16> = Some(48);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 1;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 1;
        let mut message = Self::default();
        message.components = d.array(flexible, |d| ComponentData::decode(d, version))?;
        message.strict = d.bool()?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.array(&self.components, flexible, |e, item| item.encode(e, version));
        e.bool(self.strict);
        if version >= 1 {
            e.no_tags();
        }
    }
}

/// `ComponentData` of [`DescribeClientQuotasRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentData<'a> {
    /// `EntityType`, versions 0–1.
    pub entity_type: &'a str,
    /// `MatchType`, versions 0–1.
    pub match_type: i8,
    /// `Match`, versions 0–1.
    pub r#match: Option<&'a str>,
}

impl Default for ComponentData<'_> {
    fn default() -> Self {
        ComponentData { entity_type: "", match_type: 0, r#match: Some("") }
    }
}

impl<'a> ComponentData<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 1;
        let mut message = Self::default();
        message.entity_type = d.string(flexible)?;
        message.match_type = d.i8()?;
        message.r#match = d.nullable_string(flexible)?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.string(self.entity_type, flexible);
        e.i8(self.match_type);
        e.nullable_string(self.r#match, flexible);
        if version >= 1 {
            e.no_tags();
        }
    }
}
