//! IncrementalAlterConfigsRequest, key 44. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `IncrementalAlterConfigsRequest`, versions 0–1, flexible from 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IncrementalAlterConfigsRequest<'a> {
    /// `Resources`, versions 0–1.
    pub resources: Vec<AlterConfigsResource<'a>>,
    /// `ValidateOnly`, versions 0–1.
    pub validate_only: bool,
}

impl<'a> Message<'a> for IncrementalAlterConfigsRequest<'a> {
    const NAME: &'static str = "IncrementalAlterConfigsRequest";
    const API_KEY: Option<i16> = Some(44);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 1;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 1;
        let mut message = Self::default();
        message.resources = d.array(flexible, |d| AlterConfigsResource::decode(d, version))?;
        message.validate_only = d.bool()?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.array(&self.resources, flexible, |e, item| item.encode(e, version));
        e.bool(self.validate_only);
        if version >= 1 {
            e.no_tags();
        }
    }
}

/// `AlterConfigsResource` of [`IncrementalAlterConfigsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterConfigsResource<'a> {
    /// `ResourceType`, versions 0–1.
    pub resource_type: i8,
    /// `ResourceName`, versions 0–1.
    pub resource_name: &'a str,
    /// `Configs`, versions 0–1.
    pub configs: Vec<AlterableConfig<'a>>,
}

impl<'a> AlterConfigsResource<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 1;
        let mut message = Self::default();
        message.resource_type = d.i8()?;
        message.resource_name = d.string(flexible)?;
        message.configs = d.array(flexible, |d| AlterableConfig::decode(d, version))?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.i8(self.resource_type);
        e.string(self.resource_name, flexible);
        e.array(&self.configs, flexible, |e, item| item.encode(e, version));
        if version >= 1 {
            e.no_tags();
        }
    }
}

/// `AlterableConfig` of [`IncrementalAlterConfigsRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct AlterableConfig<'a> {
    /// `Name`, versions 0–1.
    pub name: &'a str,
    /// `ConfigOperation`, versions 0–1.
    pub config_operation: i8,
    /// `Value`, versions 0–1.
    pub value: Option<&'a str>,
}

impl Default for AlterableConfig<'_> {
    fn default() -> Self {
        AlterableConfig { name: "", config_operation: 0, value: Some("") }
    }
}

impl<'a> AlterableConfig<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 1;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.config_operation = d.i8()?;
        message.value = d.nullable_string(flexible)?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.string(self.name, flexible);
        e.i8(self.config_operation);
        e.nullable_string(self.value, flexible);
        if version >= 1 {
            e.no_tags();
        }
    }
}
