//! BrokerHeartbeatRequest, key 63. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `BrokerHeartbeatRequest`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokerHeartbeatRequest {
    /// `BrokerId`, versions 0–2.
    pub broker_id: i32,
    /// `BrokerEpoch`, versions 0–2.
    pub broker_epoch: i64,
    /// `CurrentMetadataOffset`, versions 0–2.
    pub current_metadata_offset: i64,
    /// `WantFence`, versions 0–2.
    pub want_fence: bool,
    /// `WantShutDown`, versions 0–2.
    pub want_shut_down: bool,
    /// `OfflineLogDirs`, versions 1–2, tag 0.
    pub offline_log_dirs: Vec<Uuid>,
    /// `CordonedLogDirs`, version 2, tag 1.
    pub cordoned_log_dirs: Option<Vec<Uuid>>,
}

impl Default for BrokerHeartbeatRequest {
    fn default() -> Self {
        BrokerHeartbeatRequest {
            broker_id: 0,
            broker_epoch: -1,
            current_metadata_offset: 0,
            want_fence: false,
            want_shut_down: false,
            offline_log_dirs: Vec::new(),
            cordoned_log_dirs: None,
        }
    }
}

impl<'a> Message<'a> for BrokerHeartbeatRequest {
    const NAME: &'static str = "BrokerHeartbeatRequest";
    const API_KEY: Option<i16> = Some(63);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.broker_id = d.i32()?;
        message.broker_epoch = d.i64()?;
        message.current_metadata_offset = d.i64()?;
        message.want_fence = d.bool()?;
        message.want_shut_down = d.bool()?;
        d.tags(|d, tag| {
            match tag {
                0 if version >= 1 => message.offline_log_dirs = d.array(true, Decoder::uuid)?,
                1 if version >= 2 => message.cordoned_log_dirs = d.nullable_array(true, Decoder::uuid)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.broker_id);
        e.i64(self.broker_epoch);
        e.i64(self.current_metadata_offset);
        e.bool(self.want_fence);
        e.bool(self.want_shut_down);
        let mut tags = e.tags();
        if version >= 1 && !self.offline_log_dirs.is_empty() {
            tags.put(e, 0, |e| e.array(&self.offline_log_dirs, true, |e, item| e.uuid(*item)));
        }
        if version >= 2 && self.cordoned_log_dirs.is_some() {
            tags.put(e, 1, |e| {
                e.nullable_array(self.cordoned_log_dirs.as_deref(), true, |e, item| e.uuid(*item))
            });
        }
    }
}
