//! LeaveGroupRequest, key 13. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `LeaveGroupRequest`, versions 0–5, flexible from 4.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeaveGroupRequest<'a> {
    /// `GroupId`, versions 0–5.
    pub group_id: &'a str,
    /// `MemberId`, versions 0–2.
    pub member_id: &'a str,
    /// `Members`, versions 3–5.
    pub members: Vec<MemberIdentity<'a>>,
}

impl<'a> Message<'a> for LeaveGroupRequest<'a> {
    const NAME: &'static str = "LeaveGroupRequest";
    const API_KEY: Option<i16> = Some(13);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=5;
    const FLEXIBLE_FROM: i16 = 4;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 4;
        let mut message = Self::default();
        message.group_id = d.string(flexible)?;
        if version <= 2 {
            message.member_id = d.string(false)?;
        }
        if version >= 3 {
            message.members = d.array(flexible, |d| MemberIdentity::decode(d, version))?;
        }
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.string(self.group_id, flexible);
        if version <= 2 {
            e.string(self.member_id, false);
        }
        if version >= 3 {
            e.array(&self.members, flexible, |e, item| item.encode(e, version));
        }
        if version >= 4 {
            e.no_tags();
        }
    }
}

/// `MemberIdentity` of [`LeaveGroupRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemberIdentity<'a> {
    /// `MemberId`, versions 3–5.
    pub member_id: &'a str,
    /// `GroupInstanceId`, versions 3–5.
    pub group_instance_id: Option<&'a str>,
    /// `Reason`, version 5.
    pub reason: Option<&'a str>,
}

impl<'a> MemberIdentity<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 4;
        let mut message = Self::default();
        message.member_id = d.string(flexible)?;
        message.group_instance_id = d.nullable_string(flexible)?;
        if version >= 5 {
            message.reason = d.nullable_string(true)?;
        }
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
        if version >= 5 {
            e.nullable_string(self.reason, true);
        }
        if version >= 4 {
            e.no_tags();
        }
    }
}
