//! GetTelemetrySubscriptionsRequest, key 71. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `GetTelemetrySubscriptionsRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GetTelemetrySubscriptionsRequest {
    /// `ClientInstanceId`, version 0.
    pub client_instance_id: Uuid,
}

impl<'a> Message<'a> for GetTelemetrySubscriptionsRequest {
    const NAME: &'static str = "GetTelemetrySubscriptionsRequest";
    const API_KEY: Option<i16> = Some(71);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.client_instance_id = d.uuid()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.uuid(self.client_instance_id);
        e.no_tags();
    }
}
