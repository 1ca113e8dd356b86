//! TransactionLogValue, key 0. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `TransactionLogValue`, versions 0–1, flexible from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct TransactionLogValue<'a> {
    /// `ProducerId`, versions 0–1.
    pub producer_id: i64,
    /// `PreviousProducerId`, version 1, tag 0.
    pub previous_producer_id: i64,
    /// `NextProducerId`, version 1, tag 1.
    pub next_producer_id: i64,
    /// `ProducerEpoch`, versions 0–1.
    pub producer_epoch: i16,
    /// `NextProducerEpoch`, version 1, tag 3.
    pub next_producer_epoch: i16,
    /// `TransactionTimeoutMs`, versions 0–1.
    pub transaction_timeout_ms: i32,
    /// `TransactionStatus`, versions 0–1.
    pub transaction_status: i8,
    /// `TransactionPartitions`, versions 0–1.
    pub transaction_partitions: Option<Vec<PartitionsSchema<'a>>>,
    /// `TransactionLastUpdateTimestampMs`, versions 0–1.
    pub transaction_last_update_timestamp_ms: i64,
    /// `TransactionStartTimestampMs`, versions 0–1.
    pub transaction_start_timestamp_ms: i64,
    /// `ClientTransactionVersion`, version 1, tag 2.
    pub client_transaction_version: i16,
}

impl Default for TransactionLogValue<'_> {
    fn default() -> Self {
        TransactionLogValue {
            producer_id: 0,
            previous_producer_id: -1,
            next_producer_id: -1,
            producer_epoch: 0,
            next_producer_epoch: -1,
            transaction_timeout_ms: 0,
            transaction_status: 0,
            transaction_partitions: Some(Vec::new()),
            transaction_last_update_timestamp_ms: 0,
            transaction_start_timestamp_ms: 0,
            client_transaction_version: 0,
        }
    }
}

impl<'a> Message<'a> for TransactionLogValue<'a> {
    const NAME: &'static str = "TransactionLogValue";
    const API_KEY: Option<i16> = Some(0);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 1;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 1;
        let mut message = Self::default();
        message.producer_id = d.i64()?;
        message.producer_epoch = d.i16()?;
        message.transaction_timeout_ms = d.i32()?;
        message.transaction_status = d.i8()?;
        message.transaction_partitions =
            d.nullable_array(flexible, |d| PartitionsSchema::decode(d, version))?;
        message.transaction_last_update_timestamp_ms = d.i64()?;
        message.transaction_start_timestamp_ms = d.i64()?;
        if version >= 1 {
            d.tags(|d, tag| {
                match tag {
                    0 => message.previous_producer_id = d.i64()?,
                    1 => message.next_producer_id = d.i64()?,
                    2 => message.client_transaction_version = d.i16()?,
                    3 => message.next_producer_epoch = d.i16()?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.i64(self.producer_id);
        e.i16(self.producer_epoch);
        e.i32(self.transaction_timeout_ms);
        e.i8(self.transaction_status);
        e.nullable_array(self.transaction_partitions.as_deref(), flexible, |e, item| item.encode(e, version));
        e.i64(self.transaction_last_update_timestamp_ms);
        e.i64(self.transaction_start_timestamp_ms);
        if version >= 1 {
            let mut tags = e.tags();
            if self.previous_producer_id != -1 {
                tags.put(e, 0, |e| e.i64(self.previous_producer_id));
            }
            if self.next_producer_id != -1 {
                tags.put(e, 1, |e| e.i64(self.next_producer_id));
            }
            if self.client_transaction_version != 0 {
                tags.put(e, 2, |e| e.i16(self.client_transaction_version));
            }
            if self.next_producer_epoch != -1 {
                tags.put(e, 3, |e| e.i16(self.next_producer_epoch));
            }
        }
    }
}

/// `PartitionsSchema` of [`TransactionLogValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartitionsSchema<'a> {
    /// `Topic`, versions 0–1.
    pub topic: &'a str,
    /// `PartitionIds`, versions 0–1.
    pub partition_ids: Vec<i32>,
}

impl<'a> PartitionsSchema<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 1;
        let mut message = Self::default();
        message.topic = d.string(flexible)?;
        message.partition_ids = d.array(flexible, Decoder::i32)?;
        if version >= 1 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 1;
        e.string(self.topic, flexible);
        e.array(&self.partition_ids, flexible, |e, item| e.i32(*item));
        if version >= 1 {
            e.no_tags();
        }
    }
}
