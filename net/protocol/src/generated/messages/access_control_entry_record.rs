//! AccessControlEntryRecord, key 18. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `AccessControlEntryRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AccessControlEntryRecord<'a> {
    /// `Id`, version 0.
    pub id: Uuid,
    /// `ResourceType`, version 0.
    pub resource_type: i8,
    /// `ResourceName`, version 0.
    pub resource_name: &'a str,
    /// `PatternType`, version 0.
    pub pattern_type: i8,
    /// `Principal`, version 0.
    pub principal: &'a str,
    /// `Host`, version 0.
    pub host: &'a str,
    /// `Operation`, version 0.
    pub operation: i8,
    /// `PermissionType`, version 0.
    pub permission_type: i8,
}

impl<'a> Message<'a> for AccessControlEntryRecord<'a> {
    const NAME: &'static str = "AccessControlEntryRecord";
    const API_KEY: Option<i16> = Some(18);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.id = d.uuid()?;
        message.resource_type = d.i8()?;
        message.resource_name = d.string(true)?;
        message.pattern_type = d.i8()?;
        message.principal = d.string(true)?;
        message.host = d.string(true)?;
        message.operation = d.i8()?;
        message.permission_type = d.i8()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.uuid(self.id);
        e.i8(self.resource_type);
        e.string(self.resource_name, true);
        e.i8(self.pattern_type);
        e.string(self.principal, true);
        e.string(self.host, true);
        e.i8(self.operation);
        e.i8(self.permission_type);
        e.no_tags();
    }
}
