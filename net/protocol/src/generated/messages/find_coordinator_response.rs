//! FindCoordinatorResponse, key 10. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `FindCoordinatorResponse`, versions 0–6, flexible from 3.
#[derive(Debug, Clone, PartialEq)]
pub struct FindCoordinatorResponse<'a> {
    /// `ThrottleTimeMs`, versions 1–6.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–3.
    pub error_code: i16,
    /// `ErrorMessage`, versions 1–3.
    pub error_message: Option<&'a str>,
    /// `NodeId`, versions 0–3.
    pub node_id: i32,
    /// `Host`, versions 0–3.
    pub host: &'a str,
    /// `Port`, versions 0–3.
    pub port: i32,
    /// `Coordinators`, versions 4–6.
    pub coordinators: Vec<Coordinator<'a>>,
}

impl Default for FindCoordinatorResponse<'_> {
    fn default() -> Self {
        FindCoordinatorResponse {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(""),
            node_id: 0,
            host: "",
            port: 0,
            coordinators: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for FindCoordinatorResponse<'a> {
    const NAME: &'static str = "FindCoordinatorResponse";
    const API_KEY: Option<i16> = Some(10);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=6;
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
        if version <= 3 {
            message.error_code = d.i16()?;
        }
        if (1..=3).contains(&version) {
            message.error_message = d.nullable_string(flexible)?;
        }
        if version <= 3 {
            message.node_id = d.i32()?;
            message.host = d.string(flexible)?;
            message.port = d.i32()?;
        }
        if version >= 4 {
            message.coordinators = d.array(true, |d| Coordinator::decode(d, version))?;
        }
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
        if version <= 3 {
            e.i16(self.error_code);
        }
        if (1..=3).contains(&version) {
            e.nullable_string(self.error_message, flexible);
        }
        if version <= 3 {
            e.i32(self.node_id);
            e.string(self.host, flexible);
            e.i32(self.port);
        }
        if version >= 4 {
            e.array(&self.coordinators, true, |e, item| item.encode(e, version));
        }
        if version >= 3 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
        for one in &self.coordinators {
            one.each_error(on);
        }
    }
}

/// `Coordinator` of [`FindCoordinatorResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct Coordinator<'a> {
    /// `Key`, versions 4–6.
    pub key: &'a str,
    /// `NodeId`, versions 4–6.
    pub node_id: i32,
    /// `Host`, versions 4–6.
    pub host: &'a str,
    /// `Port`, versions 4–6.
    pub port: i32,
    /// `ErrorCode`, versions 4–6.
    pub error_code: i16,
    /// `ErrorMessage`, versions 4–6.
    pub error_message: Option<&'a str>,
}

impl Default for Coordinator<'_> {
    fn default() -> Self {
        Coordinator { key: "", node_id: 0, host: "", port: 0, error_code: 0, error_message: Some("") }
    }
}

impl<'a> Coordinator<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.key = d.string(true)?;
        message.node_id = d.i32()?;
        message.host = d.string(true)?;
        message.port = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.key, true);
        e.i32(self.node_id);
        e.string(self.host, true);
        e.i32(self.port);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        e.no_tags();
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
