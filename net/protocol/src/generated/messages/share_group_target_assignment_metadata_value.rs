//! ShareGroupTargetAssignmentMetadataValue, key 12. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ShareGroupTargetAssignmentMetadataValue`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShareGroupTargetAssignmentMetadataValue {
    /// `AssignmentEpoch`, version 0.
    pub assignment_epoch: i32,
    /// `AssignmentTimestamp`, version 0, tag 0.
    pub assignment_timestamp: i64,
}

impl<'a> Message<'a> for ShareGroupTargetAssignmentMetadataValue {
    const NAME: &'static str = "ShareGroupTargetAssignmentMetadataValue";
    const API_KEY: Option<i16> = Some(12);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.assignment_epoch = d.i32()?;
        d.tags(|d, tag| {
            match tag {
                0 => message.assignment_timestamp = d.i64()?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.assignment_epoch);
        let mut tags = e.tags();
        if self.assignment_timestamp != 0 {
            tags.put(e, 0, |e| e.i64(self.assignment_timestamp));
        }
    }
}
