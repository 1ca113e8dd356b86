//! DeleteAclsResponse, key 31. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DeleteAclsResponse`, versions 1–3, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteAclsResponse<'a> {
    /// `ThrottleTimeMs`, versions 1–3.
    pub throttle_time_ms: i32,
    /// `FilterResults`, versions 1–3.
    pub filter_results: Vec<DeleteAclsFilterResult<'a>>,
}

impl<'a> Message<'a> for DeleteAclsResponse<'a> {
    const NAME: &'static str = "DeleteAclsResponse";
    const API_KEY: Option<i16> = Some(31);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=3;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.filter_results = d.array(flexible, |d| DeleteAclsFilterResult::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i32(self.throttle_time_ms);
        e.array(&self.filter_results, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.filter_results {
            one.each_error(on);
        }
    }
}

/// `DeleteAclsFilterResult` of [`DeleteAclsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DeleteAclsFilterResult<'a> {
    /// `ErrorCode`, versions 1–3.
    pub error_code: i16,
    /// `ErrorMessage`, versions 1–3.
    pub error_message: Option<&'a str>,
    /// `MatchingAcls`, versions 1–3.
    pub matching_acls: Vec<DeleteAclsMatchingAcl<'a>>,
}

impl Default for DeleteAclsFilterResult<'_> {
    fn default() -> Self {
        DeleteAclsFilterResult { error_code: 0, error_message: Some(""), matching_acls: Vec::new() }
    }
}

impl<'a> DeleteAclsFilterResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(flexible)?;
        message.matching_acls = d.array(flexible, |d| DeleteAclsMatchingAcl::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.i16(self.error_code);
        e.nullable_string(self.error_message, flexible);
        e.array(&self.matching_acls, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.matching_acls {
            one.each_error(on);
        }
    }
}

/// `DeleteAclsMatchingAcl` of [`DeleteAclsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DeleteAclsMatchingAcl<'a> {
    /// `ErrorCode`, versions 1–3.
    pub error_code: i16,
    /// `ErrorMessage`, versions 1–3.
    pub error_message: Option<&'a str>,
    /// `ResourceType`, versions 1–3.
    pub resource_type: i8,
    /// `ResourceName`, versions 1–3.
    pub resource_name: &'a str,
    /// `PatternType`, versions 1–3.
    pub pattern_type: i8,
    /// `Principal`, versions 1–3.
    pub principal: &'a str,
    /// `Host`, versions 1–3.
    pub host: &'a str,
    /// `Operation`, versions 1–3.
    pub operation: i8,
    /// `PermissionType`, versions 1–3.
    pub permission_type: i8,
}

impl Default for DeleteAclsMatchingAcl<'_> {
    fn default() -> Self {
        DeleteAclsMatchingAcl {
            error_code: 0,
            error_message: Some(""),
            resource_type: 0,
            resource_name: "",
            pattern_type: 3,
            principal: "",
            host: "",
            operation: 0,
            permission_type: 0,
        }
    }
}

impl<'a> DeleteAclsMatchingAcl<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(flexible)?;
        message.resource_type = d.i8()?;
        message.resource_name = d.string(flexible)?;
        message.pattern_type = d.i8()?;
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
        e.i16(self.error_code);
        e.nullable_string(self.error_message, flexible);
        e.i8(self.resource_type);
        e.string(self.resource_name, flexible);
        e.i8(self.pattern_type);
        e.string(self.principal, flexible);
        e.string(self.host, flexible);
        e.i8(self.operation);
        e.i8(self.permission_type);
        if version >= 2 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
