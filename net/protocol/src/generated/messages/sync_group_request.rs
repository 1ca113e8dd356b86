//! SyncGroupRequest, key 14. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `SyncGroupRequest`, versions 0–5, flexible from 4.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SyncGroupRequest<'a> {
    /// `GroupId`, versions 0–5.
    pub group_id: &'a str,
    /// `GenerationId`, versions 0–5.
    pub generation_id: i32,
    /// `MemberId`, versions 0–5.
    pub member_id: &'a str,
    /// `GroupInstanceId`, versions 3–5.
    pub group_instance_id: Option<&'a str>,
    /// `ProtocolType`, version 5.
    pub protocol_type: Option<&'a str>,
    /// `ProtocolName`, version 5.
    pub protocol_name: Option<&'a str>,
    /// `Assignments`, versions 0–5.
    pub assignments: Vec<SyncGroupRequestAssignment<'a>>,
}

impl<'a> Message<'a> for SyncGroupRequest<'a> {
    const NAME: &'static str = "SyncGroupRequest";
    const API_KEY: Option<i16> = Some(14);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=5;
    const FLEXIBLE_FROM: i16 = 4;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 4;
        let mut message = Self::default();
        message.group_id = d.string(flexible)?;
        message.generation_id = d.i32()?;
        message.member_id = d.string(flexible)?;
        if version >= 3 {
            message.group_instance_id = d.nullable_string(flexible)?;
        }
        if version >= 5 {
            message.protocol_type = d.nullable_string(true)?;
            message.protocol_name = d.nullable_string(true)?;
        }
        message.assignments = d.array(flexible, |d| SyncGroupRequestAssignment::decode(d, version))?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.string(self.group_id, flexible);
        e.i32(self.generation_id);
        e.string(self.member_id, flexible);
        if version >= 3 {
            e.nullable_string(self.group_instance_id, flexible);
        }
        if version >= 5 {
            e.nullable_string(self.protocol_type, true);
            e.nullable_string(self.protocol_name, true);
        }
        e.array(&self.assignments, flexible, |e, item| item.encode(e, version));
        if version >= 4 {
            e.no_tags();
        }
    }
}

/// `SyncGroupRequestAssignment` of [`SyncGroupRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SyncGroupRequestAssignment<'a> {
    /// `MemberId`, versions 0–5.
    pub member_id: &'a str,
    /// `Assignment`, versions 0–5.
    pub assignment: &'a [u8],
}

impl<'a> SyncGroupRequestAssignment<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 4;
        let mut message = Self::default();
        message.member_id = d.string(flexible)?;
        message.assignment = d.bytes(flexible)?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.string(self.member_id, flexible);
        e.bytes(self.assignment, flexible);
        if version >= 4 {
            e.no_tags();
        }
    }
}
