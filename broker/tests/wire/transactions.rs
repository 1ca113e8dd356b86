//! Transactions: what their producers, their readers and their groups see, in both versions (KIP-98, 360, 447, 664, 890).

use protocol::ErrorCode;
use shard::memory::{Crash, Faults};

use crate::calls::batch;
use crate::harness::{Client, Rig};
use crate::transacting::{ABORTED, COMMITTED, OK, Producer, V1, V2, Versions, in_both, with_topic};

#[test]
fn q54_nothing_is_read_before_it_is_committed_and_all_of_it_after() {
    in_both(|versions| {
        let (_rig, mut client) = with_topic(Rig::new(), 4);
        let mut producer = Producer::new(&mut client, "tx", versions);
        for partition in 0..3 {
            assert_eq!(producer.send(&mut client, "t", partition, 0, &["a", "b"]).error, OK);
            let read = client.read_stable("t", partition, 0);
            assert_eq!((read.values.len(), read.last_stable_offset, read.high_watermark), (0, 0, 2));
            assert_eq!(client.stable_end("t", partition), 0);
            assert_eq!(client.fetch("t", partition, 0).values(), ["a", "b"], "read uncommitted");
        }
        producer.end_well(&mut client, COMMITTED);
        for partition in 0..3 {
            let read = client.read_stable("t", partition, 0);
            assert_eq!(read.values, ["a", "b"]);
            assert_eq!((read.last_stable_offset, read.high_watermark, read.next), (3, 3, 3));
            assert_eq!(read.aborted, []);
        }
        assert_eq!(client.transaction_state("tx").unwrap(), "CompleteCommit");
    });
}

#[test]
fn c33_q55_aborted_records_are_named_and_a_restart_remembers_them() {
    in_both(|versions| {
        let (rig, mut client) = with_topic(Rig::new(), 4);
        let mut producer = Producer::new(&mut client, "tx", versions);
        client.append("t", 0, &batch(&["before"]));
        assert_eq!(producer.send(&mut client, "t", 0, 0, &["lost"]).error, OK);
        client.append("t", 0, &batch(&["between"]));
        producer.end_well(&mut client, ABORTED);
        client.append("t", 0, &batch(&["after"]));
        let check = |client: &mut Client| {
            let read = client.read_stable("t", 0, 0);
            assert_eq!(read.values, ["before", "between", "after"]);
            assert_eq!(read.aborted.len(), 1);
            assert_eq!((read.aborted[0].1, read.last_stable_offset), (1, 5));
            let from_within = client.read_stable("t", 0, 2);
            assert_eq!(from_within.aborted, read.aborted, "it began before what is read");
            assert_eq!(client.read_stable("t", 0, 4).aborted, [], "it has ended before");
        };
        check(&mut client);
        for crash in [Crash::Process, Crash::Power] {
            rig.crash_and_restart(crash);
            check(&mut rig.connect());
        }
        rig.stop();
        rig.start(2);
        check(&mut rig.connect());
    });
}

#[test]
fn c35_q51_a_reader_of_committed_records_reaches_the_end_behind_aborted_ones() {
    in_both(|versions| {
        let (_rig, mut client) = with_topic(Rig::new(), 4);
        let mut producer = Producer::new(&mut client, "tx", versions);
        for first in 0..20 {
            assert_eq!(producer.send(&mut client, "t", 0, first * 2, &["x", "y"]).error, OK);
        }
        producer.end_well(&mut client, ABORTED);
        let read = client.read_stable("t", 0, 0);
        assert!(read.values.is_empty());
        assert_eq!((read.next, read.last_stable_offset), (41, 41), "the marker is read as well");
        assert_eq!(client.stable_end("t", 0), 41);
    });
}

#[test]
fn q54_the_oldest_open_transaction_holds_the_stable_end_back() {
    let (_rig, mut client) = with_topic(Rig::new(), 4);
    let mut old = Producer::new(&mut client, "old", V2);
    let mut new = Producer::new(&mut client, "new", V1);
    client.append("t", 0, &batch(&["first"]));
    assert_eq!(old.send(&mut client, "t", 0, 0, &["old"]).error, OK);
    assert_eq!(new.send(&mut client, "t", 0, 0, &["new"]).error, OK);
    new.end_well(&mut client, COMMITTED);
    client.append("t", 0, &batch(&["last"]));
    let read = client.read_stable("t", 0, 0);
    assert_eq!((read.values, read.last_stable_offset, read.high_watermark), (vec!["first".into()], 1, 5));
    let open = client.producers("t", 0);
    assert!(open.contains(&(old.id, 0, 0, 1)), "{open:?}");
    assert!(open.iter().any(|(id, .., first)| *id == new.id && *first == -1), "{open:?}");
    old.end_well(&mut client, COMMITTED);
    assert_eq!(client.read_stable("t", 0, 0).values, ["first", "old", "new", "last"]);
}

