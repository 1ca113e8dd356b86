//! Why groups rebalanced and how far behind they are, asked for over the wire; and that looking at a node opens nothing.

use broker::report::{Inspect, Report};
use protocol::group_history::{AskHistory, GroupHistory, ToldHistory};
use protocol::messages::describe_groups_request::DescribeGroupsRequest;
use protocol::messages::describe_groups_response::DescribeGroupsResponse;
use shard::ShardId;
use shard::memory::Crash;

use crate::calls::{batch, error};
use crate::groups::{beat, commit, join, join_request, sync, with_topic};
use crate::harness::{Client, Rig};
use crate::transacting::{Producer, V2};

/// What is told of these groups, each once.
fn histories(client: &mut Client, groups: &[&str]) -> Vec<GroupHistory> {
    let request = DescribeGroupsRequest { groups: groups.to_vec(), ..Default::default() };
    let reply = client.ask(6, &AskHistory { request });
    let told: ToldHistory<'_> = reply.read();
    let described: Vec<&str> = told.response.groups.iter().map(|group| group.group_id).collect();
    assert!(described.iter().all(|group| groups.contains(group)));
    let histories = told.histories.expect("history was asked for");
    assert!(histories.iter().map(|one| &*one.group).eq(described));
    histories
}

fn history(client: &mut Client, group: &str) -> GroupHistory {
    histories(client, &[group]).remove(0)
}

/// The lag of a group: topic, partition, offset, records, age in ms.
fn lags(client: &mut Client, group: &str) -> Vec<(String, i32, i64, i64, i64)> {
    let lags = history(client, group).lags.into_iter();
    lags.map(|lag| (lag.topic, lag.partition, lag.offset, lag.records, lag.age_ms)).collect()
}

#[test]
fn groups_of_both_protocols_tell_why_they_rebalanced() {
    let (rig, mut client) = with_topic();
    let (id, generation) = join(&mut client, "classic", None);
    assert_eq!(beat(&mut client, "consumer", "m", 0).1, 1);
    let told = histories(&mut client, &["classic", "consumer", "nobody"]);
    assert_eq!((&*told[0].kind, &*told[1].kind, &*told[2].kind), ("classic", "consumer", ""));
    assert!(told[2].rebalances.is_empty() && told[2].last_commit.is_none() && told[2].lags.is_empty());
    for (history, member) in told.iter().zip([&*id, "m"]) {
        let first = &history.rebalances[0];
        assert_eq!((first.cause.to_string(), &*first.member), ("member joined".to_owned(), member));
        assert_eq!((first.generation, first.members_before, first.members_after), (generation, 0, 1));
        assert!(first.took_ms >= 0, "it has ended");
    }
    // Both are silent from now on.
    rig.pass_ms(50_000);
    let told = histories(&mut client, &["classic", "consumer"]);
    let causes = told.iter().map(|history| history.rebalances[0].cause.to_string());
    assert_eq!(
        causes.collect::<Vec<_>>(),
        ["session expired after 10000 ms", "session expired after 45000 ms"]
    );
}

#[test]
fn c45_members_that_vanish_mid_join_are_told_as_what_they_are() {
    let (rig, mut client) = with_topic();
    let (id, _) = join(&mut client, "g", None);
    // One is given an id and never comes back, while the leader joins again.
    rig.connect().ask(9, &join_request("g", "", None));
    client.send(9, &join_request("g", &id, None));
    rig.pass_ms(11_000);
    let reply = client.receive();
    let joined: protocol::messages::join_group_response::JoinGroupResponse<'_> = reply.read();
    assert_eq!((error(joined.error_code), joined.generation_id), (protocol::ErrorCode::None, 2));
    sync(&mut client, "g", &id, 2, b"all");
    let told = history(&mut client, "g").rebalances.remove(0);
    assert_eq!(told.cause.to_string(), "leader joined again");
    assert!(told.took_ms >= 9_000, "it waited for the one that never came: {} ms", told.took_ms);
    assert_eq!(told.further, 1, "its end was noticed on the way");
}

