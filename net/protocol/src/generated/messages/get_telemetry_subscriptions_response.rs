//! GetTelemetrySubscriptionsResponse, key 71. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `GetTelemetrySubscriptionsResponse`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GetTelemetrySubscriptionsResponse<'a> {
    /// `ThrottleTimeMs`, version 0.
    pub throttle_time_ms: i32,
    /// `ErrorCode`, version 0.
    pub error_code: i16,
    /// `ClientInstanceId`, version 0.
    pub client_instance_id: Uuid,
    /// `SubscriptionId`, version 0.
    pub subscription_id: i32,
    /// `AcceptedCompressionTypes`, version 0.
    pub accepted_compression_types: Vec<i8>,
    /// `PushIntervalMs`, version 0.
    pub push_interval_ms: i32,
    /// `TelemetryMaxBytes`, version 0.
    pub telemetry_max_bytes: i32,
    /// `DeltaTemporality`, version 0.
    pub delta_temporality: bool,
    /// `RequestedMetrics`, version 0.
    pub requested_metrics: Vec<&'a str>,
}

impl<'a> Message<'a> for GetTelemetrySubscriptionsResponse<'a> {
    const NAME: &'static str = "GetTelemetrySubscriptionsResponse";
    const API_KEY: Option<i16> = Some(71);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.error_code = d.i16()?;
        message.client_instance_id = d.uuid()?;
        message.subscription_id = d.i32()?;
        message.accepted_compression_types = d.array(true, Decoder::i8)?;
        message.push_interval_ms = d.i32()?;
        message.telemetry_max_bytes = d.i32()?;
        message.delta_temporality = d.bool()?;
        message.requested_metrics = d.array(true, |d| d.string(true))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.throttle_time_ms);
        e.i16(self.error_code);
        e.uuid(self.client_instance_id);
        e.i32(self.subscription_id);
        e.array(&self.accepted_compression_types, true, |e, item| e.i8(*item));
        e.i32(self.push_interval_ms);
        e.i32(self.telemetry_max_bytes);
        e.bool(self.delta_temporality);
        e.array(&self.requested_metrics, true, |e, item| e.string(item, true));
        e.no_tags();
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}
