//! LegacyOffsetCommitValue, key 0. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `LegacyOffsetCommitValue`, version 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LegacyOffsetCommitValue<'a> {
    /// `offset`, version 0.
    pub offset: i64,
    /// `metadata`, version 0.
    pub metadata: &'a str,
    /// `commitTimestamp`, version 0.
    pub commit_timestamp: i64,
}

impl<'a> Message<'a> for LegacyOffsetCommitValue<'a> {
    const NAME: &'static str = "LegacyOffsetCommitValue";
    const API_KEY: Option<i16> = Some(0);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = i16::MAX;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.offset = d.i64()?;
        message.metadata = d.string(false)?;
        message.commit_timestamp = d.i64()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i64(self.offset);
        e.string(self.metadata, false);
        e.i64(self.commit_timestamp);
    }
}