#[test]
fn a_group_that_is_named_again_is_told_once() {
    let (_rig, mut client) = with_topic();
    commit(&mut client, "g", ("", -1), &[("t", &[(0, 1), (1, 1), (2, 1)])]);
    join(&mut client, "other", None);
    let told = histories(&mut client, &["g", "other", "g", "nobody", "g"]);
    let lags: Vec<usize> = told.iter().map(|one| one.lags.len()).collect();
    assert_eq!(lags, [3, 0, 0]);
    let kinds: Vec<&str> = told.iter().map(|one| &*one.kind).collect();
    assert_eq!(kinds, ["classic", "classic", ""]);
}

#[test]
fn who_does_not_ask_is_told_nothing_more() {
    let (_rig, mut client) = with_topic();
    join(&mut client, "g", None);
    for version in 0..=6 {
        let request = DescribeGroupsRequest { groups: vec!["g"], ..Default::default() };
        let reply = client.ask(version, &request);
        let response: DescribeGroupsResponse<'_> = reply.read();
        assert_eq!(response.groups[0].group_state, "Stable");
        let told: ToldHistory<'_> = reply.read();
        assert_eq!(told.histories, None);
    }
}

#[test]
fn after_a_restart_memory_begins_with_the_loading() {
    let (rig, mut client) = with_topic();
    join(&mut client, "g", None);
    rig.crash_and_restart(Crash::Process);
    let mut client = rig.connect();
    let told = history(&mut client, "g").rebalances;
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].cause.to_string(), told[0].members_after), ("coordinator loaded".to_owned(), 1));
}

#[test]
fn lag_is_told_in_records_and_in_time() {
    let (rig, mut client) = with_topic();
    for _ in 0..5 {
        client.append("t", 0, &batch(&["a", "b"]));
        rig.pass_ms(2_000);
    }
    client.append("t", 1, &batch(&["c"]));
    commit(&mut client, "g", ("", -1), &[("t", &[(0, 4), (1, 1), (2, 0)])]);
    let before = rig.wall_ms();
    rig.pass_ms(1_000);
    let mut seen = lags(&mut client, "g");
    let age_ms = std::mem::take(&mut seen[0].4);
    let t = || "t".to_owned();
    assert_eq!(seen, [(t(), 0, 4, 6, 0), (t(), 1, 1, 0, 0), (t(), 2, 0, 0, 0)]);
    // The record at 4 was appended with the third batch, six seconds before the commit.
    assert!((6_900..8_100).contains(&age_ms), "{age_ms} ms");
    let last = history(&mut client, "g").last_commit.unwrap();
    assert!(last.1.is_empty() && (last.0 - before).abs() < 100, "{last:?}");
}

#[test]
fn lag_begins_where_the_log_does_and_ends_where_it_is_stable() {
    let (_rig, mut client) = with_topic();
    client.append("t", 0, &batch(&["a", "b", "c", "d", "e"]));
    commit(&mut client, "g", ("", -1), &[("t", &[(0, 1)])]);
    assert_eq!(lags(&mut client, "g")[0].3, 4);
    client.trim("t", 0, 3);
    assert_eq!(lags(&mut client, "g")[0].3, 2, "what was deleted cannot be read any more");
    // An offset from beyond the end, as after a loss.
    commit(&mut client, "g", ("", -1), &[("t", &[(0, 99)])]);
    assert_eq!(lags(&mut client, "g")[0].3, 0);
}

#[test]
fn a_topic_that_was_made_anew_has_no_lag_of_the_one_before() {
    let (_rig, mut client) = with_topic();
    client.append("t", 0, &batch(&["a", "b"]));
    commit(&mut client, "g", ("", -1), &[("t", &[(0, 1)])]);
    client.delete("t");
    client.create("t", 1);
    client.append("t", 0, &batch(&["c"]));
    assert_eq!(lags(&mut client, "g"), []);
}

