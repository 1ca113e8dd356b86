//! DeleteAclsRequest, key 31. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DeleteAclsRequest`, versions 1–3, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteAclsRequest<'a> {
    /// `Filters`, versions 1–3.
    pub filters: Vec<DeleteAclsFilter<'a>>,
}

impl<'a> Message<'a> for DeleteAclsRequest<'a> {
    const NAME: &'static str = "DeleteAclsRequest";
    const API_KEY: Option<i16> = Some(31);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=3;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.filters = d.array(flexible, |d| DeleteAclsFilter::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.array(&self.filters, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `DeleteAclsFilter` of [`DeleteAclsRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct DeleteAclsFilter<'a> {
    /// `ResourceTypeFilter`, versions 1–3.
    pub resource_type_filter: i8,
    /// `ResourceNameFilter`, versions 1–3.
    pub resource_name_filter: Option<&'a str>,
    /// `PatternTypeFilter`, versions 1–3.
    pub pattern_type_filter: i8,
    /// `PrincipalFilter`, versions 1–3.
    pub principal_filter: Option<&'a str>,
    /// `HostFilter`, versions 1–3.
    pub host_filter: Option<&'a str>,
    /// `Operation`, versions 1–3.
    pub operation: i8,
    /// `PermissionType`, versions 1–3.
    pub permission_type: i8,
}

impl Default for DeleteAclsFilter<'_> {
    fn default() -> Self {
        DeleteAclsFilter {
            resource_type_filter: 0,
            resource_name_filter: Some(""),
            pattern_type_filter: 3,
            principal_filter: Some(""),
            host_filter: Some(""),
            operation: 0,
            permission_type: 0,
        }
    }
}

impl<'a> DeleteAclsFilter<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.resource_type_filter = d.i8()?;
        message.resource_name_filter = d.nullable_string(flexible)?;
        message.pattern_type_filter = d.i8()?;
        message.principal_filter = d.nullable_string(flexible)?;
        message.host_filter = d.nullable_string(flexible)?;
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
        e.i8(self.resource_type_filter);
        e.nullable_string(self.resource_name_filter, flexible);
        e.i8(self.pattern_type_filter);
        e.nullable_string(self.principal_filter, flexible);
        e.nullable_string(self.host_filter, flexible);
        e.i8(self.operation);
        e.i8(self.permission_type);
        if version >= 2 {
            e.no_tags();
        }
    }
}
