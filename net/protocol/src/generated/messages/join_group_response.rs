//! JoinGroupResponse, key 11. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `JoinGroupResponse`, versions 0–9, flexible from 6.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinGroupResponse<'a> {
    /// `ThrottleTimeMs`, versions 2–9.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–9.
    pub error_code: i16,
    /// `GenerationId`, versions 0–9.
    pub generation_id: i32,
    /// `ProtocolType`, versions 7–9.
    pub protocol_type: Option<&'a str>,
    /// `ProtocolName`, versions 0–9.
    pub protocol_name: Option<&'a str>,
    /// `Leader`, versions 0–9.
    pub leader: &'a str,
    /// `SkipAssignment`, version 9.
    pub skip_assignment: bool,
    /// `MemberId`, versions 0–9.
    pub member_id: &'a str,
    /// `Members`, versions 0–9.
    pub members: Vec<JoinGroupResponseMember<'a>>,
}

impl Default for JoinGroupResponse<'_> {
    fn default() -> Self {
        JoinGroupResponse {
            throttle_time_ms: 0,
            error_code: 0,
            generation_id: -1,
            protocol_type: None,
            protocol_name: Some(""),
            leader: "",
            skip_assignment: false,
            member_id: "",
            members: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for JoinGroupResponse<'a> {
    const NAME: &'static str = "JoinGroupResponse";
    const API_KEY: Option<i16> = Some(11);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=9;
    const FLEXIBLE_FROM: i16 = 6;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 6;
        let mut message = Self::default();
        if version >= 2 {
            message.throttle_time_ms = d.i32()?;
        }
        message.error_code = d.i16()?;
        message.generation_id = d.i32()?;
        if version >= 7 {
            message.protocol_type = d.nullable_string(true)?;
        }
        message.protocol_name =
            if version >= 7 { d.nullable_string(flexible)? } else { Some(d.string(flexible)?) };
        message.leader = d.string(flexible)?;
        if version >= 9 {
            message.skip_assignment = d.bool()?;
        }
        message.member_id = d.string(flexible)?;
        message.members = d.array(flexible, |d| JoinGroupResponseMember::decode(d, version))?;
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 6;
        if version >= 2 {
            e.i32(self.throttle_time_ms);
        }
        e.i16(self.error_code);
        e.i32(self.generation_id);
        if version >= 7 {
            e.nullable_string(self.protocol_type, true);
        }
        if version >= 7 {
            e.nullable_string(self.protocol_name, flexible)
        } else {
            e.string(self.protocol_name.unwrap_or_default(), flexible)
        };
        e.string(self.leader, flexible);
        if version >= 9 {
            e.bool(self.skip_assignment);
        }
        e.string(self.member_id, flexible);
        e.array(&self.members, flexible, |e, item| item.encode(e, version));
        if version >= 6 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `JoinGroupResponseMember` of [`JoinGroupResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JoinGroupResponseMember<'a> {
    /// `MemberId`, versions 0–9.
    pub member_id: &'a str,
    /// `GroupInstanceId`, versions 5–9.
    pub group_instance_id: Option<&'a str>,
    /// `Metadata`, versions 0–9.
    pub metadata: &'a [u8],
}

impl<'a> JoinGroupResponseMember<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 6;
        let mut message = Self::default();
        message.member_id = d.string(flexible)?;
        if version >= 5 {
            message.group_instance_id = d.nullable_string(flexible)?;
        }
        message.metadata = d.bytes(flexible)?;
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 6;
        e.string(self.member_id, flexible);
        if version >= 5 {
            e.nullable_string(self.group_instance_id, flexible);
        }
        e.bytes(self.metadata, flexible);
        if version >= 6 {
            e.no_tags();
        }
    }
}
