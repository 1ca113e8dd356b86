//! Transactions: what their producers, their readers and their groups see, in both versions (KIP-98, 360, 447, 664, 890).

use protocol::ErrorCode;
use shard::memory::Crash;

use crate::calls::{batch, error};
use crate::harness::{Client, Rig};
use crate::transacting::{Producer, V1, V2, Versions};

const OK: ErrorCode = ErrorCode::None;
const ABORTED: bool = false;
const COMMITTED: bool = true;

fn with_topic() -> (Rig, Client) {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 4);
    client.find_group("g");
    (rig, client)
}

fn in_both(test: impl Fn(Versions)) {
    [V1, V2].into_iter().for_each(test);
}

#[test]
fn q54_nothing_is_read_before_it_is_committed_and_all_of_it_after() {
    in_both(|versions| {
        let (_rig, mut client) = with_topic();
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
        let (rig, mut client) = with_topic();
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
