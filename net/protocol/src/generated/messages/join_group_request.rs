//! JoinGroupRequest, key 11. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `JoinGroupRequest`, versions 0–9, flexible from 6.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinGroupRequest<'a> {
    /// `GroupId`, versions 0–9.
    pub group_id: &'a str,
    /// `SessionTimeoutMs`, versions 0–9.
    pub session_timeout_ms: i32,
    /// `RebalanceTimeoutMs`, versions 1–9.
    pub rebalance_timeout_ms: i32,
    /// `MemberId`, versions 0–9.
    pub member_id: &'a str,
    /// `GroupInstanceId`, versions 5–9.
    pub group_instance_id: Option<&'a str>,
    /// `ProtocolType`, versions 0–9.
    pub protocol_type: &'a str,
    /// `Protocols`, versions 0–9.
    pub protocols: Vec<JoinGroupRequestProtocol<'a>>,
    /// `Reason`, versions 8–9.
    pub reason: Option<&'a str>,
}

impl Default for JoinGroupRequest<'_> {
    fn default() -> Self {
        JoinGroupRequest {
            group_id: "",
            session_timeout_ms: 0,
            rebalance_timeout_ms: -1,
            member_id: "",
            group_instance_id: None,
            protocol_type: "",
            protocols: Vec::new(),
            reason: None,
        }
    }
}

impl<'a> Message<'a> for JoinGroupRequest<'a> {
    const NAME: &'static str = "JoinGroupRequest";
    const API_KEY: Option<i16> = Some(11);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=9;
    const FLEXIBLE_FROM: i16 = 6;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 6;
        let mut message = Self::default();
        message.group_id = d.string(flexible)?;
        message.session_timeout_ms = d.i32()?;
        if version >= 1 {
            message.rebalance_timeout_ms = d.i32()?;
        }
        message.member_id = d.string(flexible)?;
        if version >= 5 {
            message.group_instance_id = d.nullable_string(flexible)?;
        }
        message.protocol_type = d.string(flexible)?;
        message.protocols = d.array(flexible, |d| JoinGroupRequestProtocol::decode(d, version))?;
        if version >= 8 {
            message.reason = d.nullable_string(true)?;
        }
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 6;
        e.string(self.group_id, flexible);
        e.i32(self.session_timeout_ms);
        if version >= 1 {
            e.i32(self.rebalance_timeout_ms);
        }
        e.string(self.member_id, flexible);
        if version >= 5 {
            e.nullable_string(self.group_instance_id, flexible);
        }
        e.string(self.protocol_type, flexible);
        e.array(&self.protocols, flexible, |e, item| item.encode(e, version));
        if version >= 8 {
            e.nullable_string(self.reason, true);
        }
        if version >= 6 {
            e.no_tags();
        }
    }
}

/// `JoinGroupRequestProtocol` of [`JoinGroupRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JoinGroupRequestProtocol<'a> {
    /// `Name`, versions 0–9.
    pub name: &'a str,
    /// `Metadata`, versions 0–9.
    pub metadata: &'a [u8],
}

impl<'a> JoinGroupRequestProtocol<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 6;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.metadata = d.bytes(flexible)?;
        if version >= 6 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 6;
        e.string(self.name, flexible);
        e.bytes(self.metadata, flexible);
        if version >= 6 {
            e.no_tags();
        }
    }
}
