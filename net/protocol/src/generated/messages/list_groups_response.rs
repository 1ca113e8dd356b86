//! ListGroupsResponse, key 16. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ListGroupsResponse`, versions 0–5, flexible from 3.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListGroupsResponse<'a> {
    /// `ThrottleTimeMs`, versions 1–5.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–5.
    pub error_code: i16,
    /// `Groups`, versions 0–5.
    pub groups: Vec<ListedGroup<'a>>,
}

impl<'a> Message<'a> for ListGroupsResponse<'a> {
    const NAME: &'static str = "ListGroupsResponse";
    const API_KEY: Option<i16> = Some(16);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=5;
    const FLEXIBLE_FROM: i16 = 3;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 3;
        let mut message = Self::default();
        if version >= 1 {
            message.throttle_time_ms = d.i32()?;
        }
        message.error_code = d.i16()?;
        message.groups = d.array(flexible, |d| ListedGroup::decode(d, version))?;
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        if version >= 1 {
            e.i32(self.throttle_time_ms);
        }
        e.i16(self.error_code);
        e.array(&self.groups, flexible, |e, item| item.encode(e, version));
        if version >= 3 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `ListedGroup` of [`ListGroupsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListedGroup<'a> {
    /// `GroupId`, versions 0–5.
    pub group_id: &'a str,
    /// `ProtocolType`, versions 0–5.
    pub protocol_type: &'a str,
    /// `GroupState`, versions 4–5.
    pub group_state: &'a str,
    /// `GroupType`, version 5.
    pub group_type: &'a str,
}

impl<'a> ListedGroup<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 3;
        let mut message = Self::default();
        message.group_id = d.string(flexible)?;
        message.protocol_type = d.string(flexible)?;
        if version >= 4 {
            message.group_state = d.string(true)?;
        }
        if version >= 5 {
            message.group_type = d.string(true)?;
        }
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        e.string(self.group_id, flexible);
        e.string(self.protocol_type, flexible);
        if version >= 4 {
            e.string(self.group_state, true);
        }
        if version >= 5 {
            e.string(self.group_type, true);
        }
        if version >= 3 {
            e.no_tags();
        }
    }
}
