//! DescribeConfigsRequest, key 32. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeConfigsRequest`, versions 1–4, flexible from 4.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeConfigsRequest<'a> {
    /// `Resources`, versions 1–4.
    pub resources: Vec<DescribeConfigsResource<'a>>,
    /// `IncludeSynonyms`, versions 1–4.
    pub include_synonyms: bool,
    /// `IncludeDocumentation`, versions 3–4.
    pub include_documentation: bool,
}

impl<'a> Message<'a> for DescribeConfigsRequest<'a> {
    const NAME: &'static str = "DescribeConfigsRequest";
    const API_KEY: Option<i16> = Some(32);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=4;
    const FLEXIBLE_FROM: i16 = 4;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 4;
        let mut message = Self::default();
        message.resources = d.array(flexible, |d| DescribeConfigsResource::decode(d, version))?;
        message.include_synonyms = d.bool()?;
        if version >= 3 {
            message.include_documentation = d.bool()?;
        }
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.array(&self.resources, flexible, |e, item| item.encode(e, version));
        e.bool(self.include_synonyms);
        if version >= 3 {
            e.bool(self.include_documentation);
        }
        if version >= 4 {
            e.no_tags();
        }
    }
}

/// `DescribeConfigsResource` of [`DescribeConfigsRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeConfigsResource<'a> {
    /// `ResourceType`, versions 1–4.
    pub resource_type: i8,
    /// `ResourceName`, versions 1–4.
    pub resource_name: &'a str,
    /// `ConfigurationKeys`, versions 1–4.
    pub configuration_keys: Option<Vec<&'a str>>,
}

impl Default for DescribeConfigsResource<'_> {
    fn default() -> Self {
        DescribeConfigsResource { resource_type: 0, resource_name: "", configuration_keys: Some(Vec::new()) }
    }
}

impl<'a> DescribeConfigsResource<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 4;
        let mut message = Self::default();
        message.resource_type = d.i8()?;
        message.resource_name = d.string(flexible)?;
        message.configuration_keys = d.nullable_array(flexible, |d| d.string(flexible))?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.i8(self.resource_type);
        e.string(self.resource_name, flexible);
        e.nullable_array(self.configuration_keys.as_deref(), flexible, |e, item| e.string(item, flexible));
        if version >= 4 {
            e.no_tags();
        }
    }
}