#[test]
fn q59_a_reader_of_committed_records_waits_for_the_marker() {
    let (rig, mut client) = with_topic(Rig::new(), 4);
    let mut producer = Producer::new(&mut client, "tx", V2);
    assert_eq!(producer.send(&mut client, "t", 0, 0, &["a"]).error, OK);
    let mut reader = rig.connect();
    let mut request = crate::calls::fetch_request(&[("t", 0, 0)]);
    (request.isolation_level, request.max_wait_ms) = (1, 30_000);
    reader.send(crate::calls::FETCH, &request);
    assert!(reader.receive_now().is_none(), "there is nothing stable yet");
    let before = rig.now_ms();
    producer.end_well(&mut client, COMMITTED);
    let fetched = crate::calls::fetched(&reader.receive()).remove(0);
    assert_eq!(fetched.last_stable_offset, 2);
    assert!(rig.now_ms() < before + 1000, "it was woken, not timed out");
}

#[test]
fn q53_a_batch_outside_of_its_transaction_is_refused() {
    let (_rig, mut client) = with_topic(Rig::new(), 4);
    // Version 1: the partition was never added.
    let v1 = Producer::new(&mut client, "v1", V1);
    assert_eq!(v1.produce(&mut client, "t", 0, 0, &["x"]).error, ErrorCode::TransactionAbortable);
    let older = Producer { versions: Versions { produce: 9, ..V1 }, ..v1.clone() };
    assert_eq!(older.produce(&mut client, "t", 0, 0, &["x"]).error, ErrorCode::InvalidTxnState);
    assert_eq!(v1.add(&mut client, "t", 0), OK);
    assert_eq!(v1.produce(&mut client, "t", 0, 0, &["x"]).error, OK);
    assert_ne!(v1.produce(&mut client, "t", 1, 0, &["x"]).error, OK, "another partition");
    // Somebody else's id, and nobody's.
    let stranger = Producer { id: 4711, ..Producer::new(&mut client, "v2", V2) };
    assert_eq!(stranger.produce(&mut client, "t", 2, 0, &["x"]).error, ErrorCode::InvalidProducerIdMapping);
    let nobody = Producer { txn: "nobody", ..stranger };
    assert_eq!(nobody.produce(&mut client, "t", 2, 0, &["x"]).error, ErrorCode::InvalidProducerIdMapping);
    assert_eq!(client.fetch("t", 2, 0).high_watermark, 0);
}

#[test]
fn q53_a_late_batch_begins_no_transaction_that_nobody_ends() {
    in_both(|versions| {
        let (rig, mut client) = with_topic(Rig::new(), 4);
        let mut producer = Producer::new(&mut client, "tx", versions);
        assert_eq!(producer.send(&mut client, "t", 0, 0, &["a"]).error, OK);
        let late = producer.clone();
        producer.end_well(&mut client, COMMITTED);
        let refused = late.produce(&mut client, "t", 0, 1, &["late"]).error;
        assert_ne!(refused, OK, "{versions:?}");
        assert_ne!(late.produce(&mut client, "t", 1, 0, &["late"]).error, OK);
        // A retry of what was appended is still one in version 1; in version 2 its epoch is over.
        let retried = late.produce(&mut client, "t", 0, 0, &["a"]);
        assert_eq!(retried.error == OK, versions == V1, "{retried:?}");
        rig.settle();
        let read = client.read_stable("t", 0, 0);
        assert_eq!((read.values, read.last_stable_offset), (vec!["a".into()], 2));
    });
}

#[test]
fn q52_a_batch_of_another_kind_within_a_transaction_is_refused() {
    let (_rig, mut client) = with_topic(Rig::new(), 4);
    let producer = Producer::new(&mut client, "tx", V2);
    assert_eq!(producer.send(&mut client, "t", 0, 0, &["a"]).error, OK);
    let plain = crate::calls::sequenced(producer.id, producer.epoch, 1, 1);
    assert_eq!(client.produce("t", 0, &plain).error, ErrorCode::InvalidTxnState);
}

