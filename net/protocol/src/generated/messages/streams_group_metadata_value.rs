//! StreamsGroupMetadataValue, key 17. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `StreamsGroupMetadataValue`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamsGroupMetadataValue<'a> {
    /// `Epoch`, version 0.
    pub epoch: i32,
    /// `MetadataHash`, version 0.
    pub metadata_hash: i64,
    /// `ValidatedTopologyEpoch`, version 0, tag 0.
    pub validated_topology_epoch: i32,
    /// `LastAssignmentConfigs`, version 0, tag 1.
    pub last_assignment_configs: Option<Vec<LastAssignmentConfig<'a>>>,
}

impl Default for StreamsGroupMetadataValue<'_> {
    fn default() -> Self {
        StreamsGroupMetadataValue {
            epoch: 0,
            metadata_hash: 0,
            validated_topology_epoch: -1,
            last_assignment_configs: Some(Vec::new()),
        }
    }
}

impl<'a> Message<'a> for StreamsGroupMetadataValue<'a> {
    const NAME: &'static str = "StreamsGroupMetadataValue";
    const API_KEY: Option<i16> = Some(17);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.epoch = d.i32()?;
        message.metadata_hash = d.i64()?;
        d.tags(|d, tag| {
            match tag {
                0 => message.validated_topology_epoch = d.i32()?,
                1 => {
                    message.last_assignment_configs =
                        d.nullable_array(true, |d| LastAssignmentConfig::decode(d, version))?
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.epoch);
        e.i64(self.metadata_hash);
        let mut tags = e.tags();
        if self.validated_topology_epoch != -1 {
            tags.put(e, 0, |e| e.i32(self.validated_topology_epoch));
        }
        if self.last_assignment_configs.as_ref().is_none_or(|items| !items.is_empty()) {
            tags.put(e, 1, |e| {
                e.nullable_array(self.last_assignment_configs.as_deref(), true, |e, item| {
                    item.encode(e, version)
                })
            });
        }
    }
}

/// `LastAssignmentConfig` of [`StreamsGroupMetadataValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LastAssignmentConfig<'a> {
    /// `Key`, version 0.
    pub key: &'a str,
    /// `Value`, version 0.
    pub value: &'a str,
}

impl<'a> LastAssignmentConfig<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.key = d.string(true)?;
        message.value = d.string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.key, true);
        e.string(self.value, true);
        e.no_tags();
    }
}
