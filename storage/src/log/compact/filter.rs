//! What compaction leaves of one batch.

use shard::WallMs;

use super::keys::KeyMap;
use super::records_of;
use super::transactions::Kind;
use crate::batch::varint::{put_varint, put_varlong};
use crate::batch::{Attributes, BatchHeader, Codec, HEADER_LEN, Record, RecordFault, codec, seal};
use crate::offset::Offset;

/// Decides, for all batches of a compaction alike but for `kind` and `keeps_empty`.
pub(super) struct Filter<'a> {
    /// What the batch is.
    pub kind: Kind,
    pub keys: &'a KeyMap,
    /// Records from here on stay: the map may not know all of them.
    pub map_end: Offset,
    pub now: WallMs,
    pub delete_retention_ms: i64,
    pub unpacked_max: usize,
    /// Whether the batch stays without records.
    pub keeps_empty: bool,
}

/// What is left.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Filtered {
    /// The batch as it is.
    Same,
    /// This instead, or nothing.
    Changed(Option<Vec<u8>>),
}

impl Filter<'_> {
    pub(super) fn apply(&self, header: &BatchHeader, bytes: &[u8]) -> Result<Filtered, RecordFault> {
        if header.base_offset >= self.map_end {
            return Ok(Filtered::Same);
        }
        if header.record_count == 0 {
            let is_plain = header.attributes.codec() == Some(Codec::None);
            return Ok(match self.keeps_empty {
                true if is_plain => Filtered::Same,
                true => Filtered::Changed(Some(batch_of(*header, &[]))),
                false => Filtered::Changed(None),
            });
        }
        let horizon = header.attributes.delete_horizon(header.base_timestamp);
        let (mut kept, mut dropped, mut has_tombstone) = (0, 0, false);
        let mut records = records_of(header, bytes, self.unpacked_max)?;
        while let Some(record) = records.next()? {
            match self.keeps(header, &record, horizon) {
                true => {
                    kept += 1;
                    has_tombstone |= match self.kind {
                        Kind::Data => record.value.is_none(),
                        Kind::LoneMarker => true,
                        Kind::Aborted | Kind::Marker => false,
                    };
                }
                false => dropped += 1,
            }
        }
        // The first compaction of a tombstone says how long it stays.
        let new_horizon = match horizon {
            None if has_tombstone => Some(self.now.0.saturating_add(self.delete_retention_ms)),
            _ => None,
        };
        if dropped == 0 && new_horizon.is_none() {
            return Ok(Filtered::Same);
        }
        if kept == 0 && !self.keeps_empty {
            return Ok(Filtered::Changed(None));
        }
        self.rebuild(header, bytes, horizon, new_horizon).map(|batch| Filtered::Changed(Some(batch)))
    }

    fn keeps(&self, header: &BatchHeader, record: &Record<'_>, horizon: Option<i64>) -> bool {
        let offset = header.base_offset.0.saturating_add(record.offset_delta.into());
        if offset >= self.map_end.0 {
            return true;
        }
        let is_in_time = horizon.is_none_or(|horizon| self.now.0 < horizon);
        match self.kind {
            Kind::Data => {}
            Kind::Aborted => return false,
            Kind::Marker => return true,
            Kind::LoneMarker => return is_in_time,
        }
        let Some(key) = record.key else { return false };
        if self.keys.last_offset(key).is_some_and(|last| last > offset) {
            return false;
        }
        record.value.is_some() || is_in_time
    }

    fn rebuild(
        &self,
        header: &BatchHeader,
        bytes: &[u8],
        horizon: Option<i64>,
        new_horizon: Option<i64>,
    ) -> Result<Vec<u8>, RecordFault> {
        let base_timestamp = new_horizon.unwrap_or(header.base_timestamp);
        let (mut raw, mut count, mut newest) = (Vec::new(), 0, -1);
        let mut records = records_of(header, bytes, self.unpacked_max)?;
        while let Some(record) = records.next()? {
            if !self.keeps(header, &record, horizon) {
                continue;
            }
            let timestamp = header.base_timestamp.wrapping_add(record.timestamp_delta);
            put_record(&mut raw, &record, timestamp.wrapping_sub(base_timestamp));
            newest = newest.max(timestamp);
            count += 1;
        }
        let mut attributes = header.attributes;
        if new_horizon.is_some() {
            attributes = attributes.with_delete_horizon();
        }
        if count == 0 {
            // As Kafka leaves it: librdkafka never comes back from unpacking nothing.
            attributes = attributes.with_codec(Codec::None);
        }
        let max_timestamp = match () {
            () if attributes.has_append_time() || count == 0 => header.max_timestamp,
            () => newest,
        };
        let left = BatchHeader { attributes, base_timestamp, max_timestamp, record_count: count, ..*header };
        Ok(batch_of(left, &raw))
    }
}

/// A batch of these records, packed as its header says. One without records is packed with nothing, as Kafka does it:
/// librdkafka never comes back from unpacking no bytes.
fn batch_of(mut header: BatchHeader, raw: &[u8]) -> Vec<u8> {
    if raw.is_empty() {
        header.attributes = header.attributes.with_codec(Codec::None);
    }
    let mut head = [0; HEADER_LEN];
    header.write(&mut head);
    let mut batch = head.to_vec();
    match header.attributes.codec() {
        None | Some(Codec::None) => batch.extend_from_slice(raw),
        Some(codec) => batch.extend_from_slice(&codec::pack(codec, None, raw)),
    }
    seal(&mut batch);
    batch
}

fn put_record(into: &mut Vec<u8>, record: &Record<'_>, timestamp_delta: i64) {
    let mut body = vec![0];
    put_varlong(&mut body, timestamp_delta);
    put_varint(&mut body, record.offset_delta);
    put_nullable(&mut body, record.key);
    put_nullable(&mut body, record.value);
    put_varint(&mut body, record.headers.count() as i32);
    for header in record.headers.iter() {
        put_nullable(&mut body, Some(header.key));
        put_nullable(&mut body, header.value);
    }
    put_varint(into, body.len() as i32);
    into.extend_from_slice(&body);
}

fn put_nullable(into: &mut Vec<u8>, bytes: Option<&[u8]>) {
    match bytes {
        None => put_varint(into, -1),
        Some(bytes) => {
            put_varint(into, bytes.len() as i32);
            into.extend_from_slice(bytes);
        }
    }
}

impl Attributes {
    const DELETE_HORIZON: i16 = 1 << 6;

    /// Until when tombstones stay, in ms, if the batch says so in place of its base timestamp (KIP-534).
    pub fn delete_horizon(self, base_timestamp: i64) -> Option<i64> {
        (self.0 & Attributes::DELETE_HORIZON != 0).then_some(base_timestamp)
    }

    fn with_delete_horizon(self) -> Attributes {
        Attributes(self.0 | Attributes::DELETE_HORIZON)
    }
}
