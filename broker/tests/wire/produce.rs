//! Produce: what is taken, what is refused and how, and what is stored.

use protocol::ErrorCode;
use protocol::messages::produce_request::PartitionProduceData;
use protocol::messages::produce_response::ProduceResponse;
use protocol::{Uuid, messages::produce_request::ProduceRequest};
use storage::batch::{BatchBuilder, HEADER_LEN, RecordStream, seal};
use storage::{BatchHeader, Codec};

use crate::calls::{
    PRODUCE, PRODUCE_BY_ID, Produced, batch, batch_of_size, batches, dated, error, fetch_request, fetched,
    produce_request, produced, sequenced,
};
use crate::harness::{Client, Rig, WALL_MS};

/// A batch with some of its bytes changed, and the checksum of the changed ones.
fn changed(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut batch = batch(&["v", "w"]);
    batch[at..at + bytes.len()].copy_from_slice(bytes);
    let length: [u8; 4] = batch[8..12].try_into().unwrap();
    seal(&mut batch);
    batch[8..12].copy_from_slice(&length);
    batch
}

fn packed(codec: Codec, values: &[&str]) -> Vec<u8> {
    let builder = BatchBuilder::new().codec(codec, None);
    values.iter().fold(builder, |b, value| b.record(WALL_MS, None, Some(value.as_bytes()))).build()
}

fn is_refusal(produced: &Produced, error: ErrorCode) -> bool {
    let offsets = (produced.base_offset, produced.log_append_time_ms, produced.log_start_offset);
    produced.error == error && offsets == (-1, -1, -1)
}

/// A bad batch between two good ones in one request: it alone is refused, with nothing appended.
fn check_refused(client: &mut Client, what: &str, bad: &[u8], error: ErrorCode) {
    let good = batch(&["good"]);
    let before = client.fetch("t", 1, 0).high_watermark;
    let reply = client.ask(PRODUCE, &produce_request(&[("t", 0, &good), ("t", 1, bad), ("t", 2, &good)]));
    let parts = produced(&reply);
    assert_eq!([parts[0].error, parts[2].error], [ErrorCode::None; 2], "{what}: its neighbours");
    assert!(is_refusal(&parts[1], error), "{what}: {:?}", parts[1]);
    assert!(parts[1].message.as_ref().is_some_and(|why| !why.is_empty()), "{what}: no reason");
    assert_eq!(client.fetch("t", 1, 0).high_watermark, before, "{what}: appended");
}

#[test]
fn c19_q27_q29_q40_a_bad_batch_is_refused_alone_and_leaves_nothing() {
    let mut client = Rig::new().connect();
    client.create("t", 3);
    let mut bad_crc = batch(&["v"]);
    *bad_crc.last_mut().unwrap() ^= 1;
    let whole = batch(&["v", "w"]);
    let two = [whole.clone(), whole.clone()].concat();
    let corrupt = ErrorCode::CorruptMessage;
    let invalid = ErrorCode::InvalidRecord;
    let negative_headers = changed(whole.len() - 1, &[1]);
    for (what, bad, error) in [
        ("checksum", &bad_crc[..], corrupt),
        ("no records", &changed(57, &0_i32.to_be_bytes()), invalid),
        ("negative record count", &changed(57, &(-1_i32).to_be_bytes()), invalid),
        ("more records stated than there are", &changed(57, &3_i32.to_be_bytes()), invalid),
        ("last offset delta", &changed(23, &7_i32.to_be_bytes()), invalid),
        ("base offset", &changed(0, &5_i64.to_be_bytes()), invalid),
        ("control batch", &changed(21, &0x20_i16.to_be_bytes()), invalid),
        ("negative header count", &negative_headers, invalid),
        ("magic 1", &changed(16, &[1]), invalid),
        ("magic 3", &changed(16, &[3]), invalid),
        ("two batches", &two, invalid),
        ("no batch", b"", invalid),
    ] {
        check_refused(&mut client, what, bad, error);
    }
}

