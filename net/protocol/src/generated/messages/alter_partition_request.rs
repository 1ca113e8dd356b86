//! AlterPartitionRequest, key 56. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `AlterPartitionRequest`, versions 2–3, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct AlterPartitionRequest {
    /// `BrokerId`, versions 2–3.
    pub broker_id: i32,
    /// `BrokerEpoch`, versions 2–3.
    pub broker_epoch: i64,
    /// `Topics`, versions 2–3.
    pub topics: Vec<TopicData>,
}

impl Default for AlterPartitionRequest {
    fn default() -> Self {
        AlterPartitionRequest { broker_id: 0, broker_epoch: -1, topics: Vec::new() }
    }
}

impl<'a> Message<'a> for AlterPartitionRequest {
    const NAME: &'static str = "AlterPartitionRequest";
    const API_KEY: Option<i16> = Some(56);
    const VERSIONS: std::ops::RangeInclusive<i16> = 2..=3;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.broker_id = d.i32()?;
        message.broker_epoch = d.i64()?;
        message.topics = d.array(true, |d| TopicData::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.broker_id);
        e.i64(self.broker_epoch);
        e.array(&self.topics, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `TopicData` of [`AlterPartitionRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicData {
    /// `TopicId`, versions 2–3.
    pub topic_id: Uuid,
    /// `Partitions`, versions 2–3.
    pub partitions: Vec<PartitionData>,
}

impl TopicData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.topic_id = d.uuid()?;
        message.partitions = d.array(true, |d| PartitionData::decode(d, version))?;
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

/// `PartitionData` of [`AlterPartitionRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionData {
    /// `PartitionIndex`, versions 2–3.
    pub partition_index: i32,
    /// `LeaderEpoch`, versions 2–3.
    pub leader_epoch: i32,
    /// `NewIsr`, version 2.
    pub new_isr: Vec<i32>,
    /// `NewIsrWithEpochs`, version 3.
    pub new_isr_with_epochs: Vec<BrokerState>,
    /// `LeaderRecoveryState`, versions 2–3.
    pub leader_recovery_state: i8,
    /// `PartitionEpoch`, versions 2–3.
    pub partition_epoch: i32,
}

impl PartitionData {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.partition_index = d.i32()?;
        message.leader_epoch = d.i32()?;
        if version <= 2 {
            message.new_isr = d.array(true, Decoder::i32)?;
        }
        if version >= 3 {
            message.new_isr_with_epochs = d.array(true, |d| BrokerState::decode(d, version))?;
        }
        message.leader_recovery_state = d.i8()?;
        message.partition_epoch = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.partition_index);
        e.i32(self.leader_epoch);
        if version <= 2 {
            e.array(&self.new_isr, true, |e, item| e.i32(*item));
        }
        if version >= 3 {
            e.array(&self.new_isr_with_epochs, true, |e, item| item.encode(e, version));
        }
        e.i8(self.leader_recovery_state);
        e.i32(self.partition_epoch);
        e.no_tags();
    }
}

/// `BrokerState` of [`AlterPartitionRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct BrokerState {
    /// `BrokerId`, version 3.
    pub broker_id: i32,
    /// `BrokerEpoch`, version 3.
    pub broker_epoch: i64,
}

impl Default for BrokerState {
    fn default() -> Self {
        BrokerState { broker_id: 0, broker_epoch: -1 }
    }
}

impl BrokerState {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.broker_id = d.i32()?;
        message.broker_epoch = d.i64()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.broker_id);
        e.i64(self.broker_epoch);
        e.no_tags();
    }
}
