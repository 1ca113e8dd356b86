//! GroupMetadataValue, key 2. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `GroupMetadataValue`, versions 0–4, flexible from 4.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupMetadataValue<'a> {
    /// `protocolType`, versions 0–4.
    pub protocol_type: &'a str,
    /// `generation`, versions 0–4.
    pub generation: i32,
    /// `protocol`, versions 0–4.
    pub protocol: Option<&'a str>,
    /// `leader`, versions 0–4.
    pub leader: Option<&'a str>,
    /// `currentStateTimestamp`, versions 2–4.
    pub current_state_timestamp: i64,
    /// `members`, versions 0–4.
    pub members: Vec<MemberMetadata<'a>>,
}

impl Default for GroupMetadataValue<'_> {
    fn default() -> Self {
        GroupMetadataValue {
            protocol_type: "",
            generation: 0,
            protocol: Some(""),
            leader: Some(""),
            current_state_timestamp: -1,
            members: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for GroupMetadataValue<'a> {
    const NAME: &'static str = "GroupMetadataValue";
    const API_KEY: Option<i16> = Some(2);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=4;
    const FLEXIBLE_FROM: i16 = 4;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 4;
        let mut message = Self::default();
        message.protocol_type = d.string(flexible)?;
        message.generation = d.i32()?;
        message.protocol = d.nullable_string(flexible)?;
        message.leader = d.nullable_string(flexible)?;
        if version >= 2 {
            message.current_state_timestamp = d.i64()?;
        }
        message.members = d.array(flexible, |d| MemberMetadata::decode(d, version))?;
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.string(self.protocol_type, flexible);
        e.i32(self.generation);
        e.nullable_string(self.protocol, flexible);
        e.nullable_string(self.leader, flexible);
        if version >= 2 {
            e.i64(self.current_state_timestamp);
        }
        e.array(&self.members, flexible, |e, item| item.encode(e, version));
        if version >= 4 {
            e.no_tags();
        }
    }
}

/// `MemberMetadata` of [`GroupMetadataValue`].
#[derive(Debug, Clone, PartialEq)]
pub struct MemberMetadata<'a> {
    /// `memberId`, versions 0–4.
    pub member_id: &'a str,
    /// `groupInstanceId`, versions 3–4.
    pub group_instance_id: Option<&'a str>,
    /// `clientId`, versions 0–4.
    pub client_id: &'a str,
    /// `clientHost`, versions 0–4.
    pub client_host: &'a str,
    /// `rebalanceTimeout`, versions 1–4.
    pub rebalance_timeout: i32,
    /// `sessionTimeout`, versions 0–4.
    pub session_timeout: i32,
    /// `subscription`, versions 0–4.
    pub subscription: &'a [u8],
    /// `assignment`, versions 0–4.
    pub assignment: &'a [u8],
}

impl Default for MemberMetadata<'_> {
    fn default() -> Self {
        MemberMetadata {
            member_id: "",
            group_instance_id: None,
            client_id: "",
            client_host: "",
            rebalance_timeout: -1,
            session_timeout: 0,
            subscription: &[],
            assignment: &[],
        }
    }
}

impl<'a> MemberMetadata<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 4;
        let mut message = Self::default();
        message.member_id = d.string(flexible)?;
        if version >= 3 {
            message.group_instance_id = d.nullable_string(flexible)?;
        }
        message.client_id = d.string(flexible)?;
        message.client_host = d.string(flexible)?;
        if version >= 1 {
            message.rebalance_timeout = d.i32()?;
        }
        message.session_timeout = d.i32()?;
        message.subscription = d.bytes(flexible)?;
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
        if version >= 3 {
            e.nullable_string(self.group_instance_id, flexible);
        }
        e.string(self.client_id, flexible);
        e.string(self.client_host, flexible);
        if version >= 1 {
            e.i32(self.rebalance_timeout);
        }
        e.i32(self.session_timeout);
        e.bytes(self.subscription, flexible);
        e.bytes(self.assignment, flexible);
        if version >= 4 {
            e.no_tags();
        }
    }
}
