//! What is refused, and why; what is changed; and that no bytes whatever do harm.

use super::*;
use crate::batch::BatchBuilder;
use crate::batch::varint::put_varint;
use crate::offset::{ProducerEpoch, ProducerId};

const NOW: WallMs = WallMs(1_700_000_000_000);

fn three_records() -> BatchBuilder {
    BatchBuilder::new()
        .record(NOW.0, Some(b"k1"), Some(b"v1"))
        .record(NOW.0 + 5, Some(b"k2"), None)
        .record_with(NOW.0 + 2, None, Some(b"v3"), &[(b"h", Some(b"x")), (b"h", None), (b"", Some(b""))])
}

fn check(bytes: Vec<u8>) -> Result<ValidBatch, Refusal> {
    validate(Buf::from(bytes), &LogSettings::default(), NOW)
}

/// Overwrites bytes and makes the CRC right again.
fn resealed(mut batch: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
    batch[at..at + bytes.len()].copy_from_slice(bytes);
    seal(&mut batch);
    batch
}

fn invalid(bytes: Vec<u8>) -> InvalidBatch {
    match check(bytes) {
        Err(Refusal::Invalid(invalid)) => invalid,
        other => panic!("{other:?}"),
    }
}

/// A batch that claims one record and has `records` for its record bytes.
fn with_records(codec: Codec, records: &[u8]) -> Vec<u8> {
    let mut batch = BatchBuilder::new().record(NOW.0, None, None).codec(codec, None).build();
    batch.truncate(HEADER_LEN);
    batch.extend_from_slice(&codec::pack(codec, None, records));
    seal(&mut batch);
    batch
}

#[test]
fn a_sound_batch_is_taken_without_a_copy() {
    for codec in Codec::ALL {
        let bytes = Buf::from(three_records().codec(codec, None).build());
        let batch = validate(bytes.clone(), &LogSettings::default(), NOW).unwrap();
        assert_eq!(batch.bytes().as_ptr(), bytes.as_ptr(), "{codec:?}");
        assert_eq!(batch.header().max_timestamp, NOW.0 + 5);
        assert_eq!(batch.log_append_time(), -1);
    }
}

#[test]
fn c19_poison_is_refused() {
    let sound = three_records().build();
    let mut bad_crc = sound.clone();
    *bad_crc.last_mut().unwrap() ^= 1;
    assert!(matches!(check(bad_crc), Err(Refusal::CorruptCrc { .. })));
    assert!(matches!(check(resealed_length(&sound, 48)), Err(Refusal::CorruptLength(48))));
    assert_eq!(invalid(sound[..sound.len() - 1].to_vec()), InvalidBatch::Cut);
    assert_eq!(invalid(sound[..30].to_vec()), InvalidBatch::Cut);
    assert_eq!(invalid(resealed(sound.clone(), 57, &[0; 4])), InvalidBatch::RecordCount(0));
    assert_eq!(
        invalid(resealed(sound.clone(), 57, &4i32.to_be_bytes())),
        InvalidBatch::LastOffsetDelta { last_offset_delta: 2, record_count: 4 }
    );
    assert_eq!(invalid(resealed(sound.clone(), 0, &7i64.to_be_bytes())), InvalidBatch::BaseOffset(Offset(7)));
    assert_eq!(invalid(three_records().attributes(1 << 5).build()), InvalidBatch::Control);
    assert_eq!(check(three_records().attributes(1 << 3).build()).unwrap_err(), Refusal::TimestampType);
    assert_eq!(check(resealed(sound, 22, &[7])).unwrap_err(), Refusal::UnknownCodec);
}

fn resealed_length(batch: &[u8], length: i32) -> Vec<u8> {
    let mut batch = batch.to_vec();
    batch[8..12].copy_from_slice(&length.to_be_bytes());
    batch
}

#[test]
fn q27_exactly_one_batch_of_magic_2() {
    let sound = three_records().build();
    assert_eq!(invalid(Vec::new()), InvalidBatch::Missing);
    assert_eq!(invalid([&sound[..], &sound].concat()), InvalidBatch::MoreThanOne);
    assert_eq!(invalid([&sound[..], &[0]].concat()), InvalidBatch::MoreThanOne);
    let mut old = sound;
    old[16] = 1;
    assert_eq!(invalid(old), InvalidBatch::Magic(1));
}

