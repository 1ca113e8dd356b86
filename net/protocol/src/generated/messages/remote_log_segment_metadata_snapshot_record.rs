//! RemoteLogSegmentMetadataSnapshotRecord, key 3. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `RemoteLogSegmentMetadataSnapshotRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemoteLogSegmentMetadataSnapshotRecord<'a> {
    /// `SegmentId`, version 0.
    pub segment_id: Uuid,
    /// `StartOffset`, version 0.
    pub start_offset: i64,
    /// `EndOffset`, version 0.
    pub end_offset: i64,
    /// `BrokerId`, version 0.
    pub broker_id: i32,
    /// `MaxTimestampMs`, version 0.
    pub max_timestamp_ms: i64,
    /// `EventTimestampMs`, version 0.
    pub event_timestamp_ms: i64,
    /// `SegmentLeaderEpochs`, version 0.
    pub segment_leader_epochs: Vec<SegmentLeaderEpochEntry>,
    /// `SegmentSizeInBytes`, version 0.
    pub segment_size_in_bytes: i32,
    /// `CustomMetadata`, version 0.
    pub custom_metadata: Option<&'a [u8]>,
    /// `RemoteLogSegmentState`, version 0.
    pub remote_log_segment_state: i8,
    /// `TxnIndexEmpty`, version 0, tag 0.
    pub txn_index_empty: bool,
}

impl<'a> Message<'a> for RemoteLogSegmentMetadataSnapshotRecord<'a> {
    const NAME: &'static str = "RemoteLogSegmentMetadataSnapshotRecord";
    const API_KEY: Option<i16> = Some(3);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.segment_id = d.uuid()?;
        message.start_offset = d.i64()?;
        message.end_offset = d.i64()?;
        message.broker_id = d.i32()?;
        message.max_timestamp_ms = d.i64()?;
        message.event_timestamp_ms = d.i64()?;
        message.segment_leader_epochs = d.array(true, |d| SegmentLeaderEpochEntry::decode(d, version))?;
        message.segment_size_in_bytes = d.i32()?;
        message.custom_metadata = d.nullable_bytes(true)?;
        message.remote_log_segment_state = d.i8()?;
        d.tags(|d, tag| {
            match tag {
                0 => message.txn_index_empty = d.bool()?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.uuid(self.segment_id);
        e.i64(self.start_offset);
        e.i64(self.end_offset);
        e.i32(self.broker_id);
        e.i64(self.max_timestamp_ms);
        e.i64(self.event_timestamp_ms);
        e.array(&self.segment_leader_epochs, true, |e, item| item.encode(e, version));
        e.i32(self.segment_size_in_bytes);
        e.nullable_bytes(self.custom_metadata, true);
        e.i8(self.remote_log_segment_state);
        let mut tags = e.tags();
        if self.txn_index_empty {
            tags.put(e, 0, |e| e.bool(self.txn_index_empty));
        }
    }
}

/// `SegmentLeaderEpochEntry` of [`RemoteLogSegmentMetadataSnapshotRecord`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SegmentLeaderEpochEntry {
    /// `LeaderEpoch`, version 0.
    pub leader_epoch: i32,
    /// `Offset`, version 0.
    pub offset: i64,
}

impl SegmentLeaderEpochEntry {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.leader_epoch = d.i32()?;
        message.offset = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.leader_epoch);
        e.i64(self.offset);
        e.no_tags();
    }
}
