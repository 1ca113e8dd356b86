//! ShareUpdateValue, key 1. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ShareUpdateValue`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareUpdateValue {
    /// `SnapshotEpoch`, version 0.
    pub snapshot_epoch: i32,
    /// `LeaderEpoch`, version 0.
    pub leader_epoch: i32,
    /// `StartOffset`, version 0.
    pub start_offset: i64,
    /// `DeliveryCompleteCount`, version 0, tag 0.
    pub delivery_complete_count: i32,
    /// `StateBatches`, version 0.
    pub state_batches: Vec<StateBatch>,
}

impl Default for ShareUpdateValue {
    fn default() -> Self {
        ShareUpdateValue {
            snapshot_epoch: 0,
            leader_epoch: 0,
            start_offset: 0,
            delivery_complete_count: -1,
            state_batches: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for ShareUpdateValue {
    const NAME: &'static str = "ShareUpdateValue";
    const API_KEY: Option<i16> = Some(1);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.snapshot_epoch = d.i32()?;
        message.leader_epoch = d.i32()?;
        message.start_offset = d.i64()?;
        message.state_batches = d.array(true, |d| StateBatch::decode(d, version))?;
        d.tags(|d, tag| {
            match tag {
                0 => message.delivery_complete_count = d.i32()?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.snapshot_epoch);
        e.i32(self.leader_epoch);
        e.i64(self.start_offset);
        e.array(&self.state_batches, true, |e, item| item.encode(e, version));
        let mut tags = e.tags();
        if self.delivery_complete_count != -1 {
            tags.put(e, 0, |e| e.i32(self.delivery_complete_count));
        }
    }
}

/// `StateBatch` of [`ShareUpdateValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StateBatch {
    /// `FirstOffset`, version 0.
    pub first_offset: i64,
    /// `LastOffset`, version 0.
    pub last_offset: i64,
    /// `DeliveryState`, version 0.
    pub delivery_state: i8,
    /// `DeliveryCount`, version 0.
    pub delivery_count: i16,
}

impl StateBatch {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.first_offset = d.i64()?;
        message.last_offset = d.i64()?;
        message.delivery_state = d.i8()?;
        message.delivery_count = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i64(self.first_offset);
        e.i64(self.last_offset);
        e.i8(self.delivery_state);
        e.i16(self.delivery_count);
        e.no_tags();
    }
}
