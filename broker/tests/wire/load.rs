//! Much at once: pipelines longer than a connection may have unanswered, frames larger than a receive, more mail than a ring
//! holds, more connections than are allowed.

use protocol::ErrorCode;
use protocol::messages::api_versions_request::ApiVersionsRequest;
use protocol::messages::api_versions_response::ApiVersionsResponse;
use protocol::messages::fetch_request::FetchRequest;
use shard::ShardId;
use shard::memory::Faults;

use crate::calls::{
    FETCH, PRODUCE, batch, batch_of_size, batches, fetch_request, fetched, produce_request, produced,
};
use crate::harness::{Client, Rig};

fn is_served(client: &mut Client) -> bool {
    client.send(0, &ApiVersionsRequest::default());
    let reply = client.receive_now();
    reply.is_some_and(|reply| reply.read::<ApiVersionsResponse<'_>>().error_code == 0)
}

#[test]
fn q10_a_thousand_pipelined_requests_are_all_answered_in_order() {
    let rig = Rig::with(3, &[]);
    let mut client = rig.connect();
    client.create("t", 6);
    let batch = batch(&["v"]);
    for number in 0..1000 {
        match number % 3 {
            0 => client.send(PRODUCE, &produce_request(&[("t", number % 6, &batch)])),
            1 => client.send(FETCH, &fetch_request(&[("t", number % 6, 0)])),
            _ => client.send(0, &ApiVersionsRequest::default()),
        }
    }
    // The harness checks that the correlation ids come in order.
    let mut ends = [0; 6];
    for number in 0..1000 {
        let reply = client.receive();
        match number % 3 {
            0 => {
                let answer = produced(&reply).remove(0);
                assert_eq!((answer.error, answer.base_offset), (ErrorCode::None, ends[number % 6]));
                ends[number % 6] += 1;
            }
            1 => assert_eq!(fetched(&reply)[0].error, ErrorCode::None),
            _ => drop(reply.read::<ApiVersionsResponse<'_>>()),
        }
    }
}

#[test]
fn c13_fetches_of_one_connection_wait_for_each_other() {
    let rig = Rig::new();
    let mut client = rig.connect();
    client.create("t", 2);
    for _ in 0..50 {
        client.send(FETCH, &FetchRequest { max_wait_ms: 100, ..fetch_request(&[("t", 0, 0), ("t", 1, 0)]) });
    }
    rig.settle();
    assert_eq!(rig.sum(|broker| broker.pending.len()), 1, "one at a time");
    let began = rig.now_ms();
    for _ in 0..50 {
        assert!(fetched(&client.receive()).iter().all(|part| part.error == ErrorCode::None));
    }
    assert_eq!(rig.now_ms() - began, 5000);
}

#[test]
fn large_and_small_requests_take_turns_on_one_connection() {
    for latency_ns_max in [0, 2_000_000] {
        let rig = Rig::with(2, &[]);
        let mut client = rig.connect();
        client.create("t", 4);
        rig.faults(Faults { latency_ns_max, ..Faults::default() });
        let (large, small) = (batch_of_size(900_000), batch(&["small"]));
        let mut expected = 0;
        for round in 0..6 {
            let parts: Vec<_> = (0..4).map(|partition| ("t", partition, &large[..])).collect();
            client.send(PRODUCE, &produce_request(&parts));
            for _ in 0..round {
                client.send(PRODUCE, &produce_request(&[("t", round, &small)]));
                client.send(0, &ApiVersionsRequest::default());
            }
            assert!(produced(&client.receive()).iter().all(|part| part.error == ErrorCode::None));
            for _ in 0..round {
                expected += i64::from(round < 4);
                produced(&client.receive());
                client.receive();
            }
        }
        let records: i64 = (0..4).map(|partition| client.fetch("t", partition, 0).high_watermark).sum();
        assert_eq!(records, expected + 4 * 6);
        let mut offset = 0;
        while offset < 6 {
            for (header, batch) in batches(&client.fetch("t", 0, offset).records) {
                assert_eq!(batch[16..], large[16..], "offset {offset}");
                offset = header.last_offset().0 + 1;
            }
        }
    }
}

#[test]
fn a_large_request_in_small_pieces_beside_other_connections() {
    let rig = Rig::with(2, &[]);
    let (mut slow, mut quick) = (rig.connect(), rig.connect());
    quick.create("t", 2);
    let large = batch_of_size(700_000);
    let frame = slow.frame(PRODUCE, &produce_request(&[("t", 0, &large)]));
    for piece in frame.chunks(5000) {
        slow.send_raw(piece, None);
        rig.turns(3);
        assert!(is_served(&mut quick));
    }
    rig.settle();
    assert!(slow.take_frame().is_some());
    assert_eq!(quick.fetch("t", 0, 0).high_watermark, 1);
}

#[test]
fn more_mail_than_a_ring_between_two_cores_holds() {
    let rig = Rig::with(2, &[]);
    rig.connect().create("t", 2);
    let far = (0..2).find(|&partition| rig.home("t", partition) == ShardId(1)).unwrap();
    let mut clients: Vec<Client> = (0..100).map(|_| rig.connect_core(ShardId(0))).collect();
    let batch = batch(&["v"]);
    // All are read in one turn of the first core, and all are for the second.
    for client in &mut clients {
        (0..60).for_each(|_| client.send(PRODUCE, &produce_request(&[("t", far, &batch)])));
    }
    let mut offsets = Vec::new();
    for client in &mut clients {
        let mut last = -1;
        for _ in 0..60 {
            let answer = produced(&client.receive()).remove(0);
            assert_eq!(answer.error, ErrorCode::None);
            assert!(answer.base_offset > last, "in order on each connection");
            last = answer.base_offset;
            offsets.push(last);
        }
    }
    offsets.sort_unstable();
    assert!(offsets.into_iter().eq(0..6000));
}

#[test]
fn connections_above_the_limits_are_closed_and_room_is_made_by_those_that_go() {
    for setting in ["max.connections", "max.connections.per.ip"] {
        let rig = Rig::with(2, &[(setting, "3")]);
        let mut clients: Vec<Client> = (0..3).map(|_| rig.connect()).collect();
        assert!(clients.iter_mut().all(is_served));
        assert!(rig.connect().is_closed(), "{setting}");
        clients.remove(1).peer.close();
        rig.settle();
        let mut next = rig.connect();
        assert!(is_served(&mut next), "{setting}");
        assert!(rig.connect().is_closed(), "{setting}");
        assert!(clients.iter_mut().all(is_served), "the others are not disturbed");
    }
}

#[test]
fn ten_thousand_idle_connections_cost_the_others_nothing() {
    let rig = Rig::with(2, &[]);
    let idle: Vec<Client> = (0..10_000).map(|_| rig.connect()).collect();
    rig.turns(4);
    let mut client = rig.connect();
    let began = rig.now_ms();
    client.create("t", 2);
    assert_eq!(client.append("t", 0, &batch(&["v"])), 0);
    assert_eq!(client.fetch("t", 0, 0).values(), ["v"]);
    assert_eq!(rig.now_ms(), began);
    idle.iter().for_each(|client| client.peer.close());
    rig.turns(4);
    assert!(is_served(&mut client));
}