#[test]
fn c19_a_batch_that_is_cut_short_is_refused_wherever_it_is_cut() {
    let mut client = Rig::new().connect();
    client.create("t", 3);
    let whole = batch(&["v", "w"]);
    for end in 1..whole.len() {
        let produced = client.produce("t", 0, &whole[..end]);
        assert!(
            is_refusal(&produced, ErrorCode::InvalidRecord)
                || is_refusal(&produced, ErrorCode::CorruptMessage),
            "cut at {end}: {produced:?}"
        );
    }
    assert_eq!(client.append("t", 0, &whole), 0, "nothing of them was appended");
}

#[test]
fn q27_null_records_are_refused() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    let mut request = produce_request(&[("t", 0, b"")]);
    request.topic_data[0].partition_data[0].records = None;
    let reply = client.ask(PRODUCE, &request);
    assert!(is_refusal(&produced(&reply)[0], ErrorCode::InvalidRecord));
}

#[test]
fn q29_a_client_may_not_claim_append_time() {
    let mut client = Rig::new().connect();
    client.create("t", 3);
    check_refused(
        &mut client,
        "append time",
        &changed(21, &8_i16.to_be_bytes()),
        ErrorCode::InvalidTimestamp,
    );
}

#[test]
fn q28_zstd_needs_version_7() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    let zstd = packed(Codec::Zstd, &["v"]);
    for (version, expected) in [
        (3, ErrorCode::UnsupportedCompressionType),
        (6, ErrorCode::UnsupportedCompressionType),
        (7, ErrorCode::None),
    ] {
        let reply = client.ask(version, &produce_request(&[("t", 0, &zstd)]));
        assert_eq!(produced(&reply)[0].error, expected, "version {version}");
    }
}

#[test]
fn every_version_and_codec_appends() {
    let mut client = Rig::new().connect();
    let id = client.create("t", 1);
    let mut expected = Vec::new();
    for version in 3..=13 {
        for codec in [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd] {
            if codec == Codec::Zstd && version < 7 {
                continue;
            }
            let value = format!("{version} {codec:?}");
            let batch = packed(codec, &[&value]);
            let mut request = produce_request(&[("t", 0, &batch)]);
            if version >= PRODUCE_BY_ID {
                request.topic_data[0].topic_id = id;
            }
            let reply = client.ask(version, &request);
            assert_eq!(produced(&reply)[0].base_offset, expected.len() as i64, "{value}");
            expected.push(value);
        }
    }
    assert_eq!(client.read_all("t", 0), expected);
}

#[test]
fn q30_the_batch_is_stored_as_sent_but_for_its_offset_and_epoch() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    client.append("t", 0, &batch(&["a", "b"]));
    let sent = packed(Codec::Lz4, &["c", "d"]);
    assert_eq!(client.append("t", 0, &sent), 2);
    let got = client.fetch("t", 0, 2).records;
    assert_eq!(got[..8], 2_i64.to_be_bytes());
    assert_eq!(got[8..12], sent[8..12]);
    assert_eq!(got[12..16], 0_i32.to_be_bytes(), "the leader's epoch");
    assert_eq!(got[16..], sent[16..]);
}

#[test]
fn c81_q31_append_time_is_the_brokers_wall_clock_in_batch_and_answer() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create_with("t", 1, &[("message.timestamp.type", "LogAppendTime")]);
    client.create("created", 1);
    rig.pass_ms(5000);
    let now = rig.wall_ms();
    assert!(now >= WALL_MS + 5000);
    let answer = client.produce("t", 0, &dated(&[1, 2]));
    assert_eq!((answer.error, answer.log_append_time_ms), (ErrorCode::None, now));
    let stored = client.fetch("t", 0, 0).records;
    let (header, bytes) = batches(&stored)[0];
    assert!(header.attributes.has_append_time());
    assert_eq!(header.max_timestamp, now);
    let mut again = bytes.to_vec();
    seal(&mut again);
    assert_eq!(again, bytes, "the checksum is that of the changed bytes");
    assert_eq!(client.produce("created", 0, &dated(&[WALL_MS])).log_append_time_ms, -1);
}