#[test]
fn q43_q46_a_new_producer_of_the_same_id_fences_the_old_one() {
    in_both(|versions| {
        let (_rig, mut client) = with_topic(Rig::new(), 4);
        let mut old = Producer::new(&mut client, "tx", versions);
        assert_eq!(old.send(&mut client, "t", 0, 0, &["old"]).error, OK);
        let mut new = old.clone();
        assert_eq!(new.try_init(&mut client), ErrorCode::ConcurrentTransactions, "it is aborted first");
        new.init(&mut client);
        assert_eq!((new.id, new.epoch), (old.id, old.epoch + 2));
        assert_eq!(old.produce(&mut client, "t", 0, 1, &["old"]).error, ErrorCode::InvalidProducerEpoch);
        assert_eq!(old.end(&mut client, COMMITTED), ErrorCode::ProducerFenced);
        assert_eq!(client.add_partitions(&old, &[("t", 1)]), [ErrorCode::ProducerFenced]);
        assert_eq!(new.send(&mut client, "t", 0, 0, &["new"]).error, OK);
        new.end_well(&mut client, COMMITTED);
        assert_eq!(client.read_stable("t", 0, 0).values, ["new"]);
    });
}

#[test]
fn q45_timeouts_and_ids_are_checked() {
    let (_rig, mut client) = with_topic(Rig::new(), 4);
    client.find_transaction("tx");
    for timeout_ms in [0, -1, 900_001] {
        assert_eq!(client.init_producer("tx", timeout_ms, None).0, ErrorCode::InvalidTransactionTimeout);
    }
    assert_eq!(client.init_producer("", 1000, None).0, ErrorCode::InvalidRequest);
    assert_eq!(client.init_producer("tx", 1000, Some((7, -1))).0, ErrorCode::InvalidRequest);
    assert_eq!(client.init_producer("tx", 900_000, None).0, OK);
    // The record of a longer id would come back cut after a restart.
    let (code, ..) = client.init_producer(&"t".repeat(32_768), 60_000, None);
    assert_eq!(code, ErrorCode::InvalidRequest);
}

#[test]
fn q47_partitions_are_added_all_or_none() {
    let (_rig, mut client) = with_topic(Rig::new(), 4);
    let producer = Producer::new(&mut client, "tx", V1);
    let errors = client.add_partitions(&producer, &[("t", 0), ("none", 0), ("t", 9)]);
    let unknown = ErrorCode::UnknownTopicOrPartition;
    assert_eq!(errors, [ErrorCode::OperationNotAttempted, unknown, unknown]);
    assert_eq!(client.transaction_state("tx").unwrap(), "Empty");
    assert_eq!(client.transaction_state("other"), Err(ErrorCode::TransactionalIdNotFound));
}

#[test]
fn q49_many_transactions_one_after_another_need_no_patience() {
    in_both(|versions| {
        let (rig, mut client) = with_topic(Rig::new(), 4);
        let mut producer = Producer::new(&mut client, "tx", versions);
        let before = rig.now_ms();
        let mut sequence = [0; 4];
        for round in 0..50 {
            for partition in 0..4 {
                let first = if versions == V2 { 0 } else { sequence[partition as usize] };
                assert_eq!(producer.send(&mut client, "t", partition, first, &["v"]).error, OK);
                sequence[partition as usize] += 1;
            }
            assert_eq!(producer.end(&mut client, round % 2 == 0), OK);
        }
        assert!(rig.now_ms() < before + 1000, "nobody is sent away to try again");
        rig.settle();
        for partition in 0..4 {
            let read = client.read_stable("t", partition, 0);
            assert_eq!((read.values.len(), read.aborted.len(), read.next), (25, 25, 100));
        }
    });
}

