//! How messages are framed inside log records: metadata, coordinator keys and values.
//!
//! ```text
//! metadata value     │ frame version 1 (varint) │ type (varint) │ version (varint) │ body │
//! coordinator key    │ type (int16)    │ body, version 0 │
//! coordinator value  │ version (int16) │ body            │
//! ```
//!
//! [`crate::MetadataRecord`], [`crate::GroupKey`], [`crate::TransactionKey`] and [`crate::ShareKey`] tell the records of
//! a log apart; the functions here are what they are made of.
//!
//! A coordinator's key has one version only: what Kafka once called its version became the type of the record.

use crate::{DecodeError, Decoder, Encoder, Message};

/// The only frame version of metadata records.
const METADATA_FRAME_VERSION: u32 = 1;

/// Type and version of a metadata record; the decoder stands at its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetadataHead {
    /// [`Message::API_KEY`] of the record.
    pub key: i16,
    /// The version of the body.
    pub version: i16,
}

/// Reads the head of a metadata record's value.
pub fn decode_metadata_head(d: &mut Decoder<'_>) -> Result<MetadataHead, DecodeError> {
    let frame_version = d.unsigned_varint()?;
    if frame_version != METADATA_FRAME_VERSION {
        return Err(DecodeError::UnsupportedVersion {
            version: i16::try_from(frame_version).unwrap_or(i16::MAX),
        });
    }
    Ok(MetadataHead { key: varint_i16(d)?, version: varint_i16(d)? })
}

/// Writes a metadata record's value: head and body.
pub fn encode_metadata<'a, M: Message<'a>>(e: &mut Encoder, record: &M, version: i16) {
    e.unsigned_varint(METADATA_FRAME_VERSION);
    e.unsigned_varint(M::API_KEY.unwrap_or_default() as u32);
    e.unsigned_varint(version as u32);
    record.encode(e, version);
}

/// Reads the type of a coordinator record's key; the decoder stands at its body, which is of version 0.
pub fn decode_key_type(d: &mut Decoder<'_>) -> Result<i16, DecodeError> {
    d.i16()
}

/// Writes a coordinator record's key: type and body.
pub fn encode_key<'a, M: Message<'a>>(e: &mut Encoder, key: &M) {
    e.i16(M::API_KEY.unwrap_or_default());
    key.encode(e, 0);
}

/// Reads a versioned value: a coordinator record's value, or the key or value of a control record.
pub fn decode_value<'a, M: Message<'a>>(d: &mut Decoder<'a>) -> Result<M, DecodeError> {
    let version = d.i16()?;
    M::decode(d, version)
}

/// Writes a versioned value: version and body.
pub fn encode_value<'a, M: Message<'a>>(e: &mut Encoder, value: &M, version: i16) {
    e.i16(version);
    value.encode(e, version);
}

fn varint_i16(d: &mut Decoder<'_>) -> Result<i16, DecodeError> {
    let at = d.at();
    i16::try_from(d.unsigned_varint()?).map_err(|_| DecodeError::BadVarint { at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::control_record_type_schema::ControlRecordTypeSchema;
    use crate::messages::end_txn_marker::EndTxnMarker;
    use crate::messages::offset_commit_key::OffsetCommitKey;
    use crate::messages::topic_record::TopicRecord;
    use crate::{GroupKey, MetadataRecord, Uuid};

    #[test]
    fn a_metadata_value_has_frame_version_type_and_version() {
        let record = TopicRecord { name: "a", topic_id: Uuid::from_u128(2) };
        let mut e = Encoder::new();
        encode_metadata(&mut e, &record, 0);
        assert_eq!(e.as_slice(), b"\x01\x02\0\x02a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02\0");
        let mut d = Decoder::new(e.as_slice());
        assert_eq!(decode_metadata_head(&mut d), Ok(MetadataHead { key: 2, version: 0 }));
        assert_eq!(TopicRecord::decode(&mut d, 0), Ok(record.clone()));
        let told = MetadataRecord::decode(&mut Decoder::new(e.as_slice()));
        assert_eq!(told, Ok(Some(MetadataRecord::Topic(record))));
    }

    #[test]
    fn a_metadata_record_of_an_unknown_type_is_no_error() {
        assert_eq!(MetadataRecord::decode(&mut Decoder::new(b"\x01\x7f\0")), Ok(None));
        let bad_frame = MetadataRecord::decode(&mut Decoder::new(b"\x02\x02\0"));
        assert_eq!(bad_frame, Err(DecodeError::UnsupportedVersion { version: 2 }));
    }

    #[test]
    fn a_coordinator_key_begins_with_its_type() {
        let key = OffsetCommitKey { group: "g", topic: "t", partition: 3 };
        let mut e = Encoder::new();
        encode_key(&mut e, &key);
        assert_eq!(e.as_slice(), b"\0\x01\0\x01g\0\x01t\0\0\0\x03");
        let mut d = Decoder::new(e.as_slice());
        assert_eq!(decode_key_type(&mut d), Ok(1));
        assert_eq!(OffsetCommitKey::decode(&mut d, 0), Ok(key.clone()));
        let told = GroupKey::decode(&mut Decoder::new(e.as_slice()));
        assert_eq!(told, Ok(Some(GroupKey::OffsetCommit(key))));
    }

    #[test]
    fn q51_control_records_are_versioned_values() {
        let mut e = Encoder::new();
        encode_value(&mut e, &ControlRecordTypeSchema { r#type: 1 }, 0);
        encode_value(&mut e, &EndTxnMarker { coordinator_epoch: 5 }, 0);
        assert_eq!(e.as_slice(), b"\0\0\0\x01\0\0\0\0\0\x05");
        let mut d = Decoder::new(e.as_slice());
        assert_eq!(decode_value(&mut d), Ok(ControlRecordTypeSchema { r#type: 1 }));
        assert_eq!(decode_value(&mut d), Ok(EndTxnMarker { coordinator_epoch: 5 }));
    }
}
