//! ListConfigResourcesResponse, key 74. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ListConfigResourcesResponse`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListConfigResourcesResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–1.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–1.
    pub error_code: i16,
    /// `ConfigResources`, versions 0–1.
    pub config_resources: Vec<ConfigResource<'a>>,
}

impl<'a> Message<'a> for ListConfigResourcesResponse<'a> {
    const NAME: &'static str = "ListConfigResourcesResponse";
    const API_KEY: Option<i16> = Some(74);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.config_resources = d.array(true, |d| ConfigResource::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.array(&self.config_resources, true, |e, item| item.encode(e, version));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `ConfigResource` of [`ListConfigResourcesResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigResource<'a> {
    /// `ResourceName`, versions 0–1.
    pub resource_name: &'a str,
    /// `ResourceType`, version 1.
    pub resource_type: i8,
}

impl Default for ConfigResource<'_> {
    fn default() -> Self {
        ConfigResource { resource_name: "", resource_type: 16 }
    }
}

impl<'a> ConfigResource<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.resource_name = d.string(true)?;
        if version >= 1 {
            message.resource_type = d.i8()?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.resource_name, true);
        if version >= 1 {
            e.i8(self.resource_type);
        }
        e.no_tags();
    }
}
