//! DescribeClusterResponse, key 60. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeClusterResponse`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeClusterResponse<'a> {
    /// `ThrottleTimeMs`, versions 0–2.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, versions 0–2.
    pub error_code: i16,
    /// `ErrorMessage`, versions 0–2.
    pub error_message: Option<&'a str>,
    /// `EndpointType`, versions 1–2.
    pub endpoint_type: i8,
    /// `ClusterId`, versions 0–2.
    pub cluster_id: &'a str,
    /// `ControllerId`, versions 0–2.
    pub controller_id: i32,
    /// `Brokers`, versions 0–2.
    pub brokers: Vec<DescribeClusterBroker<'a>>,
    /// `ClusterAuthorizedOperations`, versions 0–2.
    pub cluster_authorized_operations: i32,
}

impl Default for DescribeClusterResponse<'_> {
    fn default() -> Self {
        DescribeClusterResponse {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: None,
            endpoint_type: 1,
            cluster_id: "",
            controller_id: -1,
            brokers: Vec::new(),
            cluster_authorized_operations: -2147483648,
        }
    }
}

impl<'a> Message<'a> for DescribeClusterResponse<'a> {
    const NAME: &'static str = "DescribeClusterResponse";
    const API_KEY: Option<i16> = Some(60);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(true)?;
        if version >= 1 {
            message.endpoint_type = d.i8()?;
        }
        message.cluster_id = d.string(true)?;
        message.controller_id = d.i32()?;
        message.brokers = d.array(true, |d| DescribeClusterBroker::decode(d, version))?;
        message.cluster_authorized_operations = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.nullable_string(self.error_message, true);
        if version >= 1 {
            e.i8(self.endpoint_type);
        }
        e.string(self.cluster_id, true);
        e.i32(self.controller_id);
        e.array(&self.brokers, true, |e, item| item.encode(e, version));
        e.i32(self.cluster_authorized_operations);
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `DescribeClusterBroker` of [`DescribeClusterResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeClusterBroker<'a> {
    /// `BrokerId`, versions 0–2.
    pub broker_id: i32,
    /// `Host`, versions 0–2.
    pub host: &'a str,
    /// `Port`, versions 0–2.
    pub port: i32,
    /// `Rack`, versions 0–2.
    pub rack: Option<&'a str>,
    /// `IsFenced`, version 2.
    pub is_fenced: bool,
}

impl<'a> DescribeClusterBroker<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.broker_id = d.i32()?;
        message.host = d.string(true)?;
        message.port = d.i32()?;
        message.rack = d.nullable_string(true)?;
        if version >= 2 {
            message.is_fenced = d.bool()?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.broker_id);
        e.string(self.host, true);
        e.i32(self.port);
        e.nullable_string(self.rack, true);
        if version >= 2 {
            e.bool(self.is_fenced);
        }
        e.no_tags();
    }
}