#[test]
fn q50_c37_a_transaction_that_its_client_left_is_aborted_in_time() {
    in_both(|versions| {
        let (rig, mut client) = with_topic(Rig::new(), 4);
        let mut producer = Producer::new(&mut client, "tx", versions);
        producer.timeout_ms = 10_000;
        producer.init(&mut client);
        assert_eq!(producer.send(&mut client, "t", 0, 0, &["lost"]).error, OK);
        assert_eq!(producer.commit_offset(&mut client, "g", "t", 20), OK);
        assert_eq!(client.committed("g", "t", true), Err(ErrorCode::UnstableOffsetCommit));
        assert_eq!(client.committed("g", "t", false), Ok(-1));
        rig.pass_ms(9_000);
        assert_eq!(client.committed("g", "t", true), Err(ErrorCode::UnstableOffsetCommit));
        rig.pass_ms(2_000);
        assert_eq!(client.committed("g", "t", true), Ok(-1), "another id was not needed");
        assert_eq!(client.transaction_state("tx").unwrap(), "CompleteAbort");
        assert_eq!(client.stable_end("t", 0), 2);
        assert_eq!(producer.end(&mut client, COMMITTED), ErrorCode::ProducerFenced);
    });
}

#[test]
fn q48_q89_offsets_count_when_they_are_committed_and_are_dropped_when_not() {
    in_both(|versions| {
        let (rig, mut client) = with_topic(Rig::new(), 4);
        let mut producer = Producer::new(&mut client, "tx", versions);
        for (offset, committed, expected) in [(5, COMMITTED, 5), (9, ABORTED, 5), (12, COMMITTED, 12)] {
            assert_eq!(producer.commit_offset(&mut client, "g", "t", offset), OK);
            assert_eq!(client.committed("g", "t", true), Err(ErrorCode::UnstableOffsetCommit));
            producer.end_well(&mut client, committed);
            assert_eq!(client.committed("g", "t", true), Ok(expected));
        }
        assert_eq!(producer.commit_offset(&mut client, "g", "t", 30), OK);
        rig.crash_and_restart(Crash::Process);
        let mut client = rig.connect();
        assert_eq!(client.committed("g", "t", true), Err(ErrorCode::UnstableOffsetCommit), "after a restart");
        producer.end_well(&mut client, COMMITTED);
        assert_eq!(client.committed("g", "t", true), Ok(30));
        rig.crash_and_restart(Crash::Power);
        assert_eq!(rig.connect().committed("g", "t", true), Ok(30));
    });
}

#[test]
fn c41_offsets_are_in_the_order_of_their_records_before_and_after_a_restart() {
    in_both(|versions| {
        let (rig, mut client) = with_topic(Rig::new(), 4);
        let mut producer = Producer::new(&mut client, "tx", versions);
        assert_eq!(producer.commit_offset(&mut client, "g", "t", 20), OK);
        client.commit_plain("g", "t", 10);
        producer.end_well(&mut client, COMMITTED);
        assert_eq!(client.committed("g", "t", true), Ok(10), "as in Kafka: the plain one was written later");
        assert_eq!(producer.commit_offset(&mut client, "g", "t", 40), OK);
        producer.end_well(&mut client, COMMITTED);
        assert_eq!(client.committed("g", "t", true), Ok(40));
        client.commit_plain("g", "t", 50);
        rig.crash_and_restart(Crash::Process);
        assert_eq!(rig.connect().committed("g", "t", true), Ok(50));
    });
}

#[test]
fn c41_offsets_of_an_open_transaction_keep_what_would_have_expired() {
    let settings = [("offsets.retention.minutes", "1"), ("offsets.retention.check.interval.ms", "5000")];
    let rig = Rig::with(2, &settings);
    let mut client = rig.connect();
    client.create("t", 1);
    client.find_group("g");
    client.find_group("h");
    let mut producer = Producer::new(&mut client, "tx", V2);
    producer.timeout_ms = 900_000;
    producer.init(&mut client);
    client.commit_plain("g", "t", 10);
    client.commit_plain("h", "t", 10);
    assert_eq!(producer.commit_offset(&mut client, "g", "t", 20), OK);
    rig.pass_ms(120_000);
    assert_eq!((client.committed("g", "t", false), client.committed("h", "t", false)), (Ok(10), Ok(-1)));
    rig.crash_and_restart(Crash::Process);
    let mut client = rig.connect();
    rig.pass_ms(120_000);
    assert_eq!(client.committed("g", "t", false), Ok(10));
    producer.end_well(&mut client, COMMITTED);
    assert_eq!(client.committed("g", "t", true), Ok(20));
}

