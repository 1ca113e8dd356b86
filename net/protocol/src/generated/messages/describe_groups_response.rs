//! DescribeGroupsResponse, key 15. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeGroupsResponse`, versions 0–6, flexible from 5.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeGroupsResponse<'a> {
    /// `ThrottleTimeMs`, versions 1–6.
    pub throttle_time_ms: i32,
    /// `Groups`, versions 0–6.
    pub groups: Vec<DescribedGroup<'a>>,
}

impl<'a> Message<'a> for DescribeGroupsResponse<'a> {
    const NAME: &'static str = "DescribeGroupsResponse";
    const API_KEY: Option<i16> = Some(15);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=6;
    const FLEXIBLE_FROM: i16 = 5;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 5;
        let mut message = Self::default();
        if version >= 1 {
            message.throttle_time_ms = d.i32()?;
        }
        message.groups = d.array(flexible, |d| DescribedGroup::decode(d, version))?;
        if version >= 5 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 5;
        if version >= 1 {
            e.i32(self.throttle_time_ms);
        }
        e.array(&self.groups, flexible, |e, item| item.encode(e, version));
        if version >= 5 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.groups {
            one.each_error(on);
        }
    }
}

/// `DescribedGroup` of [`DescribeGroupsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct DescribedGroup<'a> {
    /// `ErrorCode`, versions 0–6.
    pub error_code: i16,
    /// `ErrorMessage`, version 6.
    pub error_message: Option<&'a str>,
    /// `GroupId`, versions 0–6.
    pub group_id: &'a str,
    /// `GroupState`, versions 0–6.
    pub group_state: &'a str,
    /// `ProtocolType`, versions 0–6.
    pub protocol_type: &'a str,
    /// `ProtocolData`, versions 0–6.
    pub protocol_data: &'a str,
    /// `Members`, versions 0–6.
    pub members: Vec<DescribedGroupMember<'a>>,
    /// `AuthorizedOperations`, versions 3–6.
    pub authorized_operations: i32,
}

impl Default for DescribedGroup<'_> {
    fn default() -> Self {
        DescribedGroup {
            error_code: 0,
            error_message: None,
            group_id: "",
            group_state: "",
            protocol_type: "",
            protocol_data: "",
            members: Vec::new(),
            authorized_operations: -2147483648,
        }
    }
}

impl<'a> DescribedGroup<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 5;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        if version >= 6 {
            message.error_message = d.nullable_string(true)?;
        }
        message.group_id = d.string(flexible)?;
        message.group_state = d.string(flexible)?;
        message.protocol_type = d.string(flexible)?;
        message.protocol_data = d.string(flexible)?;
        message.members = d.array(flexible, |d| DescribedGroupMember::decode(d, version))?;
        if version >= 3 {
            message.authorized_operations = d.i32()?;
        }
        if version >= 5 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 5;
        e.i16(self.error_code);
        if version >= 6 {
            e.nullable_string(self.error_message, true);
        }
        e.string(self.group_id, flexible);
        e.string(self.group_state, flexible);
        e.string(self.protocol_type, flexible);
        e.string(self.protocol_data, flexible);
        e.array(&self.members, flexible, |e, item| item.encode(e, version));
        if version >= 3 {
            e.i32(self.authorized_operations);
        }
        if version >= 5 {
            e.no_tags();
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `DescribedGroupMember` of [`DescribeGroupsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribedGroupMember<'a> {
    /// `MemberId`, versions 0–6.
    pub member_id: &'a str,
    /// `GroupInstanceId`, versions 4–6.
    pub group_instance_id: Option<&'a str>,
    /// `ClientId`, versions 0–6.
    pub client_id: &'a str,
    /// `ClientHost`, versions 0–6.
    pub client_host: &'a str,
    /// `MemberMetadata`, versions 0–6.
    pub member_metadata: &'a [u8],
    /// `MemberAssignment`, versions 0–6.
    pub member_assignment: &'a [u8],
}

impl<'a> DescribedGroupMember<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 5;
        let mut message = Self::default();
        message.member_id = d.string(flexible)?;
        if version >= 4 {
            message.group_instance_id = d.nullable_string(flexible)?;
        }
        message.client_id = d.string(flexible)?;
        message.client_host = d.string(flexible)?;
        message.member_metadata = d.bytes(flexible)?;
        message.member_assignment = d.bytes(flexible)?;
        if version >= 5 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 5;
        e.string(self.member_id, flexible);
        if version >= 4 {
            e.nullable_string(self.group_instance_id, flexible);
        }
        e.string(self.client_id, flexible);
        e.string(self.client_host, flexible);
        e.bytes(self.member_metadata, flexible);
        e.bytes(self.member_assignment, flexible);
        if version >= 5 {
            e.no_tags();
        }
    }
}