#[test]
fn q31_a_wrong_maximum_timestamp_is_put_right() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    let mut wrong = dated(&[WALL_MS, WALL_MS + 5]);
    wrong[35..43].copy_from_slice(&(WALL_MS + 1).to_be_bytes());
    seal(&mut wrong);
    client.append("t", 0, &wrong);
    let stored = client.fetch("t", 0, 0).records;
    assert_eq!(stored, {
        let mut right = dated(&[WALL_MS, WALL_MS + 5]);
        right[12..16].fill(0);
        right
    });
}

#[test]
fn q32_a_topic_with_a_codec_of_its_own_packs_anew() {
    let mut client = Rig::new().connect();
    for (topic, codec) in [("gzip", Codec::Gzip), ("zstd", Codec::Zstd), ("uncompressed", Codec::None)] {
        client.create_with(topic, 1, &[("compression.type", topic)]);
        client.append(topic, 0, &packed(Codec::Snappy, &["a", "b"]));
        let fetched = client.fetch(topic, 0, 0);
        assert_eq!(batches(&fetched.records)[0].0.attributes.codec(), Some(codec));
        assert_eq!(fetched.values(), ["a", "b"]);
    }
}

#[test]
fn q33_sizes_have_limits() {
    let mut client = Rig::new().connect();
    client.create_with("t", 1, &[("max.message.bytes", "1000")]);
    assert_eq!(client.produce("t", 0, &batch_of_size(900)).error, ErrorCode::None);
    assert!(is_refusal(&client.produce("t", 0, &batch_of_size(1000)), ErrorCode::MessageTooLarge));
    client.create_with("small", 1, &[("internal.segment.bytes", "2000"), ("max.message.bytes", "10000")]);
    assert!(is_refusal(&client.produce("small", 0, &batch_of_size(3000)), ErrorCode::RecordListTooLarge));
}

#[test]
fn q34_a_compacted_topic_refuses_records_without_keys_and_names_them() {
    let mut client = Rig::new().connect();
    client.create_with("t", 1, &[("cleanup.policy", "compact")]);
    let mixed = BatchBuilder::new()
        .record(WALL_MS, Some(b"k"), Some(b"v"))
        .record(WALL_MS, None, Some(b"v"))
        .record(WALL_MS, Some(b"k"), None)
        .record(WALL_MS, None, None)
        .build();
    let answer = client.produce("t", 0, &mixed);
    assert!(is_refusal(&answer, ErrorCode::InvalidRecord));
    assert_eq!(answer.record_errors, [1, 3]);
    assert_eq!(client.append("t", 0, &BatchBuilder::new().record(WALL_MS, Some(b"k"), None).build()), 0);
    let old = client.ask(7, &produce_request(&[("t", 0, &mixed)]));
    assert!(produced(&old)[0].record_errors.is_empty(), "version 7 has no field for them");
}

#[test]
fn q35_dates_have_limits() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    let hour = 3_600_000;
    let late = client.produce("t", 0, &dated(&[WALL_MS, WALL_MS + hour + 60_000]));
    assert!(is_refusal(&late, ErrorCode::InvalidTimestamp));
    assert_eq!(late.record_errors, [1]);
    for (topic, name, timestamp, expected) in [
        ("after", "message.timestamp.after.max.ms", WALL_MS + 60_000, ErrorCode::InvalidTimestamp),
        ("before", "message.timestamp.before.max.ms", WALL_MS - 60_000, ErrorCode::InvalidTimestamp),
        ("without", "message.timestamp.before.max.ms", -1, ErrorCode::None),
    ] {
        client.create_with(topic, 1, &[(name, "1000")]);
        assert_eq!(client.produce(topic, 0, &dated(&[timestamp])).error, expected, "{topic}");
    }
}

