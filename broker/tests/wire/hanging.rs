//! Transactions in topics with `ringlog.durability=os`: what a loss of power takes, and that nothing hangs behind it.

use protocol::ErrorCode;
use protocol::messages::incremental_alter_configs_request as incremental;
use protocol::messages::incremental_alter_configs_response::IncrementalAlterConfigsResponse;
use shard::memory::Crash;

use crate::harness::{Client, Rig};
use crate::transacting::{ABORTED, COMMITTED, OK, Producer, V2, Versions, in_both, with_topic};

const PARTITIONS: i32 = 8;
/// What is in the page cache only is synced once a minute.
const SYNCED_MS: u64 = 61_000;

/// A node that keeps records in the page cache by default, and a producer with much time.
fn with_page_cache(versions: Versions) -> (Rig, Client, Producer) {
    let (rig, mut client) = with_topic(Rig::with(2, &[("ringlog.durability", "os")]), PARTITIONS);
    let mut producer = Producer::new(&mut client, "tx", versions);
    producer.timeout_ms = 900_000;
    producer.init(&mut client);
    (rig, client, producer)
}

/// Sends one record to each partition.
fn send_all(client: &mut Client, producer: &Producer, value: &str) {
    for partition in 0..PARTITIONS {
        assert_eq!(producer.send(client, "t", partition, 0, &[value]).error, OK);
    }
}

/// All is stable; the values of each partition.
fn stable_values(rig: &Rig) -> Vec<Vec<String>> {
    rig.pass_ms(2_000);
    let mut client = rig.connect();
    let read = |partition| {
        let read = client.read_stable("t", partition, 0);
        assert_eq!(read.last_stable_offset, read.high_watermark, "partition {partition} hangs");
        read.values
    };
    (0..PARTITIONS).map(read).collect()
}

/// Goes on with a transaction in all partitions, which must be possible at once.
fn check_usable(rig: &Rig, producer: &mut Producer) {
    let mut client = rig.connect();
    producer.init(&mut client);
    send_all(&mut client, producer, "next");
    producer.end_well(&mut client, COMMITTED);
    assert!(stable_values(rig).iter().all(|values| values.last().is_some_and(|last| last == "next")));
}

#[test]
fn a_marker_that_a_loss_of_power_took_is_written_again() {
    for (committed, expected) in [(COMMITTED, 1), (ABORTED, 0)] {
        let (rig, mut client, mut producer) = with_page_cache(V2);
        send_all(&mut client, &producer, "a");
        rig.pass_ms(SYNCED_MS);
        producer.end_well(&mut client, committed);
        assert!(client.transaction_state("tx").unwrap().starts_with("Complete"));
        rig.crash_and_restart(Crash::Power);
        assert!(stable_values(&rig).iter().all(|values| values.len() == expected), "as it was decided");
        check_usable(&rig, &mut producer);
    }
}

#[test]
fn nothing_hangs_after_a_loss_of_power_at_any_moment_of_an_end() {
    in_both(|versions| {
        for turns in 0..16 {
            let (rig, mut client, mut producer) = with_page_cache(versions);
            send_all(&mut client, &producer, "a");
            if turns % 2 == 0 {
                rig.pass_ms(SYNCED_MS);
            }
            client.send_end(&producer.clone(), turns % 3 > 0);
            rig.turns(turns);
            rig.crash_and_restart(Crash::Power);
            producer.init(&mut rig.connect());
            let values = stable_values(&rig);
            let is_right = |found: &Vec<String>| found.is_empty() || turns % 3 > 0 && found == &["a"];
            assert!(values.iter().all(is_right), "after {turns} turns of {versions:?}: {values:?}");
            check_usable(&rig, &mut producer);
        }
    });
}

#[test]
fn a_transaction_whose_end_nobody_remembers_is_aborted() {
    in_both(|versions| {
        let (rig, mut client, mut producer) = with_page_cache(versions);
        send_all(&mut client, &producer, "a");
        rig.pass_ms(SYNCED_MS);
        producer.end_well(&mut client, ABORTED);
        // Whoever comes next, the coordinator knows of its transaction only.
        producer.init(&mut client);
        rig.crash_and_restart(Crash::Power);
        assert!(stable_values(&rig).iter().all(Vec::is_empty), "{versions:?}");
        check_usable(&rig, &mut producer);
    });
}

