//! Idempotent producers: ids, sequences, retries, and what a restart remembers.

use protocol::ErrorCode;
use protocol::messages::init_producer_id_request::InitProducerIdRequest;
use protocol::messages::init_producer_id_response::InitProducerIdResponse;
use shard::memory::Crash;
use storage::batch::seal;

use crate::calls::{PRODUCE, error, produce_request, produced, sequenced};
use crate::harness::{Client, Rig};

/// Produces a batch of a producer; gives the error and the base offset.
fn send(client: &mut Client, producer: i64, epoch: i16, first: i32, count: usize) -> (ErrorCode, i64) {
    let answer = client.produce("t", 0, &sequenced(producer, epoch, first, count));
    (answer.error, answer.base_offset)
}

const OK: ErrorCode = ErrorCode::None;
const GAP: ErrorCode = ErrorCode::OutOfOrderSequenceNumber;

#[test]
fn c25_q41_a_retry_of_the_last_five_batches_is_answered_with_its_first_offset() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 1);
    let id = client.producer_id();
    assert_eq!(send(&mut client, id, 0, 0, 1), (OK, 0));
    assert_eq!(send(&mut client, id, 0, 0, 1), (OK, 0), "a retry");
    for sequence in 1..=5 {
        assert_eq!(send(&mut client, id, 0, sequence, 1), (OK, i64::from(sequence)));
    }
    for sequence in 1..=5 {
        assert_eq!(send(&mut client, id, 0, sequence, 1), (OK, i64::from(sequence)), "a retry");
    }
    assert_eq!(send(&mut client, id, 0, 5, 2), (GAP, -1), "the same start with another end is no retry");
    rig.crash_and_restart(Crash::Process);
    let mut client = rig.connect();
    assert_eq!(send(&mut client, id, 0, 5, 1), (OK, 5), "a retry after kill -9");
    assert_eq!(send(&mut client, id, 0, 6, 1), (OK, 6));
    assert_eq!(client.fetch("t", 0, 0).high_watermark, 7);
}

#[test]
fn q41_a_retry_that_comes_while_the_first_try_is_being_written_is_answered_with_it() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 1);
    let id = client.producer_id();
    let batch = sequenced(id, 0, 0, 3);
    // Both are taken in within one turn, before any byte is written.
    client.send(PRODUCE, &produce_request(&[("t", 0, &batch)]));
    client.send(PRODUCE, &produce_request(&[("t", 0, &batch)]));
    for _ in 0..2 {
        let answer = &produced(&client.receive())[0];
        assert_eq!((answer.error, answer.base_offset), (OK, 0));
    }
    assert_eq!(client.fetch("t", 0, 0).high_watermark, 3);
}

#[test]
fn c27_q42_sequences_wrap_to_0_and_are_never_negative() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    let (one, other) = (client.producer_id(), client.producer_id());
    assert_eq!(send(&mut client, one, 0, i32::MAX - 1, 2), (OK, 0));
    assert_eq!(send(&mut client, one, 0, 0, 1), (OK, 2));
    assert_eq!(send(&mut client, one, 0, 1, 1), (OK, 3));
    assert_eq!(send(&mut client, other, 0, i32::MAX - 2, 10), (OK, 4), "wraps inside the batch");
    assert_eq!(send(&mut client, other, 0, 7, 1), (OK, 14));
    assert_eq!(send(&mut client, other, 0, i32::MAX - 2, 10), (OK, 4), "a retry of the one that wrapped");
    let negative = client.produce("t", 0, &sequenced(one, 0, -5, 1));
    assert_eq!(negative.error, ErrorCode::InvalidRecord);
}

#[test]
fn q42_a_gap_is_refused_and_a_new_epoch_starts_at_0() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    let id = client.producer_id();
    assert_eq!(send(&mut client, id, 0, 0, 2), (OK, 0));
    assert_eq!(send(&mut client, id, 0, 3, 1), (GAP, -1));
    assert_eq!(send(&mut client, id, 1, 2, 1), (GAP, -1), "a new epoch in the middle");
    assert_eq!(send(&mut client, id, 1, 0, 1), (OK, 2));
    assert_eq!(send(&mut client, id, 1, 1, 1), (OK, 3));
}

