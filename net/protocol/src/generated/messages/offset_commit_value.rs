//! OffsetCommitValue, key 1. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `OffsetCommitValue`, versions 0–4, flexible from 4.
#[derive(Debug, Clone, PartialEq)]
pub struct OffsetCommitValue<'a> {
    /// `offset`, versions 0–4.
    pub offset: i64,
    /// `leaderEpoch`, versions 3–4.
    pub leader_epoch: i32,
    /// `metadata`, versions 0–4.
    pub metadata: &'a str,
    /// `commitTimestamp`, versions 0–4.
    pub commit_timestamp: i64,
    /// `expireTimestamp`, version 1.
    pub expire_timestamp: i64,
    /// `topicId`, version 4, tag 0.
    pub topic_id: Uuid,
}

impl Default for OffsetCommitValue<'_> {
    fn default() -> Self {
        OffsetCommitValue {
            offset: 0,
            leader_epoch: -1,
            metadata: "",
            commit_timestamp: 0,
            expire_timestamp: -1,
            topic_id: Uuid::ZERO,
        }
    }
}

impl<'a> Message<'a> for OffsetCommitValue<'a> {
    const NAME: &'static str = "OffsetCommitValue";
    const API_KEY: Option<i16> = Some(1);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=4;
    const FLEXIBLE_FROM: i16 = 4;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 4;
        let mut message = Self::default();
        message.offset = d.i64()?;
        if version >= 3 {
            message.leader_epoch = d.i32()?;
        }
        message.metadata = d.string(flexible)?;
        message.commit_timestamp = d.i64()?;
        if version == 1 {
            message.expire_timestamp = d.i64()?;
        }
        if version >= 4 {
            d.tags(|d, tag| {
                match tag {
                    0 => message.topic_id = d.uuid()?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 4;
        e.i64(self.offset);
        if version >= 3 {
            e.i32(self.leader_epoch);
        }
        e.string(self.metadata, flexible);
        e.i64(self.commit_timestamp);
        if version == 1 {
            e.i64(self.expire_timestamp);
        }
        if version >= 4 {
            let mut tags = e.tags();
            if self.topic_id != Uuid::ZERO {
                tags.put(e, 0, |e| e.uuid(self.topic_id));
            }
        }
    }
}
