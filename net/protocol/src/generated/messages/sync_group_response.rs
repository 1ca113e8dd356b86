//! SyncGroupResponse, key 14. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `SyncGroupResponse`, versions 0–5, flexible from 4.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SyncGroupResponse<'a> {
    /// `ThrottleTimeMs`, versions 1–5.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–5.
    pub error_code: i16,
    /// `ProtocolType`, version 5.
    pub protocol_type: Option<&'a str>,
    /// `ProtocolName`, version 5.
    pub protocol_name: Option<&'a str>,
    /// `Assignment`, versions 0–5.
    pub assignment: &'a [u8],
}

impl<'a> Message<'a> for SyncGroupResponse<'a> {
    const NAME: &'static str = "SyncGroupResponse";
    const API_KEY: Option<i16> = Some(14);
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
        if version >= 5 {
            message.protocol_type = d.nullable_string(true)?;
            message.protocol_name = d.nullable_string(true)?;
        }
        message.assignment = d.bytes(flexible)?;
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
        if version >= 5 {
            e.nullable_string(self.protocol_type, true);
            e.nullable_string(self.protocol_name, true);
        }
        e.bytes(self.assignment, flexible);
        if version >= 4 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