#[test]
fn c43_a_failed_write_of_the_transaction_log_is_an_error_that_clients_try_again() {
    let (rig, mut client) = with_topic(Rig::new(), 4);
    let producer = Producer::new(&mut client, "tx", V2);
    let open = producer.send(&mut client, "t", 0, 0, &["a"]);
    assert_eq!(open.error, OK);
    rig.faults(Faults { failed_write_percent: 100, ..Faults::default() });
    for _ in 0..3 {
        let (code, ..) = client.end_transaction(&producer, COMMITTED);
        assert_eq!(code, ErrorCode::CoordinatorNotAvailable);
    }
    rig.faults(Faults::default());
    let (code, ..) = client.end_transaction(&producer, COMMITTED);
    assert_eq!(code, ErrorCode::CoordinatorNotAvailable, "until a restart");
    rig.crash_and_restart(Crash::Process);
    let mut client = rig.connect();
    let mut producer = producer;
    producer.init(&mut client);
    rig.settle();
    assert_eq!(client.stable_end("t", 0), 2);
}

/// How a node ends.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Fault(Crash),
    /// As an operator does it.
    Stop,
}

impl Ending {
    fn restart(self, rig: &Rig) {
        match self {
            Ending::Fault(crash) => rig.crash(crash),
            Ending::Stop => rig.stop(),
        }
        rig.start(rig.core_count().max(2));
    }
}

#[test]
fn every_transactional_id_is_usable_after_an_end_at_any_moment_of_a_commit() {
    for ending in [Ending::Fault(Crash::Process), Ending::Fault(Crash::Power), Ending::Stop] {
        in_both(|versions| {
            for turns in 0..24 {
                let (rig, mut client) = with_topic(Rig::new(), 4);
                let mut producer = Producer::new(&mut client, "tx", versions);
                for partition in 0..3 {
                    assert_eq!(producer.send(&mut client, "t", partition, 0, &["a", "b"]).error, OK);
                }
                assert_eq!(producer.commit_offset(&mut client, "g", "t", 7), OK);
                let asked = producer.clone();
                client.send_end(&asked, COMMITTED);
                rig.turns(turns);
                let answered = client.poll().is_some();
                ending.restart(&rig);
                let mut client = rig.connect();
                producer.init(&mut client);
                rig.settle();
                check_whole(&mut client, answered);
                assert_eq!(producer.send(&mut client, "t", 0, 0, &["next"]).error, OK);
                producer.end_well(&mut client, COMMITTED);
                let read = client.read_stable("t", 0, 0);
                assert_eq!(read.values.last().map(String::as_str), Some("next"));
                assert_eq!(read.last_stable_offset, read.high_watermark);
            }
        });
    }
}

#[test]
fn q53_the_next_transaction_may_come_before_the_marker_of_the_last() {
    for turns in 0..24 {
        let (rig, mut client) = with_topic(Rig::new(), 4);
        let mut producer = Producer::new(&mut client, "tx", V2);
        assert_eq!(producer.send(&mut client, "t", 0, 0, &["a"]).error, OK);
        assert_eq!(producer.commit_offset(&mut client, "g", "t", 7), OK);
        client.send_end(&producer.clone(), COMMITTED);
        rig.turns(turns);
        if client.poll().is_none() {
            continue;
        }
        producer.epoch += 1;
        // After a start the batch may reach the partition before the marker does.
        rig.crash(Crash::Process);
        rig.start_unsettled(2);
        rig.turns(6);
        let mut client = rig.connect();
        let retried = [
            ErrorCode::NotCoordinator,
            ErrorCode::CoordinatorNotAvailable,
            ErrorCode::CoordinatorLoadInProgress,
            ErrorCode::ConcurrentTransactions,
            ErrorCode::NotEnoughReplicas,
        ];
        let mut until_ok = |act: &dyn Fn(&mut Client) -> ErrorCode| {
            let error = (0..100).map(|_| act(&mut client)).find(|error| !retried.contains(error));
            assert_eq!(error, Some(OK), "after {turns} turns");
        };
        until_ok(&|client| producer.produce(client, "t", 0, 0, &["b"]).error);
        until_ok(&|client| producer.commit_offset_only(client, "g", "t", 8));
        producer.end_well(&mut client, COMMITTED);
        assert_eq!(client.read_stable("t", 0, 0).values, ["a", "b"]);
        assert_eq!(client.committed("g", "t", true), Ok(8));
    }
}

