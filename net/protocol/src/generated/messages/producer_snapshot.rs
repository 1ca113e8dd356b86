//! ProducerSnapshot. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ProducerSnapshot`, version 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProducerSnapshot {
    /// `Crc`, version 1.
    pub crc: u32,
    /// `ProducerEntries`, version 1.
    pub producer_entries: Vec<ProducerEntry>,
}

impl<'a> Message<'a> for ProducerSnapshot {
    const NAME: &'static str = "ProducerSnapshot";
    const API_KEY: Option<i16> = None;
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=1;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.crc = d.u32()?;
        message.producer_entries = d.array(false, |d| ProducerEntry::decode(d, version))?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.u32(self.crc);
        e.array(&self.producer_entries, false, |e, item| item.encode(e, version));
    }
}

/// `ProducerEntry` of [`ProducerSnapshot`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProducerEntry {
    /// `ProducerId`, version 1.
    pub producer_id: i64,
    /// `Epoch`, version 1.
    pub epoch: i16,
    /// `LastSequence`, version 1.
    pub last_sequence: i32,
    /// `LastOffset`, version 1.
    pub last_offset: i64,
    /// `OffsetDelta`, version 1.
    pub offset_delta: i32,
    /// `Timestamp`, version 1.
    pub timestamp: i64,
    /// `CoordinatorEpoch`, version 1.
    pub coordinator_epoch: i32,
    /// `CurrentTxnFirstOffset`, version 1.
    pub current_txn_first_offset: i64,
}

impl ProducerEntry {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.producer_id = d.i64()?;
        message.epoch = d.i16()?;
        message.last_sequence = d.i32()?;
        message.last_offset = d.i64()?;
        message.offset_delta = d.i32()?;
        message.timestamp = d.i64()?;
        message.coordinator_epoch = d.i32()?;
        message.current_txn_first_offset = d.i64()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i64(self.producer_id);
        e.i16(self.epoch);
        e.i32(self.last_sequence);
        e.i64(self.last_offset);
        e.i32(self.offset_delta);
        e.i64(self.timestamp);
        e.i32(self.coordinator_epoch);
        e.i64(self.current_txn_first_offset);
    }
}
