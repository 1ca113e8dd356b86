//! Fetch sessions (KIP-227): what a client need not repeat, and what it is not told again.

use protocol::ErrorCode;
use protocol::messages::fetch_request::{FetchRequest, ForgottenTopic};
use protocol::messages::fetch_response::FetchResponse;

use crate::calls::{FETCH, batch, batch_of_size, error, fetch_by_id, fetch_request};
use crate::harness::{Client, Rig};

/// A fetch within a session: the whole error, the session's id, and the partitions that are told.
fn fetch(client: &mut Client, id: i32, epoch: i32, request: FetchRequest<'_>) -> (ErrorCode, i32, Vec<i32>) {
    let version = if request.topics.iter().any(|topic| !topic.topic_id.is_zero()) { 13 } else { FETCH };
    let reply = client.ask(version, &FetchRequest { session_id: id, session_epoch: epoch, ..request });
    let response: FetchResponse<'_> = reply.read();
    let partitions = response.responses.iter().flat_map(|topic| &topic.partitions);
    let told = partitions.map(|partition| partition.partition_index).collect();
    (error(response.error_code), response.session_id, told)
}

/// A node with a topic of four partitions, a client, and its session over all of them.
fn with_session() -> (Rig, Client, i32) {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 4);
    let (error, id, told) = fetch(&mut client, 0, 0, all());
    assert_eq!((error, told), (ErrorCode::None, vec![0, 1, 2, 3]));
    assert_ne!(id, 0);
    (rig, client, id)
}

fn all() -> FetchRequest<'static> {
    fetch_request(&[("t", 0, 0), ("t", 1, 0), ("t", 2, 0), ("t", 3, 0)])
}

fn nothing() -> FetchRequest<'static> {
    fetch_request(&[])
}

const OK: ErrorCode = ErrorCode::None;

#[test]
fn q61_a_session_lasts_from_epoch_to_epoch_and_ends_when_asked() {
    let (rig, mut client, id) = with_session();
    for epoch in 1..5 {
        assert_eq!(fetch(&mut client, id, epoch, nothing()), (OK, id, vec![]));
    }
    let (code, other, told) = fetch(&mut client, id, 0, all());
    assert_eq!((code, told.len()), (OK, 4), "epoch 0 closes it and makes another");
    assert_ne!(other, id);
    assert_eq!(fetch(&mut client, id, 5, nothing()).0, ErrorCode::FetchSessionIdNotFound);
    assert_eq!(
        fetch(&mut client, other, -1, all()),
        (OK, 0, vec![0, 1, 2, 3]),
        "epoch -1 closes it for good"
    );
    assert_eq!(fetch(&mut client, other, 1, nothing()).0, ErrorCode::FetchSessionIdNotFound);
    assert_eq!(rig.sum(|broker| broker.sessions.len()), 0);
}

#[test]
fn q61_errors_of_a_session_are_the_whole_responses() {
    let (_rig, mut client, id) = with_session();
    let unknown = id ^ 1;
    for (id, epoch, expected) in [
        (unknown, 1, ErrorCode::FetchSessionIdNotFound),
        (id, 2, ErrorCode::InvalidFetchSessionEpoch),
        (id, i32::MAX, ErrorCode::InvalidFetchSessionEpoch),
        (id, -2, ErrorCode::InvalidFetchSessionEpoch),
    ] {
        assert_eq!(fetch(&mut client, id, epoch, all()), (expected, 0, vec![]), "{id} {epoch}");
    }
    assert_eq!(fetch(&mut client, id, 1, nothing()), (OK, id, vec![]), "none of them changed the session");
}

#[test]
fn q61_a_session_does_not_change_between_names_and_ids() {
    let (_rig, mut client, id) = with_session();
    let topic_id = client.describe("t").1;
    let (code, told_id, told) = fetch(&mut client, id, 1, fetch_by_id(&[(topic_id, 0, 0)]));
    assert_eq!((code, told_id, told), (ErrorCode::FetchSessionTopicIdError, 0, vec![]));
    let (code, by_id, _) = fetch(&mut client, 0, 0, fetch_by_id(&[(topic_id, 0, 0)]));
    assert_eq!(code, OK);
    assert_eq!(fetch(&mut client, by_id, 1, all()).0, ErrorCode::FetchSessionTopicIdError);
}

#[test]
fn q62_only_what_is_new_is_told() {
    let (_rig, mut client, id) = with_session();
    client.append("t", 2, &batch(&["v"]));
    assert_eq!(fetch(&mut client, id, 1, nothing()), (OK, id, vec![2]), "records");
    let at_end = fetch_request(&[("t", 2, 1)]);
    assert_eq!(
        fetch(&mut client, id, 2, at_end),
        (OK, id, vec![]),
        "the client has them all, and knows the end"
    );
    let beyond = fetch_request(&[("t", 1, 9)]);
    assert_eq!(fetch(&mut client, id, 3, beyond), (OK, id, vec![1]), "an error");
    assert_eq!(fetch(&mut client, id, 4, nothing()), (OK, id, vec![1]), "and again, until it is gone");
    assert_eq!(
        fetch(&mut client, id, 5, fetch_request(&[("t", 1, 0)])),
        (OK, id, vec![1]),
        "and then that it is"
    );
    assert_eq!(fetch(&mut client, id, 6, nothing()), (OK, id, vec![]));
}