#[test]
fn q36_acks_are_minus_1_0_or_1() {
    let mut client = Rig::new().connect();
    client.create("t", 2);
    let batch = batch(&["v"]);
    for (acks, expected) in [(-1, ErrorCode::None), (1, ErrorCode::None), (2, ErrorCode::InvalidRequiredAcks)]
    {
        let mut request = produce_request(&[("t", 0, &batch), ("t", 1, &batch)]);
        request.acks = acks;
        let parts = produced(&client.ask(PRODUCE, &request));
        assert!(parts.iter().all(|part| part.error == expected), "acks {acks}");
    }
    assert_eq!(client.fetch("t", 0, 0).high_watermark, 2);
}

#[test]
fn q37_one_replica_in_sync_is_enough_for_all() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    assert_eq!(client.append("t", 0, &batch(&["v"])), 0);
    assert_eq!(client.fetch("t", 0, 0).high_watermark, 1);
}

#[test]
fn q38_internal_topics_are_not_for_clients() {
    let mut client = Rig::new().connect();
    client.create("__consumer_offsets", 1);
    let batch = batch(&["v"]);
    assert!(is_refusal(&client.produce("__consumer_offsets", 0, &batch), ErrorCode::InvalidTopicException));
    client.client_id = Some("__admin_client".to_owned());
    assert_eq!(client.produce("__consumer_offsets", 0, &batch).error, ErrorCode::None);
}

#[test]
fn q39_a_transactional_batch_without_a_transactional_id_is_refused_with_all_others() {
    let mut client = Rig::new().connect();
    client.create("t", 2);
    let (good, mut transactional) = (batch(&["good"]), sequenced(1, 0, 0, 1));
    transactional[22] |= 0x10;
    seal(&mut transactional);
    let reply = client.ask(PRODUCE, &produce_request(&[("t", 0, &good), ("t", 1, &transactional)]));
    let refused = |produced: &Produced| is_refusal(produced, ErrorCode::TransactionalIdAuthorizationFailed);
    assert!(produced(&reply).iter().all(refused));
    assert_eq!(client.fetch("t", 0, 0).high_watermark, 0);
}

#[test]
fn q20_q25_unknown_topics_and_partitions_are_told_apart() {
    let mut client = Rig::new().connect();
    let id = client.create("t", 1);
    let batch = batch(&["v"]);
    assert!(is_refusal(&client.produce("none", 0, &batch), ErrorCode::UnknownTopicOrPartition));
    assert!(is_refusal(&client.produce("t", 1, &batch), ErrorCode::UnknownTopicOrPartition));
    assert!(is_refusal(&client.produce("t", -1, &batch), ErrorCode::UnknownTopicOrPartition));
    let mut by_id = |topic_id: Uuid| {
        let mut request = produce_request(&[("", 0, &batch)]);
        request.topic_data[0].topic_id = topic_id;
        let reply = client.ask(PRODUCE_BY_ID, &request);
        let response: ProduceResponse<'_> = reply.read();
        assert_eq!(response.responses[0].topic_id, topic_id);
        produced(&reply)[0].error
    };
    assert_eq!(by_id(id), ErrorCode::None);
    assert_eq!(by_id(Uuid::from_u128(7)), ErrorCode::UnknownTopicId);
    assert_eq!(by_id(Uuid::ZERO), ErrorCode::UnknownTopicId);
}

#[test]
fn one_partition_twice_in_a_request_appends_twice_in_order() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    let (first, second) = (batch(&["first"]), batch(&["second"]));
    let mut request = produce_request(&[("t", 0, &first)]);
    request.topic_data[0].partition_data.push(PartitionProduceData { index: 0, records: Some(&second) });
    let offsets: Vec<i64> =
        produced(&client.ask(PRODUCE, &request)).iter().map(|part| part.base_offset).collect();
    assert_eq!(offsets, [0, 1]);
    assert_eq!(client.read_all("t", 0), ["first", "second"]);
}

