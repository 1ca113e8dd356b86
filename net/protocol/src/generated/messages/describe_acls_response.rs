//! DescribeAclsResponse, key 29. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeAclsResponse`, versions 1–3, flexible from 2.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeAclsResponse<'a> {
    /// `ThrottleTimeMs`, versions 1–3.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 1–3.
    pub error_code: i16,
    /// `ErrorMessage`, versions 1–3.
    pub error_message: Option<&'a str>,
    /// `Resources`, versions 1–3.
    pub resources: Vec<DescribeAclsResource<'a>>,
}

impl Default for DescribeAclsResponse<'_> {
    fn default() -> Self {
        DescribeAclsResponse {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(""),
            resources: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for DescribeAclsResponse<'a> {
    const NAME: &'static str = "DescribeAclsResponse";
    const API_KEY: Option<i16> = Some(29);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=3;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(flexible)?;
        message.resources = d.array(flexible, |d| DescribeAclsResource::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, flexible);
        e.array(&self.resources, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `DescribeAclsResource` of [`DescribeAclsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeAclsResource<'a> {
    /// `ResourceType`, versions 1–3.
    pub resource_type: i8,
    /// `ResourceName`, versions 1–3.
    pub resource_name: &'a str,
    /// `PatternType`, versions 1–3.
    pub pattern_type: i8,
    /// `Acls`, versions 1–3.
    pub acls: Vec<AclDescription<'a>>,
}

impl Default for DescribeAclsResource<'_> {
    fn default() -> Self {
        DescribeAclsResource { resource_type: 0, resource_name: "", pattern_type: 3, acls: Vec::new() }
    }
}

impl<'a> DescribeAclsResource<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.resource_type = d.i8()?;
        message.resource_name = d.string(flexible)?;
        message.pattern_type = d.i8()?;
        message.acls = d.array(flexible, |d| AclDescription::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i8(self.resource_type);
        e.string(self.resource_name, flexible);
        e.i8(self.pattern_type);
        e.array(&self.acls, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `AclDescription` of [`DescribeAclsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AclDescription<'a> {
    /// `Principal`, versions 1–3.
    pub principal: &'a str,
    /// `Host`, versions 1–3.
    pub host: &'a str,
    /// `Operation`, versions 1–3.
    pub operation: i8,
    /// `PermissionType`, versions 1–3.
    pub permission_type: i8,
}

impl<'a> AclDescription<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.principal = d.string(flexible)?;
        message.host = d.string(flexible)?;
        message.operation = d.i8()?;
        message.permission_type = d.i8()?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.string(self.principal, flexible);
        e.string(self.host, flexible);
        e.i8(self.operation);
        e.i8(self.permission_type);
        if version >= 2 {
            e.no_tags();
        }
    }
}
