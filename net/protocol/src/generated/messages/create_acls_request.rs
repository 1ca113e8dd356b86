//! CreateAclsRequest, key 30. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `CreateAclsRequest`, versions 1–3, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreateAclsRequest<'a> {
    /// `Creations`, versions 1–3.
    pub creations: Vec<AclCreation<'a>>,
}

impl<'a> Message<'a> for CreateAclsRequest<'a> {
    const NAME: &'static str = "CreateAclsRequest";
    const API_KEY: Option<i16> = Some(30);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=3;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.creations = d.array(flexible, |d| AclCreation::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.array(&self.creations, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `AclCreation` of [`CreateAclsRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct AclCreation<'a> {
    /// `ResourceType`, versions 1–3.
    pub resource_type: i8,
    /// `ResourceName`, versions 1–3.
    pub resource_name: &'a str,
    /// `ResourcePatternType`, versions 1–3.
    pub resource_pattern_type: i8,
    /// `Principal`, versions 1–3.
    pub principal: &'a str,
    /// `Host`, versions 1–3.
    pub host: &'a str,
    /// `Operation`, versions 1–3.
    pub operation: i8,
    /// `PermissionType`, versions 1–3.
    pub permission_type: i8,
}

impl Default for AclCreation<'_> {
    fn default() -> Self {
        AclCreation {
            resource_type: 0,
            resource_name: "",
            resource_pattern_type: 3,
            principal: "",
            host: "",
            operation: 0,
            permission_type: 0,
        }
    }
}

impl<'a> AclCreation<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.resource_type = d.i8()?;
        message.resource_name = d.string(flexible)?;
        message.resource_pattern_type = d.i8()?;
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
        e.i8(self.resource_type);
        e.string(self.resource_name, flexible);
        e.i8(self.resource_pattern_type);
        e.string(self.principal, flexible);
        e.string(self.host, flexible);
        e.i8(self.operation);
        e.i8(self.permission_type);
        if version >= 2 {
            e.no_tags();
        }
    }
}