#[test]
fn c27_a_negative_sequence_is_invalid() {
    let batch = three_records().producer(ProducerId(1), ProducerEpoch(0), Sequence(-2)).build();
    assert_eq!(invalid(batch), InvalidBatch::Sequence(Sequence(-2)));
}

#[test]
fn q29_records_are_counted_and_in_order() {
    for codec in Codec::ALL {
        let one = BatchBuilder::new().record(NOW.0, None, Some(b"x")).build();
        let record = &one[HEADER_LEN..];
        let twice = with_records(codec, &[record, record].concat());
        assert_eq!(invalid(twice), InvalidBatch::RecordOrder { index: 1, offset_delta: 0, count: 1 });
        assert_eq!(invalid(with_records(codec, b"")), InvalidBatch::RecordsMissing { found: 0, count: 1 });
        let mut late = record.to_vec();
        late[3] = 2;
        assert_eq!(
            invalid(with_records(codec, &late)),
            InvalidBatch::RecordOrder { index: 0, offset_delta: 1, count: 1 }
        );
    }
}

#[test]
fn c19_records_that_make_no_sense_are_refused() {
    let body = |tail: &[u8]| {
        let mut records = Vec::new();
        put_varint(&mut records, 3 + tail.len() as i32);
        records.extend_from_slice(&[0, 0, 0]);
        records.extend_from_slice(tail);
        records
    };
    // Key, value, header count, each as zig-zag: 0 is 0, 1 is -1, 3 is -2.
    for (tail, fault) in [
        (&[1, 1, 1][..], RecordFault::BadHeaderCount),
        (&[3, 1, 0], RecordFault::BadLength),
        (&[1, 3, 0], RecordFault::BadLength),
        (&[20, 1, 0], RecordFault::BadLength),
        (&[1, 1, 0, 0], RecordFault::BytesLeft),
        (&[1, 1], RecordFault::BadInteger),
        (&[1, 1, 2, 1, 1], RecordFault::NullHeaderKey),
        (&[1, 1, 0xfe, 0xff, 0xff, 0xff, 0x0f], RecordFault::BadHeaderCount),
    ] {
        for codec in Codec::ALL {
            let found = invalid(with_records(codec, &body(tail)));
            assert_eq!(found, InvalidBatch::Record { index: 0, fault }, "{tail:?} {codec:?}");
        }
    }
    for codec in Codec::ALL {
        let cut = invalid(with_records(codec, &[20, 0, 0]));
        assert_eq!(cut, InvalidBatch::Record { index: 0, fault: RecordFault::Truncated });
        let negative = invalid(with_records(codec, &[1]));
        assert_eq!(negative, InvalidBatch::Record { index: 0, fault: RecordFault::BadLength });
    }
}

#[test]
fn c23_headers_keep_order_duplicates_and_nulls() {
    for codec in Codec::ALL {
        let headers = [(&b"a"[..], Some(&b""[..])), (b"a", None), (b"", Some(b"x"))];
        let bytes = BatchBuilder::new().record_with(NOW.0, None, None, &headers).codec(codec, None).build();
        let batch = check(bytes).unwrap();
        let mut records = RecordStream::new(codec, &batch.bytes()[HEADER_LEN..], 1000).unwrap();
        let record = records.next().unwrap().unwrap();
        let read: Vec<_> = record.headers.iter().map(|header| (header.key, header.value)).collect();
        assert_eq!(read, headers);
        assert_eq!((record.key, record.value), (None, None));
    }
}

#[test]
fn q33_size_limits() {
    let bytes = three_records().build();
    let size = bytes.len();
    let settings = LogSettings { message_bytes_max: size as u32 - 1, ..LogSettings::default() };
    let refused = validate(Buf::from(bytes.clone()), &settings, NOW).unwrap_err();
    assert_eq!(refused, Refusal::TooLarge { size, size_max: size as u32 - 1 });
    let settings = LogSettings { segment_bytes: size as u32 - 1, ..LogSettings::default() };
    let refused = validate(Buf::from(bytes), &settings, NOW).unwrap_err();
    assert_eq!(refused, Refusal::BeyondSegment { size, size_max: size as u32 - 1 });
}

#[test]
fn q34_a_compacted_topic_needs_keys() {
    let settings = LogSettings { is_compacted: true, ..LogSettings::default() };
    for codec in Codec::ALL {
        let refused = validate(Buf::from(three_records().codec(codec, None).build()), &settings, NOW);
        let expected = Refusal::Records(vec![RecordError { index: 2, kind: RecordErrorKind::NullKey }]);
        assert_eq!(refused.unwrap_err(), expected);
    }
}

