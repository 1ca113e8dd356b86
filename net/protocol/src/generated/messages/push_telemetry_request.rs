//! PushTelemetryRequest, key 72. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `PushTelemetryRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PushTelemetryRequest<'a> {
    /// `ClientInstanceId`, version 0.
    pub client_instance_id: Uuid,
    /// `SubscriptionId`, version 0.
    pub subscription_id: i32,
    /// `Terminating`, version 0.
    pub terminating: bool,
    /// `CompressionType`, version 0.
    pub compression_type: i8,
    /// `Metrics`, version 0.
    pub metrics: &'a [u8],
}

impl<'a> Message<'a> for PushTelemetryRequest<'a> {
    const NAME: &'static str = "PushTelemetryRequest";
    const API_KEY: Option<i16> = Some(72);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.client_instance_id = d.uuid()?;
        message.subscription_id = d.i32()?;
        message.terminating = d.bool()?;
        message.compression_type = d.i8()?;
        message.metrics = d.bytes(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.uuid(self.client_instance_id);
        e.i32(self.subscription_id);
        e.bool(self.terminating);
        e.i8(self.compression_type);
        e.bytes(self.metrics, true);
        e.no_tags();
    }
}
