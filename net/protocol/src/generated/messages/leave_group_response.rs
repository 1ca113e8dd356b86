//! LeaveGroupResponse, key 13. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `LeaveGroupResponse`, versions 0–5, flexible from 4.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeaveGroupResponse<'a> {
    /// `ThrottleTimeMs`, versions 1–5.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–5.
    pub error_code: i16,
    /// `Members`, versions 3–5.
    pub members: Vec<MemberResponse<'a>>,
}

impl<'a> Message<'a> for LeaveGroupResponse<'a> {
    const NAME: &'static str = "LeaveGroupResponse";
    const API_KEY: Option<i16> = Some(13);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=5;
    const FLEXIBLE_FROM: i16 = 4;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 4;
        let mut message = Self::default();
        if version >= 1 {
            message.throttle_time_ms = d.i32()?;
        }
        message.error_code = d.i16()?;
        if version >= 3 {
            message.members = d.array(flexible, |d| MemberResponse::decode(d, version))?;
        }
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        if version >= 1 {
            e.i32(self.throttle_time_ms);
        }
        e.i16(self.error_code);
        if version >= 3 {
            e.array(&self.members, flexible, |e, item| item.encode(e, version));
        }
        if version >= 4 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.members {
            one.each_error(on);
        }
    }
}

/// `MemberResponse` of [`LeaveGroupResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct MemberResponse<'a> {
    /// `MemberId`, versions 3–5.
    pub member_id: &'a str,
    /// `GroupInstanceId`, versions 3–5.
    pub group_instance_id: Option<&'a str>,
    /// `ErrorCode`, versions 3–5.
    pub error_code: i16,
}

impl Default for MemberResponse<'_> {
    fn default() -> Self {
        MemberResponse { member_id: "", group_instance_id: Some(""), error_code: 0 }
    }
}

impl<'a> MemberResponse<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 4;
        let mut message = Self::default();
        message.member_id = d.string(flexible)?;
        message.group_instance_id = d.nullable_string(flexible)?;
        message.error_code = d.i16()?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.string(self.member_id, flexible);
        e.nullable_string(self.group_instance_id, flexible);
        e.i16(self.error_code);
        if version >= 4 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
