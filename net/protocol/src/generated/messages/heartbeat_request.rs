//! HeartbeatRequest, key 12. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `HeartbeatRequest`, versions 0–4, flexible from 4.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeartbeatRequest<'a> {
    /// `GroupId`, versions 0–4.
    pub group_id: &'a str,
    /// `GenerationId`, versions 0–4.
    pub generation_id: i32,
    /// `MemberId`, versions 0–4.
    pub member_id: &'a str,
    /// `GroupInstanceId`, versions 3–4.
    pub group_instance_id: Option<&'a str>,
}

impl<'a> Message<'a> for HeartbeatRequest<'a> {
    const NAME: &'static str = "HeartbeatRequest";
    const API_KEY: Option<i16> = Some(12);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=4;
    const FLEXIBLE_FROM: i16 = 4;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 4;
        let mut message = Self::default();
        message.group_id = d.string(flexible)?;
        message.generation_id = d.i32()?;
        message.member_id = d.string(flexible)?;
        if version >= 3 {
            message.group_instance_id = d.nullable_string(flexible)?;
        }
        if version >= 4 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.string(self.group_id, flexible);
        e.i32(self.generation_id);
        e.string(self.member_id, flexible);
        if version >= 3 {
            e.nullable_string(self.group_instance_id, flexible);
        }
        if version >= 4 {
            e.no_tags();
        }
    }
}
