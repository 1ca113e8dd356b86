//! Single behaviours, each from a known beginning.

use std::path::Path;

use quorum::{Config, Founding, Measures, MessageRefusal, NodeId, OpenError, Output, Quorum, Refusal, Role};
use shard::Io;
use shard::WallMs;
use shard::memory::{Crash, Faults, World};

use crate::ledger::{Ledger, State, encode};
use crate::world::{Cluster, voter};

fn settled(founders: i32, others: i32) -> (Cluster, usize) {
    let mut cluster = Cluster::new(7, founders, others);
    assert!(cluster.run_until(100, |cluster| cluster.leader().is_some()), "no leader comes about");
    let leader = cluster.leader().unwrap();
    (cluster, leader)
}

fn config(founding: Founding) -> Config {
    Config { me: voter(NodeId(0)), cluster_id: "c".into(), founding, seed: 1, measures: Measures::default() }
}

#[test]
fn a_node_alone_leads_at_once_and_commits_at_once() {
    let mut cluster = Cluster::new(1, 1, 0);
    assert_eq!(cluster.leader(), Some(0));
    cluster.propose(0, 3).unwrap();
    assert_eq!(cluster.acknowledged, 1);
}

#[test]
fn a_minority_never_commits_and_its_leader_steps_down() {
    let (mut cluster, leader) = settled(3, 0);
    let id = cluster.nodes[leader].id;
    cluster.sides = cluster.nodes.iter().map(|node| (node.id, u8::from(node.id == id))).collect();
    assert!(cluster.propose(leader, 1).is_some());
    let acknowledged = cluster.acknowledged;
    let has_other = |cluster: &Cluster| cluster.leader().is_some_and(|other| cluster.nodes[other].id != id);
    assert!(cluster.run_until(60, has_other), "the majority has a new leader");
    assert_eq!(cluster.acknowledged, acknowledged);
    let old = cluster.nodes[leader].quorum.as_ref().unwrap();
    assert!(matches!(old.role(), Role::Follower { leader: None, .. }));
    cluster.sides.clear();
    assert!(cluster.run_until(100, Cluster::has_converged));
}

#[test]
fn a_leader_that_stops_in_order_hands_over_within_a_few_ticks() {
    let (mut cluster, leader) = settled(3, 0);
    cluster.run(5);
    cluster.with(leader, |quorum, io, now| quorum.transfer_leadership(io.disk(), now));
    let has_other = |cluster: &Cluster| cluster.leader().is_some_and(|other| other != leader);
    assert!(cluster.run_until(6, has_other), "an election by time takes longer");
}

#[test]
fn a_node_that_joins_learns_first_and_votes_then() {
    let (mut cluster, leader) = settled(1, 2);
    for round in 0..300 {
        cluster.propose(leader, 1 + round % 3);
    }
    cluster
        .with(leader, |quorum, io, now| quorum.add_voter(io.disk(), now, voter(NodeId(1))))
        .unwrap()
        .unwrap();
    let refused = cluster.with(leader, |quorum, io, now| quorum.add_voter(io.disk(), now, voter(NodeId(2))));
    assert_eq!(refused, Some(Err(Refusal::ChangePending)));
    assert!(cluster.run_until(100, |cluster| !cluster.nodes[leader].changes.is_empty()));
    assert_eq!(cluster.nodes[leader].changes, [(NodeId(1), None)]);
    assert!(cluster.run_until(50, Cluster::has_converged));
    assert_eq!(cluster.nodes[1].quorum.as_ref().unwrap().members().voters().len(), 2);
}

#[test]
fn a_node_that_never_shows_up_does_not_become_a_voter() {
    let (mut cluster, leader) = settled(1, 1);
    cluster.crash(1, Crash::Process, u64::MAX);
    cluster
        .with(leader, |quorum, io, now| quorum.add_voter(io.disk(), now, voter(NodeId(1))))
        .unwrap()
        .unwrap();
    assert!(cluster.run_until(1300, |cluster| !cluster.nodes[leader].changes.is_empty()));
    let (id, failure) = cluster.nodes[leader].changes.pop().unwrap();
    assert_eq!(id, NodeId(1));
    assert!(failure.unwrap().contains("did not catch up"));
    assert!(cluster.propose(leader, 1).is_some(), "it was no part of the majority at any time");
    assert_eq!(cluster.nodes[leader].quorum.as_ref().unwrap().members().learners().len(), 0);
}

#[test]
fn a_leader_that_is_removed_leaves_and_the_others_go_on() {
    let (mut cluster, leader) = settled(3, 0);
    let id = cluster.nodes[leader].id;
    cluster.with(leader, |quorum, io, now| quorum.remove_voter(io.disk(), now, id)).unwrap().unwrap();
    let has_other = |cluster: &Cluster| cluster.leader().is_some_and(|other| other != leader);
    assert!(cluster.run_until(100, has_other));
    let other = cluster.leader().unwrap();
    assert_eq!(cluster.nodes[other].quorum.as_ref().unwrap().members().voters().len(), 2);
    assert!(cluster.propose(other, 1).is_some());
    assert!(cluster.run_until(50, Cluster::has_converged));
}

#[test]
fn the_last_voter_stays() {
    let (mut cluster, leader) = settled(1, 0);
    let refused = cluster.with(leader, |quorum, io, now| quorum.remove_voter(io.disk(), now, NodeId(0)));
    assert_eq!(refused, Some(Err(Refusal::LastVoter)));
}

