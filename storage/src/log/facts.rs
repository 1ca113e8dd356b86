//! What the small files of a log's directory say, for tools.

use shard::WallMs;

use super::{close, compact, point, start};
use crate::error::Cause;
use crate::inspect::{Fact, Facts};
use crate::journal::{Mark, cut};

/// What the file of this name says; nothing if it is none of them.
pub(crate) fn of(name: &str, bytes: &[u8]) -> Option<Result<Facts, Cause>> {
    let number = |number: i64| Fact::Number(number.into());
    Some(match name {
        close::MARKER => close::Marker::decode(bytes).map(|marker| {
            vec![
                ("base_offset", number(marker.base.0)),
                ("size", number(marker.size.into())),
                ("end_offset", number(marker.end.0)),
                ("index_crc", number(marker.index_crc.into())),
            ]
        }),
        start::FILE_NAME => start::decode(bytes).map(|start| vec![("log_start_offset", number(start.0))]),
        compact::CLEANED => {
            compact::decode_cleaned_to(bytes).map(|offset| vec![("cleaned_to", number(offset.0))])
        }
        cut::FILE_NAME => Mark::decode(bytes).map(|mark| {
            vec![
                ("run", Fact::Number(mark.run.into())),
                ("frame", Fact::Number(mark.next.0.into())),
                ("entry", number(mark.next.1.into())),
            ]
        }),
        point::FILE_NAME => point::check_version(bytes)
            .and_then(|()| point::decode(bytes, WallMs(0)).ok_or(Cause::Corrupt))
            .map(|point| {
                vec![
                    ("base_offset", number(point.segment.base.0)),
                    ("position", number(point.segment.size.into())),
                    ("end_offset", number(point.end.0)),
                    ("first_timestamp", number(point.segment.first_timestamp)),
                    ("newest_timestamp", number(point.segment.newest.timestamp)),
                    ("producers", number(point.producers.count() as i64)),
                ]
            }),
        _ => return None,
    })
}