#[test]
fn an_open_transaction_bounds_the_lag_and_is_told_by_its_age() {
    let (rig, mut client) = with_topic();
    client.append("t", 0, &batch(&["a", "b"]));
    commit(&mut client, "g", ("", -1), &[("t", &[(0, 0)])]);
    let mut producer = Producer::new(&mut client, "txn", V2);
    producer.send(&mut client, "t", 0, 0, &["x", "y"]);
    rig.pass_ms(5_000);
    client.append("t", 0, &batch(&["c"]));
    assert_eq!(lags(&mut client, "g")[0].3, 2, "the rest cannot be read yet");
    let held = |rig: &Rig| {
        let of_core = |core| told(rig, ShardId(core)).into_iter();
        let slices = (0..2).flat_map(of_core).filter_map(|part| match part {
            Report::Partitions(_, _, slice) => Some(slice),
            _ => None,
        });
        slices.flatten().map(|one| one.unstable_ms).max().unwrap()
    };
    assert!((4_900..6_100).contains(&held(&rig)), "{} ms", held(&rig));
    let open: u64 = (0..2)
        .map(|core| match told(&rig, ShardId(core)).pop() {
            Some(Report::Core(_, facts)) => facts.transactions.1.states[1],
            other => panic!("no last part: {other:?}"),
        })
        .sum();
    assert_eq!(open, 1);
    producer.end_well(&mut client, true);
    // The two, their marker, and the plain one.
    assert_eq!(lags(&mut client, "g")[0].3, 6);
    assert_eq!(held(&rig), 0);
}

/// Everything that a core tells, in parts.
fn told(rig: &Rig, core: ShardId) -> Vec<Report> {
    let mut parts = rig.inspect(core, Inspect::Metrics(7, 100, 1000));
    let mut left_ms = 1_000;
    while !matches!(parts.last(), Some(Report::Core(7, _))) {
        assert!(left_ms > 0, "core {} does not end its report", core.0);
        rig.turn();
        left_ms -= 1;
        parts.extend(rig.reports(core));
    }
    parts
}

#[test]
fn a_report_opens_no_log_and_knows_of_closed_ones_what_they_were() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    client.create("t", 600);
    for partition in 0..40 {
        client.append("t", partition, &batch(&["a", "b", "c"]));
    }
    // Idle logs are synced and closed after a while.
    rig.pass_ms(200_000);
    let open = rig.sum(|core| core.open_log_count());
    assert_eq!(open, 0, "nobody uses them");
    let mut partitions = Vec::new();
    for core in 0..2 {
        for part in told(&rig, ShardId(core)) {
            if let Report::Partitions(_, _, slice) = part {
                assert!(slice.len() <= 256, "a slice is bounded");
                partitions.extend(slice);
            }
        }
    }
    assert_eq!(partitions.len(), 600);
    let ends: Vec<i64> =
        partitions.iter().filter_map(|one| Some(one.log?.end.0)).filter(|end| *end > 0).collect();
    assert_eq!(ends, vec![3; 40]);
    assert_eq!(partitions.iter().map(|one| one.counts.records_in).sum::<u64>(), 120);
    assert_eq!(rig.sum(|core| core.open_log_count()), 0, "a report opens nothing");
}

#[test]
fn a_report_counts_requests_errors_and_bytes() {
    let (rig, mut client) = with_topic();
    client.append("t", 0, &batch(&["a", "b"]));
    assert_eq!(client.read_all("t", 0), ["a", "b"]);
    assert_ne!(client.produce("nowhere-else", 9, &batch(&["x"])).error, protocol::ErrorCode::None);
    let (mut produced, mut errors, mut received) = (0, 0, 0);
    for core in 0..2 {
        let Some(Report::Core(7, facts)) = told(&rig, ShardId(core)).pop() else { panic!("no last part") };
        let of_produce = facts.net.requests().filter(|(key, _)| *key == protocol::ApiKey::Produce);
        produced += of_produce.map(|(_, took)| took.count()).sum::<u64>();
        errors += facts.errors.iter().filter(|((key, _), _)| *key == 0).map(|(_, count)| count).sum::<u64>();
        received += facts.net.received_bytes;
    }
    assert_eq!((produced, errors), (2, 1));
    assert!(received > 200, "{received} bytes");
}