#[test]
fn q62_a_high_watermark_that_moved_is_told_without_records() {
    let (_rig, mut client, id) = with_session();
    client.append("t", 0, &batch(&["v"]));
    // The reader is at the end already: nothing to read, but the end is news to it.
    assert_eq!(fetch(&mut client, id, 1, fetch_request(&[("t", 0, 1)])), (OK, id, vec![0]));
    assert_eq!(fetch(&mut client, id, 2, nothing()), (OK, id, vec![]));
}

#[test]
fn q62_forgotten_partitions_are_gone_and_added_ones_are_there() {
    let (_rig, mut client, id) = with_session();
    let forget = |partitions: &[i32]| FetchRequest {
        forgotten_topics_data: vec![ForgottenTopic {
            topic: "t",
            partitions: partitions.to_vec(),
            ..Default::default()
        }],
        ..nothing()
    };
    assert_eq!(fetch(&mut client, id, 1, forget(&[1, 2, 77])), (OK, id, vec![]));
    for partition in 0..4 {
        client.append("t", partition, &batch(&["v"]));
    }
    assert_eq!(fetch(&mut client, id, 2, nothing()).2, [0, 3]);
    let again = FetchRequest { topics: fetch_request(&[("t", 1, 0)]).topics, ..forget(&[0]) };
    let mut told = fetch(&mut client, id, 3, again).2;
    told.sort_unstable();
    assert_eq!(told, [1, 3]);
}

#[test]
fn q58_a_partition_that_returned_data_goes_behind_the_others() {
    let (_rig, mut client, id) = with_session();
    for _ in 0..10 {
        for partition in 0..4 {
            client.append("t", partition, &batch_of_size(1000));
        }
    }
    let mut served = Vec::new();
    for epoch in 1..=8 {
        // Room for one batch: the first of the order gets it.
        let small = FetchRequest { max_bytes: 1, ..nothing() };
        served.push(fetch_with_records(&mut client, id, epoch, small));
    }
    assert_eq!(served, [0, 1, 2, 3, 0, 1, 2, 3], "each gets its turn");
}

fn fetch_with_records(client: &mut Client, id: i32, epoch: i32, request: FetchRequest<'_>) -> i32 {
    let reply = client.ask(FETCH, &FetchRequest { session_id: id, session_epoch: epoch, ..request });
    let response: FetchResponse<'_> = reply.read();
    let all: Vec<_> = response.responses.iter().flat_map(|topic| &topic.partitions).collect();
    let mut with = all.iter().filter(|part| part.records.is_some_and(|records| !records.is_empty()));
    let partition = with.next().expect("one partition has records").partition_index;
    assert!(with.next().is_none(), "one partition alone has records");
    partition
}

#[test]
fn q61_a_full_cache_drops_the_session_idle_longest_or_goes_without() {
    let rig = Rig::with(1, &[("max.incremental.fetch.session.cache.slots", "2")]);
    let mut client = rig.connect();
    client.create("t", 4);
    let first = fetch(&mut client, 0, 0, all()).1;
    let second = fetch(&mut client, 0, 0, all()).1;
    assert!(first != 0 && second != 0);
    assert_eq!(fetch(&mut client, 0, 0, all()), (OK, 0, vec![0, 1, 2, 3]), "no room: no session");
    rig.pass_ms(119_000);
    assert_eq!(fetch(&mut client, first, 1, nothing()).0, OK, "this one is in use");
    rig.pass_ms(2000);
    let third = fetch(&mut client, 0, 0, all()).1;
    assert_ne!(third, 0, "one was idle for two minutes");
    assert_eq!(fetch(&mut client, second, 1, nothing()).0, ErrorCode::FetchSessionIdNotFound);
    assert_eq!(fetch(&mut client, first, 2, nothing()).0, OK);
    assert_eq!(rig.sum(|broker| broker.sessions.len()), 2);
}

#[test]
fn q61_a_session_waits_as_any_fetch_does() {
    let (rig, mut client, id) = with_session();
    let mut other = rig.connect();
    let waiting = FetchRequest { max_wait_ms: 10_000, session_id: id, session_epoch: 1, ..nothing() };
    client.send(FETCH, &waiting);
    assert!(client.receive_now().is_none());
    other.append("t", 3, &batch(&["v"]));
    let reply = client.receive_now().expect("the append wakes it");
    let response: FetchResponse<'_> = reply.read();
    assert_eq!(response.responses[0].partitions[0].partition_index, 3);
    assert_eq!(response.session_id, id);
}
