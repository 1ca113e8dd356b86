//! BrokerRegistrationChangeRecord, key 17. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `BrokerRegistrationChangeRecord`, versions 0–3, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BrokerRegistrationChangeRecord {
    /// `BrokerId`, versions 0–3.
    pub broker_id: i32,
    /// `BrokerEpoch`, versions 0–3.
    pub broker_epoch: i64,
    /// `Fenced`, versions 0–3, tag 0.
    pub fenced: i8,
    /// `InControlledShutdown`, versions 1–3, tag 1.
    pub in_controlled_shutdown: i8,
    /// `LogDirs`, versions 2–3, tag 2.
    pub log_dirs: Vec<Uuid>,
    /// `CordonedLogDirs`, version 3, tag 3.
    pub cordoned_log_dirs: Option<Vec<Uuid>>,
}

impl<'a> Message<'a> for BrokerRegistrationChangeRecord {
    const NAME: &'static str = "BrokerRegistrationChangeRecord";
    const API_KEY: Option<i16> = Some(17);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=3;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.broker_id = d.i32()?;
        message.broker_epoch = d.i64()?;
        d.tags(|d, tag| {
            match tag {
                0 => message.fenced = d.i8()?,
                1 if version >= 1 => message.in_controlled_shutdown = d.i8()?,
                2 if version >= 2 => message.log_dirs = d.array(true, Decoder::uuid)?,
                3 if version >= 3 => message.cordoned_log_dirs = d.nullable_array(true, Decoder::uuid)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.broker_id);
        e.i64(self.broker_epoch);
        let mut tags = e.tags();
        if self.fenced != 0 {
            tags.put(e, 0, |e| e.i8(self.fenced));
        }
        if version >= 1 && self.in_controlled_shutdown != 0 {
            tags.put(e, 1, |e| e.i8(self.in_controlled_shutdown));
        }
        if version >= 2 && !self.log_dirs.is_empty() {
            tags.put(e, 2, |e| e.array(&self.log_dirs, true, |e, item| e.uuid(*item)));
        }
        if version >= 3 && self.cordoned_log_dirs.is_some() {
            tags.put(e, 3, |e| {
                e.nullable_array(self.cordoned_log_dirs.as_deref(), true, |e, item| e.uuid(*item))
            });
        }
    }
}
