//! DescribeClusterRequest, key 60. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeClusterRequest`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeClusterRequest {
    /// `IncludeClusterAuthorizedOperations`, versions 0–2.
    pub include_cluster_authorized_operations: bool,
    /// `EndpointType`, versions 1–2.
    pub endpoint_type: i8,
    /// `IncludeFencedBrokers`, version 2.
    pub include_fenced_brokers: bool,
}

impl Default for DescribeClusterRequest {
    fn default() -> Self {
        DescribeClusterRequest {
            include_cluster_authorized_operations: false,
            endpoint_type: 1,
            include_fenced_brokers: false,
        }
    }
}

impl<'a> Message<'a> for DescribeClusterRequest {
    const NAME: &'static str = "DescribeClusterRequest";
    const API_KEY: Option<i16> = Some(60);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.include_cluster_authorized_operations = d.bool()?;
        if version >= 1 {
            message.endpoint_type = d.i8()?;
        }
        if version >= 2 {
            message.include_fenced_brokers = d.bool()?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.bool(self.include_cluster_authorized_operations);
        if version >= 1 {
            e.i8(self.endpoint_type);
        }
        if version >= 2 {
            e.bool(self.include_fenced_brokers);
        }
        e.no_tags();
    }
}