#[test]
fn q35_dates_too_far_away_are_refused_one_by_one() {
    let settings =
        LogSettings { timestamp_before_ms_max: 100, timestamp_after_ms_max: 10, ..LogSettings::default() };
    let times = [NOW.0 - 100, NOW.0 - 101, -1, NOW.0 + 10, NOW.0 + 11, i64::MAX, i64::MIN];
    let batch = times.iter().fold(BatchBuilder::new(), |batch, time| batch.record(*time, None, None));
    let Err(Refusal::Records(errors)) = validate(Buf::from(batch.build()), &settings, NOW) else { panic!() };
    let refused: Vec<_> = errors.iter().map(|error| (error.index, error.kind)).collect();
    let date = RecordErrorKind::Timestamp;
    assert_eq!(refused, [(1, date(times[1])), (4, date(times[4])), (5, date(times[5])), (6, date(times[6]))]);
}

#[test]
fn q31_append_time_is_stamped_in_a_private_copy() {
    let settings = LogSettings { timestamp_type: TimestampType::LogAppendTime, ..LogSettings::default() };
    let bytes = Buf::from(BatchBuilder::new().record(1, None, Some(b"x")).build());
    let batch = validate(bytes.clone(), &settings, NOW).unwrap();
    assert_eq!((batch.log_append_time(), batch.header().max_timestamp), (NOW.0, NOW.0));
    assert!(batch.header().attributes.has_append_time());
    assert_eq!(batch.header().timestamp_of(0), NOW.0);
    assert_eq!(bytes[HEADER_LEN..], batch.bytes()[HEADER_LEN..]);
    assert!(ValidBatch::trusted(batch.bytes().clone()).is_ok());
}

#[test]
fn q31_a_wrong_maximum_timestamp_is_replaced() {
    let batch = check(resealed(three_records().build(), 35, &(NOW.0 + 999).to_be_bytes())).unwrap();
    assert_eq!(batch.header().max_timestamp, NOW.0 + 5);
    assert_eq!(**batch.bytes(), *three_records().build());
}

#[test]
fn q32_a_topic_with_a_codec_of_its_own_repacks() {
    for from in Codec::ALL {
        for to in Codec::ALL {
            let settings =
                LogSettings { compression: Compression::Codec(to, None), ..LogSettings::default() };
            let batch =
                validate(Buf::from(three_records().codec(from, None).build()), &settings, NOW).unwrap();
            assert_eq!(**batch.bytes(), *three_records().codec(to, None).build(), "{from:?} to {to:?}");
        }
    }
}

#[test]
fn bombs_are_refused_within_the_limit() {
    let settings = LogSettings { unpacked_bytes_max: 1 << 20, ..LogSettings::default() };
    let zeros = vec![0u8; 8 << 20];
    for codec in [Codec::Gzip, Codec::Lz4, Codec::Zstd, Codec::Snappy] {
        let big = BatchBuilder::new().record(NOW.0, None, Some(&zeros)).codec(codec, None).build();
        let refused = validate(Buf::from(big), &settings, NOW).unwrap_err();
        assert_eq!(refused, Refusal::UnpacksTooLarge { size_max: 1 << 20 }, "{codec:?}");
        // Zeros are records of no length, which are none.
        let refused = validate(Buf::from(with_records(codec, &zeros)), &settings, NOW).unwrap_err();
        let fault = RecordFault::BadLength;
        assert_eq!(refused, Refusal::Invalid(InvalidBatch::Record { index: 0, fault }), "{codec:?}");
    }
}

#[test]
fn no_bytes_do_harm() {
    let mut seed = 1u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    let settings = [LogSettings::default(), LogSettings { is_compacted: true, ..LogSettings::default() }];
    for round in 0..20_000 {
        let codec = Codec::ALL[random(5)];
        let mut bytes = three_records().codec(codec, None).build();
        for _ in 0..=random(3) {
            let from = if random(4) == 0 { 0 } else { HEADER_LEN };
            let at = from + random(bytes.len() - from);
            bytes[at] = random(256) as u8;
        }
        if random(8) == 0 {
            bytes.truncate(random(bytes.len()));
        }
        // Half of them get past the CRC.
        if random(2) == 0 && bytes.len() >= HEADER_LEN {
            seal(&mut bytes);
        }
        let _ = validate(Buf::from(bytes), &settings[round % 2], NOW);
    }
}
