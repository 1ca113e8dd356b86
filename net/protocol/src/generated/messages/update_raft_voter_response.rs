//! UpdateRaftVoterResponse, key 82. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `UpdateRaftVoterResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UpdateRaftVoterResponse<'a> {
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `CurrentLeader`, version 0, tag 0.
    pub current_leader: CurrentLeader<'a>,
}

impl<'a> Message<'a> for UpdateRaftVoterResponse<'a> {
    const NAME: &'static str = "UpdateRaftVoterResponse";
    const API_KEY: Option<i16> = Some(82);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        d.tags(|d, tag| {
            match tag {
                0 => message.current_leader = CurrentLeader::decode(d, version)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        let mut tags = e.tags();
        if self.current_leader != CurrentLeader::default() {
            tags.put(e, 0, |e| self.current_leader.encode(e, version));
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `CurrentLeader` of [`UpdateRaftVoterResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct CurrentLeader<'a> {
    /// `LeaderId`, version 0.
    pub leader_id: i32,
    /// `LeaderEpoch`, version 0.
    pub leader_epoch: i32,
    /// `Host`, version 0.
    pub host: &'a str,
    /// `Port`, version 0.
    pub port: i32,
}

impl Default for CurrentLeader<'_> {
    fn default() -> Self {
        CurrentLeader { leader_id: -1, leader_epoch: -1, host: "", port: 0 }
    }
}

impl<'a> CurrentLeader<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.leader_id = d.i32()?;
        message.leader_epoch = d.i32()?;
        message.host = d.string(true)?;
        message.port = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.leader_id);
        e.i32(self.leader_epoch);
        e.string(self.host, true);
        e.i32(self.port);
        e.no_tags();
    }
}