#[test]
fn q43_an_old_epoch_is_fenced_by_produce_with_47() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    let id = client.producer_id();
    assert_eq!(send(&mut client, id, 4, 0, 1), (OK, 0));
    assert_eq!(send(&mut client, id, 3, 1, 1), (ErrorCode::InvalidProducerEpoch, -1));
    assert_eq!(send(&mut client, id, 3, 0, 1), (ErrorCode::InvalidProducerEpoch, -1));
}

#[test]
fn c29_q42_a_producer_without_state_may_begin_anywhere() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 2);
    let id = client.producer_id();
    assert_eq!(send(&mut client, id, 0, 77, 1), (OK, 0));
    rig.crash_and_restart(Crash::Process);
    let mut client = rig.connect();
    assert_eq!(send(&mut client, id, 0, 78, 1), (OK, 1), "the log was recovered before the first answer");
    assert_eq!(client.produce("t", 1, &sequenced(id, 0, 500, 1)).error, OK);
}

#[test]
fn q44_sequences_survive_a_clean_stop_too() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 1);
    let id = client.producer_id();
    (0..3).for_each(|sequence| assert_eq!(send(&mut client, id, 0, sequence, 1).0, OK));
    rig.stop();
    rig.start(2);
    let mut client = rig.connect();
    assert_eq!(send(&mut client, id, 0, 2, 1), (OK, 2));
    assert_eq!(send(&mut client, id, 0, 4, 1), (GAP, -1));
}

#[test]
fn q44_a_silent_producer_is_forgotten() {
    let rig = Rig::with(1, &[("producer.id.expiration.ms", "60000")]);
    let mut client = rig.connect();
    client.create("t", 1);
    let id = client.producer_id();
    assert_eq!(send(&mut client, id, 0, 0, 1), (OK, 0));
    assert_eq!(send(&mut client, id, 0, 9, 1), (GAP, -1));
    rig.pass_ms(200_000);
    assert_eq!(send(&mut client, id, 0, 9, 1), (OK, 1));
}

#[test]
fn q45_every_producer_gets_an_id_of_its_own_restarts_included() {
    let rig = Rig::new();
    let mut ids = Vec::new();
    for crash in [None, Some(Crash::Process), Some(Crash::Power)] {
        if let Some(crash) = crash {
            rig.crash_and_restart(crash);
        }
        let mut client = rig.connect();
        ids.extend((0..1500).map(|_| client.producer_id()));
    }
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
    assert!(ids[0] >= 0);
}

#[test]
fn q45_an_id_that_came_with_the_request_is_replaced() {
    let mut client = Rig::new().connect();
    let first = client.producer_id();
    let mut ask = |transactional_id: Option<&str>, producer_id: i64| {
        let request = InitProducerIdRequest {
            transactional_id,
            transaction_timeout_ms: 1000,
            producer_id,
            producer_epoch: if producer_id < 0 { -1 } else { 3 },
            ..Default::default()
        };
        let reply = client.ask(5, &request);
        let response: InitProducerIdResponse = reply.read();
        (error(response.error_code), response.producer_id, response.producer_epoch)
    };
    let (code, id, epoch) = ask(None, first);
    assert_eq!((code, epoch), (OK, 0));
    assert_ne!(id, first);
    assert_eq!(ask(Some(""), -1), (ErrorCode::InvalidRequest, -1, -1));
}

#[test]
fn a_retry_with_another_content_is_still_a_retry() {
    let mut client = Rig::new().connect();
    client.create("t", 1);
    let id = client.producer_id();
    assert_eq!(send(&mut client, id, 0, 0, 1), (OK, 0));
    let mut other = sequenced(id, 0, 0, 1);
    let last = other.len() - 2;
    other[last] = b'w';
    seal(&mut other);
    let answer = client.produce("t", 0, &other);
    assert_eq!((answer.error, answer.base_offset), (OK, 0), "Kafka compares sequences, not bytes");
    assert_eq!(client.read_all("t", 0), ["v"]);
}
