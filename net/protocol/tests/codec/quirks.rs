//! Facts of the wire that clients depend on, one test each, named by the number of the quirk.

use protocol::messages::api_versions_response::ApiVersionsResponse;
use protocol::messages::create_topics_request::CreateTopicsRequest;
use protocol::messages::fetch_response::{EpochEndOffset, LeaderIdAndEpoch, PartitionData};
use protocol::messages::metadata_request::{MetadataRequest, MetadataRequestTopic};
use protocol::messages::produce_response::{NodeEndpoint, ProduceResponse};
use protocol::{ApiKey, Decoder, Encoder, RequestHeader, decode_response_header, encode_response};

use crate::every::{decode_whole, encode};

#[test]
fn q1_an_api_versions_response_has_no_tags_in_its_header() {
    let frame = encode_response(ApiKey::ApiVersions, 3, 9, &ApiVersionsResponse::default());
    // size │ correlation id │ error, no keys, throttle, no tags: flexible, but for the header
    assert_eq!(frame, b"\0\0\0\x0c\0\0\0\x09\0\0\x01\0\0\0\0\0");
    let frame = encode_response(ApiKey::CreateTopics, 5, 9, &ApiVersionsResponse::default());
    assert_eq!(frame[8], 0, "every other flexible response has them");
}

#[test]
fn q2_the_answer_to_a_too_new_api_versions_request_is_of_version_0() {
    let mut d = Decoder::new(b"\0\x12\0\x63\0\0\0\x07\0\x03new\0whatever the body is");
    let header = RequestHeader::decode(&mut d).expect("the header is readable");
    assert_eq!((header.key(), header.api_version), (Some(ApiKey::ApiVersions), 99));
    let answer = ApiVersionsResponse { error_code: 35, ..ApiVersionsResponse::default() };
    let frame = encode_response(ApiKey::ApiVersions, 0, header.correlation_id, &answer);
    assert_eq!(frame, b"\0\0\0\x0a\0\0\0\x07\0\x23\0\0\0\0");
}

#[test]
fn q4_c3_a_null_client_id_is_read_in_both_header_versions() {
    for (bytes, version) in
        [(&b"\0\x03\0\x08\0\0\0\x01\xff\xff"[..], 8), (b"\0\x03\0\x09\0\0\0\x01\xff\xff\0", 9)]
    {
        let header = RequestHeader::decode(&mut Decoder::new(bytes)).expect("null is legal");
        assert_eq!((header.client_id, header.api_version), (None, version));
    }
}

#[test]
fn q13_unknown_tags_are_skipped() {
    // Metadata v12, no topics, flags, then tags 7 (two bytes) and 300 (none).
    let request: MetadataRequest<'_> =
        decode_whole(b"\x01\x01\x00\x02\x07\x02ab\xac\x02\x00", 12).expect("unknown tags are no error");
    assert!(request.allow_auto_topic_creation);
    assert_eq!(encode(&request, 12), b"\x01\x01\0\0", "nor are they kept");
}

#[test]
fn q13_tags_ascend_and_defaults_stay_out() {
    let mut partition = PartitionData {
        diverging_epoch: EpochEndOffset { epoch: 1, end_offset: 2 },
        current_leader: LeaderIdAndEpoch { leader_id: 3, leader_epoch: 4 },
        ..PartitionData::default()
    };
    let mut e = Encoder::new();
    partition.encode(&mut e, 12);
    let tags = b"\x02\0\x0d\0\0\0\x01\0\0\0\0\0\0\0\x02\0\x01\x09\0\0\0\x03\0\0\0\x04\0";
    assert!(e.as_slice().ends_with(tags), "{:?}", e.as_slice());

    partition.diverging_epoch = EpochEndOffset::default();
    let mut e = Encoder::new();
    partition.encode(&mut e, 12);
    assert!(e.as_slice().ends_with(b"\0\x01\x01\x09\0\0\0\x03\0\0\0\x04\0"), "{:?}", e.as_slice());
}

#[test]
fn q13_every_nested_struct_has_its_own_tags() {
    let topic = MetadataRequestTopic { name: Some("t"), ..MetadataRequestTopic::default() };
    let request = MetadataRequest { topics: Some(vec![topic]), ..MetadataRequest::default() };
    assert_eq!(encode(&request, 9), b"\x02\x02t\0\x01\0\0\0");
}

#[test]
fn q14_null_and_empty_topics_differ() {
    check_topics(1, b"\xff\xff\xff\xff", None);
    check_topics(1, b"\0\0\0\0", Some(0));
    check_topics(9, b"\0\x01\0\0\0", None);
    check_topics(9, b"\x01\x01\0\0\0", Some(0));
    check_topics(0, b"\0\0\0\0", Some(0));
}

#[test]
fn q14_version_0_has_no_null_so_that_all_topics_are_written_as_empty() {
    let all = MetadataRequest { topics: None, ..MetadataRequest::default() };
    assert_eq!(encode(&all, 0), b"\0\0\0\0");
    assert!(decode_whole::<MetadataRequest<'_>>(b"\xff\xff\xff\xff", 0).is_err());
}

fn check_topics(version: i16, bytes: &[u8], count: Option<usize>) {
    let request: MetadataRequest<'_> = decode_whole(bytes, version).expect("a valid body");
    assert_eq!(request.topics.as_ref().map(Vec::len), count);
    assert_eq!(encode(&request, version), bytes);
}

#[test]
fn kip951_node_endpoints_are_left_out_before_version_10() {
    let node = NodeEndpoint { node_id: 1, host: "h", port: 9092, rack: None };
    let response = ProduceResponse { node_endpoints: vec![node], ..ProduceResponse::default() };
    assert_eq!(encode(&response, 9), b"\x01\0\0\0\0\0");
    assert_eq!(encode(&response, 10), b"\x01\0\0\0\0\x01\0\x0d\x02\0\0\0\x01\x02h\0\0\x23\x84\0\0");
}

#[test]
fn defaults_are_those_of_the_schema() {
    let request = CreateTopicsRequest::default();
    assert_eq!((request.timeout_ms, request.validate_only), (60_000, false));
    assert!(MetadataRequest::default().allow_auto_topic_creation);
    assert_eq!(PartitionData::default().preferred_read_replica, -1);
    assert_eq!(PartitionData::default().records, None);
}

#[test]
fn a_response_header_comes_back() {
    for version in [8, 9] {
        let frame = encode_response(ApiKey::Metadata, version, -5, &ProduceResponse::default());
        let mut d = Decoder::new(&frame[4..]);
        assert_eq!(decode_response_header(&mut d, ApiKey::Metadata, version), Ok(-5));
        assert_eq!(d.position(), if version >= 9 { 5 } else { 4 });
    }
}