#[test]
fn a_failed_sync_ends_a_nodes_part() {
    let world = World::new(1);
    let mut io = world.io();
    let mut quorum = Quorum::open(io.disk(), Path::new("/data"), config(Founding::Alone), WallMs(1)).unwrap();
    quorum.take_outputs();
    world.set_faults(Faults { failed_sync_percent: 100, ..Faults::default() });
    let refused = quorum.propose(io.disk(), WallMs(1), &[vec![1]]);
    assert_eq!(refused, Err(Refusal::Offline));
    world.set_faults(Faults::default());
    assert_eq!(quorum.propose(io.disk(), WallMs(1), &[vec![1]]), Err(Refusal::Offline));
    let outputs = quorum.take_outputs();
    assert!(outputs.contains(&Output::Role(Role::Offline)));
    assert!(!outputs.iter().any(|output| matches!(output, Output::Committed(_))));
}

#[test]
fn a_directory_that_does_not_belong_is_refused_in_words() {
    let world = World::new(1);
    let mut io = world.io();
    let mut open = |config: Config| Quorum::open(io.disk(), Path::new("/data"), config, WallMs(1));
    open(config(Founding::Alone)).unwrap();
    let together = Founding::Together(vec![voter(NodeId(0)), voter(NodeId(1))]);
    let other_cluster = Config { cluster_id: "d".into(), ..config(Founding::Alone) };
    let other_node = Config { me: voter(NodeId(3)), ..config(Founding::Alone) };
    for (config, words) in [
        (config(together), "founded by the nodes [0]"),
        (other_cluster, "cluster c"),
        (other_node, "node 0, and this is node 3"),
    ] {
        let Err(OpenError::Mixed(_, why)) = open(config) else { panic!("it opens") };
        assert!(why.contains(words), "{why}");
    }
}

#[test]
fn no_bytes_from_a_peer_make_a_node_panic() {
    let (mut cluster, _) = settled(3, 0);
    let mut random = shard::random::Random::from_seed(3);
    for _ in 0..20_000 {
        let mut bytes = vec![1, 2, b'c'];
        bytes.extend([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.push(random.below(9) as u8);
        bytes.push(random.below(14) as u8);
        let len = random.below(90);
        bytes.extend((0..len).map(|_| if random.chance(60) { 0 } else { random.below(12) as u8 }));
        cluster.with(0, |quorum, io, now| quorum.on_message(io.disk(), now, NodeId(1), &bytes));
    }
    let refused = cluster.with(0, |quorum, io, now| quorum.on_message(io.disk(), now, NodeId(1), &[9]));
    assert_eq!(refused, Some(Err(MessageRefusal::UnknownVersion(9))));
}

/// A log as one node alone wrote it before there were quorums: epoch 0, and no file beside it. `first_offset` is above 0 in one
/// that was cut.
fn write_old_log(io: &mut shard::memory::MemoryIo, first_offset: i64) {
    let dir = Path::new("/data").join(quorum::DIR);
    io.disk().create_dir(&dir).unwrap();
    let mut bytes = Vec::new();
    for number in 0..3 {
        let records = [encode(1, number), encode(2, number)];
        let empty = storage::batch::BatchBuilder::new();
        let batch = records.iter().fold(empty, |batch, record| batch.record(7, None, Some(record)));
        let mut batch = batch.build();
        batch[..8].copy_from_slice(&(first_offset + 2 * number as i64).to_be_bytes());
        batch[12..16].copy_from_slice(&0_i32.to_be_bytes());
        bytes.extend_from_slice(&batch);
    }
    io.disk().replace_file(&dir.join(format!("{first_offset:020}.log")), &bytes).unwrap();
}

#[test]
fn a_log_that_is_older_than_quorums_opens_whole_and_goes_on() {
    for first_offset in [0, 40] {
        let mut cluster = Cluster::new(3, 1, 2);
        cluster.crash(0, Crash::Process, u64::MAX);
        let dir = Path::new("/data").join(quorum::DIR);
        let mut io = cluster.nodes[0].world.io();
        io.disk().remove_dir(&dir).unwrap();
        write_old_log(&mut io, first_offset);
        cluster.ledger = Ledger::default();
        cluster.start(0).unwrap();
        assert_eq!(cluster.nodes[0].replica.state, State::from([(1, 2), (2, 2)]));
        assert!(cluster.leader() == Some(0) && cluster.propose(0, 2).is_some());
        cluster.crash(0, Crash::Power, u64::MAX);
        cluster.start(0).unwrap();
        assert!(cluster.nodes[0].replica.offset > first_offset + 8, "what it added is there after a restart");
        // Others can join it, and count the same offsets.
        let added = cluster.with(0, |quorum, io, now| quorum.add_voter(io.disk(), now, voter(NodeId(1))));
        assert_eq!(added, Some(Ok(())));
        assert!(cluster.run_until(100, |cluster| !cluster.nodes[0].changes.is_empty()));
        assert_eq!(cluster.nodes[0].changes, [(NodeId(1), None)]);
        assert!(cluster.run_until(50, Cluster::has_converged));
        assert_eq!(cluster.nodes[1].replica.offset, cluster.nodes[0].replica.offset);
        cluster.crash(1, Crash::Power, cluster.tick + 1);
        assert!(cluster.run_until(100, Cluster::has_converged));
    }
}

#[test]
fn an_old_log_is_not_taken_into_a_quorum_of_many() {
    let world = World::new(1);
    let mut io = world.io();
    write_old_log(&mut io, 0);
    let together = Founding::Together(vec![voter(NodeId(0)), voter(NodeId(1))]);
    let opened = Quorum::open(io.disk(), Path::new("/data"), config(together), WallMs(1));
    assert!(matches!(opened, Err(OpenError::Mixed(..))));
}