#[test]
fn what_was_aborted_is_not_committed_in_the_name_of_the_next_transaction() {
    let (rig, mut client, mut producer) = with_page_cache(V2);
    send_all(&mut client, &producer, "aborted");
    rig.pass_ms(SYNCED_MS);
    producer.end_well(&mut client, ABORTED);
    send_all(&mut client, &producer, "b");
    // The decision is on the disk, the markers of both transactions may be gone.
    client.send_end(&producer.clone(), COMMITTED);
    rig.turns(3);
    rig.crash_and_restart(Crash::Power);
    let values = stable_values(&rig);
    assert!(values.iter().flatten().all(|value| value == "b"), "{values:?}");
    check_usable(&rig, &mut producer);
}

#[test]
fn a_transaction_in_the_page_cache_goes_on_after_a_kill() {
    in_both(|versions| {
        let (rig, mut client, mut producer) = with_page_cache(versions);
        send_all(&mut client, &producer, "a");
        rig.crash_and_restart(Crash::Process);
        rig.pass_ms(2_000);
        let mut client = rig.connect();
        for partition in 0..PARTITIONS {
            assert_eq!(
                producer.send(&mut client, "t", partition, 1, &["b"]).error,
                OK,
                "it is known to be open"
            );
        }
        producer.end_well(&mut client, COMMITTED);
        assert!(stable_values(&rig).iter().all(|values| values == &["a", "b"]));
    });
}

#[test]
fn nothing_is_appended_before_it_is_known_how_the_transaction_before_ended() {
    let (rig, mut client, mut producer) = with_page_cache(V2);
    send_all(&mut client, &producer, "a");
    rig.pass_ms(SYNCED_MS);
    producer.end_well(&mut client, COMMITTED);
    rig.crash(Crash::Power);
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
    for partition in 0..PARTITIONS {
        let mut send = || producer.send(&mut client, "t", partition, 0, &["b"]).error;
        let error = (0..100).map(|_| send()).find(|error| !retried.contains(error));
        assert_eq!(error, Some(OK));
    }
    producer.end_well(&mut client, ABORTED);
    assert!(stable_values(&rig).iter().all(|values| values == &["a"]), "each has its own end");
}

#[test]
fn what_coordinators_keep_survives_a_loss_of_power_whatever_the_default() {
    in_both(|versions| {
        let (rig, mut client, mut producer) = with_page_cache(versions);
        assert_eq!(producer.commit_offset(&mut client, "g", "t", 7), OK);
        producer.end_well(&mut client, COMMITTED);
        client.commit_plain("g", "t", 8);
        rig.crash_and_restart(Crash::Power);
        let mut client = rig.connect();
        assert_eq!(client.transaction_state("tx").unwrap(), "CompleteCommit");
        assert_eq!(client.committed("g", "t", true), Ok(8));
    });
}

#[test]
fn the_brokers_own_topics_cannot_be_kept_in_the_page_cache() {
    let (_rig, mut client, _producer) = with_page_cache(V2);
    let mut set = |topic, value| {
        let config = incremental::AlterableConfig {
            name: "ringlog.durability",
            config_operation: 0,
            value: Some(value),
        };
        let resource = incremental::AlterConfigsResource {
            resource_type: 2,
            resource_name: topic,
            configs: vec![config],
        };
        let asked =
            incremental::IncrementalAlterConfigsRequest { resources: vec![resource], validate_only: false };
        let reply = client.ask(1, &asked);
        let response: IncrementalAlterConfigsResponse<'_> = reply.read();
        let answer = &response.responses[0];
        (answer.error_code, answer.error_message.unwrap_or_default().to_owned())
    };
    for topic in ["__transaction_state", "__consumer_offsets"] {
        let (code, why) = set(topic, "os");
        assert_eq!(code, ErrorCode::InvalidConfig.code());
        assert!(why.contains("always disk"), "{why}");
        assert_eq!(set(topic, "disk").0, 0);
    }
    assert_eq!(set("t", "os").0, 0);
}
