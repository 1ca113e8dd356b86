//! ShareAcknowledgeRequest, key 79. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ShareAcknowledgeRequest`, versions 1–2, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareAcknowledgeRequest<'a> {
    /// `GroupId`, versions 1–2.
    pub group_id: Option<&'a str>,
    /// `MemberId`, versions 1–2.
    pub member_id: Option<&'a str>,
    /// `ShareSessionEpoch`, versions 1–2.
    pub share_session_epoch: i32,
    /// `IsRenewAck`, version 2.
    pub is_renew_ack: bool,
    /// `Topics`, versions 1–2.
    pub topics: Vec<AcknowledgeTopic>,
}

impl Default for ShareAcknowledgeRequest<'_> {
    fn default() -> Self {
        ShareAcknowledgeRequest {
            group_id: None,
            member_id: Some(""),
            share_session_epoch: 0,
            is_renew_ack: false,
            topics: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for ShareAcknowledgeRequest<'a> {
    const NAME: &'static str = "ShareAcknowledgeRequest";
    const API_KEY: Option<i16> = Some(79);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_id = d.nullable_string(true)?;
        message.member_id = d.nullable_string(true)?;
        message.share_session_epoch = d.i32()?;
        if version >= 2 {
            message.is_renew_ack = d.bool()?;
        }
        message.topics = d.array(true, |d| AcknowledgeTopic::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.nullable_string(self.group_id, true);
        e.nullable_string(self.member_id, true);
        e.i32(self.share_session_epoch);
        if version >= 2 {
            e.bool(self.is_renew_ack);
        }
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `AcknowledgeTopic` of [`ShareAcknowledgeRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AcknowledgeTopic {
    /// `TopicId`, versions 1–2.
    pub topic_id: Uuid,
    /// `Partitions`, versions 1–2.
    pub partitions: Vec<AcknowledgePartition>,
}

impl AcknowledgeTopic {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_id = d.uuid()?;
        message.partitions = d.array(true, |d| AcknowledgePartition::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.uuid(self.topic_id);
        e.array(&self.partitions, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `AcknowledgePartition` of [`ShareAcknowledgeRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AcknowledgePartition {
    /// `PartitionIndex`, versions 1–2.
    pub partition_index: i32,
    /// `AcknowledgementBatches`, versions 1–2.
    pub acknowledgement_batches: Vec<AcknowledgementBatch>,
}

impl AcknowledgePartition {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.acknowledgement_batches = d.array(true, |d| AcknowledgementBatch::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.array(&self.acknowledgement_batches, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `AcknowledgementBatch` of [`ShareAcknowledgeRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AcknowledgementBatch {
    /// `FirstOffset`, versions 1–2.
    pub first_offset: i64,
    /// `LastOffset`, versions 1–2.
    pub last_offset: i64,
    /// `AcknowledgeTypes`, versions 1–2.
    pub acknowledge_types: Vec<i8>,
}

impl AcknowledgementBatch {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.first_offset = d.i64()?;
        message.last_offset = d.i64()?;
        message.acknowledge_types = d.array(true, Decoder::i8)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i64(self.first_offset);
        e.i64(self.last_offset);
        e.array(&self.acknowledge_types, true, |e, item| e.i8(*item));
        e.no_tags();
    }
}
