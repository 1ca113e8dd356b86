//! SnapshotHeaderRecord. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `SnapshotHeaderRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SnapshotHeaderRecord {
    /// `Version`, version 0.
    pub version: i16,
    /// `LastContainedLogTimestamp`, version 0.
    pub last_contained_log_timestamp: i64,
}

impl<'a> Message<'a> for SnapshotHeaderRecord {
    const NAME: &'static str = "SnapshotHeaderRecord";
    const API_KEY: Option<i16> = None;
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.version = d.i16()?;
        message.last_contained_log_timestamp = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i16(self.version);
        e.i64(self.last_contained_log_timestamp);
        e.no_tags();
    }
}
