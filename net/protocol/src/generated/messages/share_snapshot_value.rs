//! ShareSnapshotValue, key 0. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ShareSnapshotValue`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareSnapshotValue {
    /// `SnapshotEpoch`, version 0.
    pub snapshot_epoch: i32,
    /// `StateEpoch`, version 0.
    pub state_epoch: i32,
    /// `LeaderEpoch`, version 0.
    pub leader_epoch: i32,
    /// `StartOffset`, version 0.
    pub start_offset: i64,
    /// `DeliveryCompleteCount`, version 0, tag 0.
    pub delivery_complete_count: i32,
    /// `CreateTimestamp`, version 0.
    pub create_timestamp: i64,
    /// `WriteTimestamp`, version 0.
    pub write_timestamp: i64,
    /// `StateBatches`, version 0.
    pub state_batches: Vec<StateBatch>,
}

impl Default for ShareSnapshotValue {
    fn default() -> Self {
        ShareSnapshotValue {
            snapshot_epoch: 0,
            state_epoch: 0,
            leader_epoch: 0,
            start_offset: 0,
            delivery_complete_count: -1,
            create_timestamp: 0,
            write_timestamp: 0,
            state_batches: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for ShareSnapshotValue {
    const NAME: &'static str = "ShareSnapshotValue";
    const API_KEY: Option<i16> = Some(0);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.snapshot_epoch = d.i32()?;
        message.state_epoch = d.i32()?;
        message.leader_epoch = d.i32()?;
        message.start_offset = d.i64()?;
        message.create_timestamp = d.i64()?;
        message.write_timestamp = d.i64()?;
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
        e.i32(self.state_epoch);
        e.i32(self.leader_epoch);
        e.i64(self.start_offset);
        e.i64(self.create_timestamp);
        e.i64(self.write_timestamp);
        e.array(&self.state_batches, true, |e, item| item.encode(e, version));
        let mut tags = e.tags();
        if self.delivery_complete_count != -1 {
            tags.put(e, 0, |e| e.i32(self.delivery_complete_count));
        }
    }
}

/// `StateBatch` of [`ShareSnapshotValue`].
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