/// All partitions and the offset are committed, or none is; all if it was answered. Nothing is open any more.
fn check_whole(client: &mut Client, answered: bool) {
    let whole: Vec<bool> = (0..3)
        .map(|partition| {
            let read = client.read_stable("t", partition, 0);
            assert_eq!(read.last_stable_offset, read.high_watermark, "the stable end moves on");
            assert!(read.values.is_empty() || read.values == ["a", "b"], "{:?}", read.values);
            !read.values.is_empty()
        })
        .collect();
    let offset = client.committed("g", "t", true).expect("the group is not stuck");
    assert!(whole.iter().all(|one| *one == whole[0]), "a torn transaction: {whole:?}");
    assert_eq!(offset == 7, whole[0], "the offset belongs to it");
    assert!(whole[0] || !answered, "what was answered is lost");
}

#[test]
fn c39_ends_of_what_has_ended() {
    let (_rig, mut client) = with_topic(Rig::new(), 4);
    let mut producer = Producer::new(&mut client, "tx", V1);
    assert_eq!(producer.end(&mut client, COMMITTED), ErrorCode::InvalidTxnState, "nothing was begun");
    assert_eq!(producer.send(&mut client, "t", 0, 0, &["a"]).error, OK);
    producer.end_well(&mut client, COMMITTED);
    assert_eq!(producer.end(&mut client, COMMITTED), OK, "said twice");
    assert_eq!(producer.end(&mut client, ABORTED), ErrorCode::InvalidTxnState);
}

#[test]
fn a_transaction_survives_the_deletion_of_a_topic_in_it() {
    let (rig, mut client) = with_topic(Rig::new(), 4);
    client.create("gone", 1);
    let mut producer = Producer::new(&mut client, "tx", V2);
    assert_eq!(producer.send(&mut client, "t", 0, 0, &["a"]).error, OK);
    assert_eq!(producer.send(&mut client, "gone", 0, 0, &["b"]).error, OK);
    assert_eq!(client.delete("gone"), OK);
    producer.end_well(&mut client, COMMITTED);
    rig.settle();
    assert_eq!(client.transaction_state("tx").unwrap(), "CompleteCommit");
    assert_eq!(client.read_stable("t", 0, 0).values, ["a"]);
}

#[test]
fn records_of_an_open_transaction_can_be_deleted() {
    let (rig, mut client) = with_topic(Rig::new(), 4);
    let mut producer = Producer::new(&mut client, "tx", V2);
    assert_eq!(producer.send(&mut client, "t", 0, 0, &["a", "b"]).error, OK);
    client.trim("t", 0, 2);
    assert_eq!(client.stable_end("t", 0), 2);
    producer.end_well(&mut client, COMMITTED);
    client.append("t", 0, &batch(&["after"]));
    assert_eq!(client.read_stable("t", 0, 2).values, ["after"]);
    rig.crash_and_restart(Crash::Process);
    assert_eq!(rig.connect().read_stable("t", 0, 2).values, ["after"]);
}

#[test]
fn a_hanging_transaction_is_ended_by_an_administrator() {
    let (_rig, mut client) = with_topic(Rig::new(), 4);
    let producer = Producer::new(&mut client, "tx", V1);
    assert_eq!(producer.send(&mut client, "t", 0, 0, &["a"]).error, OK);
    assert_eq!(client.write_marker(&producer, "t", producer.epoch - 1, 0), ErrorCode::InvalidProducerEpoch);
    assert_eq!(client.write_marker(&producer, "t", producer.epoch, 0), OK);
    assert_eq!(client.stable_end("t", 0), 2);
    assert!(client.read_stable("t", 0, 0).values.is_empty());
}

#[test]
fn transactions_end_where_an_administrator_has_said_a_newer_coordinators_epoch() {
    let (rig, mut client) = with_topic(Rig::new(), 4);
    let mut producer = Producer::new(&mut client, "tx", V1);
    assert_eq!(producer.send(&mut client, "t", 0, 0, &["a"]).error, OK);
    assert_eq!(client.write_marker(&producer, "t", producer.epoch, 5), OK);
    producer.end_well(&mut client, COMMITTED);
    assert_eq!(producer.send(&mut client, "t", 0, 1, &["b"]).error, OK);
    producer.end_well(&mut client, COMMITTED);
    rig.settle();
    assert_eq!(client.transaction_state("tx").unwrap(), "CompleteCommit");
    let read = client.read_stable("t", 0, 0);
    assert_eq!((read.values, read.last_stable_offset), (vec!["b".to_owned()], read.high_watermark));
}