#[test]
fn a_request_without_partitions_is_answered() {
    let mut client = Rig::new().connect();
    let reply = client.ask(PRODUCE, &ProduceRequest { acks: 1, ..Default::default() });
    assert!(produced(&reply).is_empty());
}

#[test]
fn c23_headers_keep_their_order_their_duplicates_and_their_nulls() {
    let headers: [(&[u8], Option<&[u8]>); 4] =
        [(b"a", Some(b"")), (b"a", None), (b"", Some(b"x")), (b"a", None)];
    let mut client = Rig::new().connect();
    client.create("t", 1);
    for codec in [Codec::None, Codec::Zstd] {
        let builder = BatchBuilder::new().codec(codec, None);
        let offset = client.append("t", 0, &builder.record_with(WALL_MS, None, None, &headers).build());
        let stored = client.fetch("t", 0, offset).records;
        let mut stream = RecordStream::new(codec, &stored[HEADER_LEN..], 1000).unwrap();
        let record = stream.next().unwrap().unwrap();
        let got: Vec<_> = record.headers.iter().map(|header| (header.key, header.value)).collect();
        assert_eq!(got, headers);
    }
}

/// A valid batch whose checksum is 0. The checksum is linear in the bits of the batch: four free bytes solve it.
fn batch_with_checksum_0() -> Vec<u8> {
    let crc_of = |free: u32| {
        let value = [b"zero".as_slice(), &free.to_be_bytes()].concat();
        let batch = BatchBuilder::new().record(WALL_MS, None, Some(&value)).build();
        (BatchHeader::parse(&batch).unwrap().crc, batch)
    };
    let (base, _) = crc_of(0);
    // Gauss: each row is what one free bit changes, and which bits make it.
    let mut rows: Vec<(u32, u32)> = Vec::new();
    for bit in 0..32 {
        let mut row = (crc_of(1 << bit).0 ^ base, 1 << bit);
        for known in &rows {
            if row.0 ^ known.0 < row.0 {
                row = (row.0 ^ known.0, row.1 ^ known.1);
            }
        }
        rows.push(row);
        rows.sort_unstable_by(|a, b| b.cmp(a));
    }
    let (rest, free) = rows.iter().fold((base, 0), |(rest, free), row| {
        if rest ^ row.0 < rest { (rest ^ row.0, free ^ row.1) } else { (rest, free) }
    });
    assert_eq!(rest, 0);
    let (crc, batch) = crc_of(free);
    assert_eq!(crc, 0);
    batch
}

#[test]
fn c21_a_batch_whose_checksum_is_0_is_a_batch() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 1);
    client.append("t", 0, &batch(&["before"]));
    let zero = batch_with_checksum_0();
    assert_eq!(client.append("t", 0, &zero), 1);
    client.append("t", 0, &batch(&["after"]));
    let stored = client.fetch("t", 0, 1).records;
    assert_eq!(stored[16..zero.len()], zero[16..]);
    rig.crash_and_restart(shard::memory::Crash::Process);
    let fetched = fetched(&rig.connect().ask(11, &fetch_request(&[("t", 0, 1)]))).remove(0);
    assert_eq!((fetched.records, fetched.high_watermark), (stored, 3));
}

#[test]
fn every_error_has_its_reason_from_version_8_on() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    let request_batch = batch(&["v"]);
    for version in 3..PRODUCE_BY_ID {
        let reply = client.ask(version, &produce_request(&[("none", 0, &request_batch)]));
        let response: ProduceResponse<'_> = reply.read();
        let partition = &response.responses[0].partition_responses[0];
        assert_eq!(error(partition.error_code), ErrorCode::UnknownTopicOrPartition);
        assert_eq!(partition.error_message.is_some(), version >= 8, "version {version}");
    }
}
