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

fn body<'a>(message: &impl Message<'a>, version: i16) -> Vec<u8> {
    let mut e = Encoder::new();
    message.encode(&mut e, version);
    e.into_vec()
}

fn asking(version: i16) -> Vec<u8> {
    body(&AskHistory { request: request() }, version)
}

fn telling(version: i16, histories: Vec<GroupHistory>) -> Vec<u8> {
    body(&ToldHistory { response: response(), histories: Some(histories) }, version)
}

/// What a response tells.
fn told(bytes: &[u8], version: i16) -> Result<Option<Vec<GroupHistory>>, DecodeError> {
    let mut d = Decoder::new(bytes);
    let told = ToldHistory::decode(&mut d, version)?;
    d.finish()?;
    Ok(told.histories)
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
        let message = ToldHistory { response: response(), histories: Some(histories.clone()) };
        let bytes = body(&message, version);
        assert_eq!(ToldHistory::decode(&mut Decoder::new(&bytes), version), Ok(message));
        assert_eq!(is_asked(&mut Decoder::new(&asking(version)), version), Ok(true));
    }
}

#[test]
fn who_does_not_know_the_tag_reads_the_message_as_ever() {
    for version in FIRST_VERSION..=6 {
        let bytes = telling(version, vec![history()]);
        let mut d = Decoder::new(&bytes);
        assert_eq!(DescribeGroupsResponse::decode(&mut d, version), Ok(response()));
        assert_eq!(d.finish(), Ok(()));
        let bytes = asking(version);
        let mut d = Decoder::new(&bytes);
        assert_eq!(DescribeGroupsRequest::decode(&mut d, version), Ok(request()));
        assert_eq!(d.finish(), Ok(()));
    }
}

#[test]
fn a_broker_that_sends_none_is_told_apart() {
    for version in 0..=6 {
        assert_eq!(told(&body(&response(), version), version), Ok(None));
        assert_eq!(is_asked(&mut Decoder::new(&body(&request(), version)), version), Ok(false));
    }
}

#[test]
fn a_broker_without_tagged_fields_is_asked_plainly() {
    for version in 0..FIRST_VERSION {
        assert_eq!(asking(version), body(&request(), version), "version {version}");
    }
}

#[test]
fn the_bytes_stay_what_they_are() {
    let request = DescribeGroupsRequest { groups: vec!["g"], include_authorized_operations: false };
    // One group, no operations, one tag: its number, its size, version 0.
    assert_eq!(body(&AskHistory { request }, 5), [2, 2, b'g', 0, 1, 0xc9, 0xa4, 0x01, 1, 0]);
    let history = GroupHistory { group: "g".to_owned(), ..Default::default() };
    let message = ToldHistory { histories: Some(vec![history]), ..Default::default() };
    let head = [0, 0, 0, 0, 1, 1, 0xc9, 0xa4, 0x01, 17, 0, 2];
    let group = [2, b'g', 1, 1, 255, 255, 255, 255, 255, 255, 255, 255, 0, 1, 0];
    assert_eq!(body(&message, 5), [&head[..], &group[..]].concat());
}

#[test]
fn a_later_version_may_add_to_the_end_and_new_causes() {
    let mut e = Encoder::new();
    e.i32(0);
    e.length(0, true);
    let mut tags = e.tags();
    let mut odd = history();
    odd.rebalances[0].cause.kind = CauseKind::Unknown;
    odd.rebalances[0].slowest = Some(("m".to_owned(), 1, Awaited::Unknown));
    tags.put(&mut e, TAG, |e| {
        e.i8(1);
        e.array(std::slice::from_ref(&odd), true, encode);
        e.raw(b"something new");
    });
    assert_eq!(told(e.as_slice(), 5), Ok(Some(vec![odd])));
}

#[test]
fn cut_and_mangled_bytes_give_an_error_or_a_message_and_never_a_panic() {
    let bytes = telling(5, vec![history()]);
    for end in 0..bytes.len() {
        assert!(told(&bytes[..end], 5).is_err(), "cut at {end}");
    }
    for at in 0..bytes.len() {
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let mut mangled = bytes.clone();
            mangled[at] = byte;
            _ = told(&mangled, 5);
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
