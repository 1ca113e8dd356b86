//! The extension of DescribeGroups: what is written is read again, and whoever does not know it reads the rest.

use super::*;
use crate::messages::describe_groups_response::DescribedGroup;

fn request() -> DescribeGroupsRequest<'static> {
    DescribeGroupsRequest { groups: vec!["g", "h"], include_authorized_operations: true }
}

fn response() -> DescribeGroupsResponse<'static> {
    let group = DescribedGroup { group_id: "g", group_state: "Stable", ..Default::default() };
    DescribeGroupsResponse { groups: vec![group], ..Default::default() }
}

fn history() -> GroupHistory {
    GroupHistory {
        group: "g".to_owned(),
        kind: "Classic".to_owned(),
        rebalances: vec![
            Rebalance {
                cause: CauseKind::SessionExpired.after(45_000),
                member: "m-1".to_owned(),
                reason: String::new(),
                further: 2,
                began_ms: 1_700_000_000_000,
                took_ms: 3100,
                is_superseded: true,
                generation: 7,
                members_before: 3,
                members_after: 2,
                slowest: Some(("m-2".to_owned(), 3000, Awaited::Join)),
            },
            Rebalance {
                cause: CauseKind::MemberJoined.now(),
                member: "m-1".to_owned(),
                reason: "need to revoke partitions".to_owned(),
                further: 0,
                began_ms: 1,
                took_ms: -1,
                is_superseded: false,
                generation: -1,
                members_before: 0,
                members_after: 0,
                slowest: None,
            },
        ],
        last_commit: Some((1_700_000_000_001, String::new())),
        lags: vec![PartitionLag {
            topic: "t".to_owned(),
            topic_id: Uuid::from_u128(5),
            partition: 3,
            offset: 10,
            log_start: 2,
            last_stable: 40,
            records: 30,
            age_ms: 1234,
        }],
    }
}

#[test]
fn what_is_written_is_read_again() {
    let other = GroupHistory { group: "h".to_owned(), ..Default::default() };
    let histories = vec![history(), other];
    for version in FIRST_VERSION..=6 {
        let body = encode_response_body(&response(), version, &histories);
        assert_eq!(decode_response_body(&mut Decoder::new(&body), version), Ok(Some(histories.clone())));
        let asked = encode_request_body(&request(), version);
        assert_eq!(is_asked(&mut Decoder::new(&asked), version), Ok(true));
    }
}

#[test]
fn who_does_not_know_the_tag_reads_the_message_as_ever() {
    for version in FIRST_VERSION..=6 {
        let body = encode_response_body(&response(), version, &[history()]);
        let mut d = Decoder::new(&body);
        assert_eq!(DescribeGroupsResponse::decode(&mut d, version), Ok(response()));
        assert_eq!(d.finish(), Ok(()));
        let body = encode_request_body(&request(), version);
        let mut d = Decoder::new(&body);
        assert_eq!(DescribeGroupsRequest::decode(&mut d, version), Ok(request()));
        assert_eq!(d.finish(), Ok(()));
    }
}

#[test]
fn a_broker_that_sends_none_is_told_apart() {
    for version in 1..=6 {
        let mut e = Encoder::new();
        response().encode(&mut e, version);
        assert_eq!(decode_response_body(&mut Decoder::new(e.as_slice()), version), Ok(None));
        let mut e = Encoder::new();
        request().encode(&mut e, version.max(3));
        assert_eq!(is_asked(&mut Decoder::new(e.as_slice()), version.max(3)), Ok(false));
    }
}

#[test]
fn the_bytes_stay_what_they_are() {
    let request = DescribeGroupsRequest { groups: vec!["g"], ..Default::default() };
    // One group, no operations, one tag: its number, its size, version 0.
    assert_eq!(encode_request_body(&request, 5), [2, 2, b'g', 0, 1, 0xc9, 0xa4, 0x01, 1, 0]);
    let history = GroupHistory { group: "g".to_owned(), ..Default::default() };
    let body = encode_response_body(&DescribeGroupsResponse::default(), 5, &[history]);
    let head = [0, 0, 0, 0, 1, 1, 0xc9, 0xa4, 0x01, 17, 0, 2];
    let group = [2, b'g', 1, 1, 255, 255, 255, 255, 255, 255, 255, 255, 0, 1, 0];
    assert_eq!(body, [&head[..], &group[..]].concat());
}

#[test]
fn a_later_version_may_add_to_the_end_and_new_causes() {
    let mut e = Encoder::new();
    e.i32(0);
    e.array(&[] as &[i8], true, |e, item| e.i8(*item));
    let mut tags = e.tags();
    let mut odd = history();
    odd.rebalances[0].cause.kind = CauseKind::Unknown;
    odd.rebalances[0].slowest = Some(("m".to_owned(), 1, Awaited::Unknown));
    tags.put(&mut e, TAG, |e| {
        e.i8(1);
        e.array(&[odd.clone()], true, encode);
        e.raw(b"something new");
    });
    assert_eq!(decode_response_body(&mut Decoder::new(e.as_slice()), 5), Ok(Some(vec![odd])));
}

#[test]
fn cut_and_mangled_bytes_give_an_error_or_a_message_and_never_a_panic() {
    let body = encode_response_body(&response(), 5, &[history()]);
    for end in 0..body.len() {
        assert!(decode_response_body(&mut Decoder::new(&body[..end]), 5).is_err(), "cut at {end}");
    }
    for at in 0..body.len() {
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let mut mangled = body.clone();
            mangled[at] = byte;
            _ = decode_response_body(&mut Decoder::new(&mangled), 5);
            _ = is_asked(&mut Decoder::new(&mangled), 5);
        }
    }
}

#[test]
fn each_cause_keeps_its_number_and_has_a_name_of_its_own() {
    let mut names = std::collections::BTreeSet::new();
    for (number, kind) in CauseKind::ALL.into_iter().enumerate() {
        assert_eq!(kind as usize, number);
        assert_eq!(CauseKind::from_number(number as i8), kind);
        assert!(names.insert(kind.name()));
        assert!(!kind.now().to_string().is_empty());
    }
    assert_eq!(CauseKind::from_number(100), CauseKind::Unknown);
    assert_eq!(CauseKind::SessionExpired.after(6000).to_string(), "session expired after 6000 ms");
}
