//! DescribeConfigsResponse, key 32. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeConfigsResponse`, versions 1–4, flexible from 4.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeConfigsResponse<'a> {
    /// `ThrottleTimeMs`, versions 1–4.
    pub throttle_time_ms: i32,
    /// `Results`, versions 1–4.
    pub results: Vec<DescribeConfigsResult<'a>>,
}

impl<'a> Message<'a> for DescribeConfigsResponse<'a> {
    const NAME: &'static str = "DescribeConfigsResponse";
    const API_KEY: Option<i16> = Some(32);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=4;
    const FLEXIBLE_FROM: i16 = 4;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 4;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.results = d.array(flexible, |d| DescribeConfigsResult::decode(d, version))?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.i32(self.throttle_time_ms);
        e.array(&self.results, flexible, |e, item| item.encode(e, version));
        if version >= 4 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.results {
            one.each_error(on);
        }
    }
}

/// `DescribeConfigsResult` of [`DescribeConfigsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeConfigsResult<'a> {
    /// `ErrorCode`, versions 1–4.
    pub error_code: i16,
    /// `ErrorMessage`, versions 1–4.
    pub error_message: Option<&'a str>,
    /// `ResourceType`, versions 1–4.
    pub resource_type: i8,
    /// `ResourceName`, versions 1–4.
    pub resource_name: &'a str,
    /// `Configs`, versions 1–4.
    pub configs: Vec<DescribeConfigsResourceResult<'a>>,
}

impl Default for DescribeConfigsResult<'_> {
    fn default() -> Self {
        DescribeConfigsResult {
            error_code: 0,
            error_message: Some(""),
            resource_type: 0,
            resource_name: "",
            configs: Vec::new(),
        }
    }
}

impl<'a> DescribeConfigsResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 4;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(flexible)?;
        message.resource_type = d.i8()?;
        message.resource_name = d.string(flexible)?;
        message.configs = d.array(flexible, |d| DescribeConfigsResourceResult::decode(d, version))?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.i16(self.error_code);
        e.nullable_string(self.error_message, flexible);
        e.i8(self.resource_type);
        e.string(self.resource_name, flexible);
        e.array(&self.configs, flexible, |e, item| item.encode(e, version));
        if version >= 4 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `DescribeConfigsResourceResult` of [`DescribeConfigsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeConfigsResourceResult<'a> {
    /// `Name`, versions 1–4.
    pub name: &'a str,
    /// `Value`, versions 1–4.
    pub value: Option<&'a str>,
    /// `ReadOnly`, versions 1–4.
    pub read_only: bool,
    /// `ConfigSource`, versions 1–4.
    pub config_source: i8,
    /// `IsSensitive`, versions 1–4.
    pub is_sensitive: bool,
    /// `Synonyms`, versions 1–4.
    pub synonyms: Vec<DescribeConfigsSynonym<'a>>,
    /// `ConfigType`, versions 3–4.
    pub config_type: i8,
    /// `Documentation`, versions 3–4.
    pub documentation: Option<&'a str>,
}

impl Default for DescribeConfigsResourceResult<'_> {
    fn default() -> Self {
        DescribeConfigsResourceResult {
            name: "",
            value: Some(""),
            read_only: false,
            config_source: -1,
            is_sensitive: false,
            synonyms: Vec::new(),
            config_type: 0,
            documentation: Some(""),
        }
    }
}

impl<'a> DescribeConfigsResourceResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 4;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.value = d.nullable_string(flexible)?;
        message.read_only = d.bool()?;
        message.config_source = d.i8()?;
        message.is_sensitive = d.bool()?;
        message.synonyms = d.array(flexible, |d| DescribeConfigsSynonym::decode(d, version))?;
        if version >= 3 {
            message.config_type = d.i8()?;
            message.documentation = d.nullable_string(flexible)?;
        }
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.string(self.name, flexible);
        e.nullable_string(self.value, flexible);
        e.bool(self.read_only);
        e.i8(self.config_source);
        e.bool(self.is_sensitive);
        e.array(&self.synonyms, flexible, |e, item| item.encode(e, version));
        if version >= 3 {
            e.i8(self.config_type);
            e.nullable_string(self.documentation, flexible);
        }
        if version >= 4 {
            e.no_tags();
        }
    }
}

/// `DescribeConfigsSynonym` of [`DescribeConfigsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeConfigsSynonym<'a> {
    /// `Name`, versions 1–4.
    pub name: &'a str,
    /// `Value`, versions 1–4.
    pub value: Option<&'a str>,
    /// `Source`, versions 1–4.
    pub source: i8,
}

impl Default for DescribeConfigsSynonym<'_> {
    fn default() -> Self {
        DescribeConfigsSynonym { name: "", value: Some(""), source: 0 }
    }
}

impl<'a> DescribeConfigsSynonym<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 4;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.value = d.nullable_string(flexible)?;
        message.source = d.i8()?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.string(self.name, flexible);
        e.nullable_string(self.value, flexible);
        e.i8(self.source);
        if version >= 4 {
            e.no_tags();
        }
    }
}
