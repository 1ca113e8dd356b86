//! CreatePartitionsRequest, key 37. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `CreatePartitionsRequest`, versions 0–3, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreatePartitionsRequest<'a> {
    /// `Topics`, versions 0–3.
    pub topics: Vec<CreatePartitionsTopic<'a>>,
    /// `TimeoutMs`, versions 0–3.
    pub timeout_ms: i32,
    /// `ValidateOnly`, versions 0–3.
    pub validate_only: bool,
}

impl<'a> Message<'a> for CreatePartitionsRequest<'a> {
    const NAME: &'static str = "CreatePartitionsRequest";
    const API_KEY: Option<i16> = Some(37);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=3;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.topics = d.array(flexible, |d| CreatePartitionsTopic::decode(d, version))?;
        message.timeout_ms = d.i32()?;
        message.validate_only = d.bool()?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        e.i32(self.timeout_ms);
        e.bool(self.validate_only);
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `CreatePartitionsTopic` of [`CreatePartitionsRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct CreatePartitionsTopic<'a> {
    /// `Name`, versions 0–3.
    pub name: &'a str,
    /// `Count`, versions 0–3.
    pub count: i32,
    /// `Assignments`, versions 0–3.
    pub assignments: Option<Vec<CreatePartitionsAssignment>>,
}

impl Default for CreatePartitionsTopic<'_> {
    fn default() -> Self {
        CreatePartitionsTopic { name: "", count: 0, assignments: Some(Vec::new()) }
    }
}

impl<'a> CreatePartitionsTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.count = d.i32()?;
        message.assignments =
            d.nullable_array(flexible, |d| CreatePartitionsAssignment::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.string(self.name, flexible);
        e.i32(self.count);
        e.nullable_array(self.assignments.as_deref(), flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `CreatePartitionsAssignment` of [`CreatePartitionsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreatePartitionsAssignment {
    /// `BrokerIds`, versions 0–3.
    pub broker_ids: Vec<i32>,
}

impl CreatePartitionsAssignment {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.broker_ids = d.array(flexible, Decoder::i32)?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.array(&self.broker_ids, flexible, |e, item| e.i32(*item));
        if version >= 2 {
            e.no_tags();
        }
    }
}
