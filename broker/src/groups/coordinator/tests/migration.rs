//! Groups that go from one protocol to the other while their members work, and groups of both (KIP-848, Q97).

use protocol::messages::consumer_protocol_subscription::TopicPartition;

use super::*;
use crate::groups::embedded;
use crate::groups::record::Bytes;

/// What a consumer tells of itself: it reads "t", and has these partitions of it.
pub(super) fn told(owned: &Assignment) -> Bytes {
    use protocol::{Encoder, Message};
    let partitions: Vec<i32> = owned.values().flatten().copied().collect();
    let owned_partitions = vec![TopicPartition { topic: "t", partitions }];
    let mut e = Encoder::new();
    e.i16(1);
    embedded::Subscription { topics: vec!["t"], owned_partitions, ..Default::default() }.encode(&mut e, 1);
    e.into_vec().into()
}

fn of_t(partitions: impl IntoIterator<Item = i32>) -> Assignment {
    Assignment::from([(Uuid::from_u128(7), partitions.into_iter().collect())])
}

fn join_with(member: &str, owned: &Assignment) -> Join {
    Join { protocols: vec![("range".into(), told(owned))], ..join(member) }
}

fn static_join(member: &str) -> Join {
    Join { instance: Some("i".into()), can_skip: true, ..join_with(member, &Assignment::new()) }
}

impl Rig {
    /// A classic group "g" of one member that has all partitions of "t"; gives its id.
    fn classic(&mut self, asked: Join) -> String {
        let number = self.send("g", GroupAsk::Join(asked));
        self.pass_ms(1_000);
        let joined = self.joined(number);
        let id = joined.member;
        let all = self.bytes_of(&of_t(0..PARTITIONS));
        let assign = Sync {
            who: who(&id, joined.generation),
            assignments: vec![(id.clone(), all)],
            ..Sync::default()
        };
        assert!(self.ask("g", GroupAsk::Sync(assign)).is_ok());
        id
    }

    fn bytes_of(&self, assignment: &Assignment) -> Bytes {
        embedded::write_assignment(assignment, &told(&Assignment::new()), &self.image)
    }

    /// JoinGroup and SyncGroup of a classic member in a consumer group: its epoch, and how many partitions it has then.
    fn rejoin(&mut self, asked: Join) -> (String, i32, usize) {
        let number = self.send("g", GroupAsk::Join(asked));
        let joined = self.joined(number);
        assert!(joined.leader.is_empty() && joined.members.is_empty(), "the broker leads: {joined:?}");
        let synced = self.ask("g", sync(&joined.member, joined.generation, &[]));
        let Ok(GroupAnswer::Synced(synced)) = synced else { panic!("not synced: {synced:?}") };
        let assigned = embedded::read_assignment(&synced.assignment, &self.image).unwrap();
        (joined.member, joined.generation, assigned.values().map(BTreeSet::len).sum())
    }

    fn kind(&self) -> &'static str {
        self.machine.list(&[], &[])[0].kind
    }
}

#[test]
fn q97_a_classic_group_becomes_a_consumer_group_and_back_while_its_member_works() {
    let mut rig = Rig::new(1);
    let id = rig.classic(join_with("", &Assignment::new()));
    assert_eq!(rig.kind(), "classic");
    assert_eq!(rig.beat(joining("n")), Ok((2, Some(0))), "the classic member still has all");
    assert_eq!(rig.kind(), "consumer");
    rig.check_replay();
    // What the member says goes on to count, by its generation.
    rig.check(commit(who(&id, 1), 8), Ok(()));
    rig.check(GroupAsk::Heartbeat(who(&id, 1)), Err(ErrorCode::RebalanceInProgress));
    rig.check(sync(&id, 1, &[]), Err(ErrorCode::RebalanceInProgress));
    rig.check(GroupAsk::Describe, Err(ErrorCode::GroupIdNotFound));
    rig.check(GroupAsk::ConsumerDescribe, Ok(()));
    // An eager member has let go of everything when it joins again.
    assert_eq!(rig.rejoin(join_with(&id, &Assignment::new())), (id.clone(), 2, 3));
    rig.check(GroupAsk::Heartbeat(who(&id, 2)), Ok(()));
    rig.check(GroupAsk::Heartbeat(who(&id, 1)), Err(ErrorCode::IllegalGeneration));
    rig.check(commit(who(&id, 1), 9), Ok(()));
    rig.check(commit(who(&id, 2), 9), Ok(()));
    rig.check(commit(who(&id, 3), 9), Err(ErrorCode::IllegalGeneration));
    assert_eq!(rig.beat(beat("n", 2)), Ok((2, Some(3))));
    assert_eq!(rig.state(), "Stable");
    rig.check_replay();
    // The last member of the new protocol goes.
    assert_eq!(rig.beat(beat("n", -1)), Ok((-1, None)));
    assert_eq!((rig.kind(), rig.state()), ("classic", "PreparingRebalance"));
    rig.check_replay();
    rig.check(GroupAsk::Heartbeat(who(&id, 2)), Err(ErrorCode::RebalanceInProgress));
    let number = rig.send("g", GroupAsk::Join(join_with(&id, &Assignment::new())));
    let joined = rig.joined(number);
    assert_eq!((joined.generation, joined.leader, joined.members.len()), (3, id.clone(), 1));
    rig.check(sync(&id, 3, &[]), Ok(()));
    rig.check_replay();
}

#[test]
fn q97_a_cooperative_member_keeps_what_it_need_not_give_up() {
    let mut rig = Rig::new(2);
    let id = rig.classic(join_with("", &Assignment::new()));
    rig.beat(joining("n")).unwrap();
    // It is told what it keeps by its old generation, lets go, and joins again.
    let (_, epoch, kept) = rig.rejoin(join_with(&id, &of_t(0..PARTITIONS)));
    assert_eq!((epoch, kept), (1, 3));
    assert_eq!(rig.beat(beat("n", 2)), Ok((2, None)), "nothing is free yet");
    rig.check(GroupAsk::Heartbeat(who(&id, 1)), Err(ErrorCode::RebalanceInProgress));
    let owned = rig.assigned(&id);
    assert_eq!(rig.rejoin(join_with(&id, &owned)), (id.clone(), 2, 3));
    assert_eq!(rig.beat(beat("n", 2)), Ok((2, Some(3))));
    // Another classic member waits for what others have, and is told when it is free.
    let number = rig.send("g", GroupAsk::Join(Join { needs_id: true, ..join_with("", &Assignment::new()) }));
    let Some(Ok(GroupAnswer::MemberId(other))) = rig.replies.remove(&number) else { panic!("no id") };
    assert_eq!(rig.rejoin(join_with(&other, &Assignment::new())), (other.clone(), 3, 0));
    rig.check(GroupAsk::Heartbeat(who(&other, 3)), Ok(()));
    let all = rig.assigned(&id);
    rig.rejoin(join_with(&id, &all));
    rig.rejoin(join_with(&id, &rig.assigned(&id)));
    let fewer = rig.beat(beat("n", 2)).unwrap();
    assert_eq!(fewer, (2, Some(2)));
    let owned = Some(rig.assigned("n"));
    rig.beat(ConsumerHeartbeat { owned, ..beat("n", 2) }).unwrap();
    rig.check(GroupAsk::Heartbeat(who(&other, 3)), Err(ErrorCode::RebalanceInProgress));
    assert_eq!(rig.rejoin(join_with(&other, &Assignment::new())), (other, 3, 2));
    assert_eq!(rig.state(), "Stable");
    rig.check_replay();
}

#[test]
fn a_cooperative_member_that_has_not_synced_is_taken_to_have_what_it_had() {
    let mut rig = Rig::new(3);
    let first = rig.classic(join_with("", &Assignment::new()));
    let second = rig.send("g", GroupAsk::Join(join_with("", &Assignment::new())));
    let again = rig.send("g", GroupAsk::Join(join_with(&first, &of_t(0..PARTITIONS))));
    let (second, again) = (rig.joined(second).member, rig.joined(again));
    assert_eq!((again.leader.as_str(), again.generation), (first.as_str(), 2));
    // Somebody else begins another rebalance before the leader has said who gets what.
    let third = rig.send("g", GroupAsk::Join(join_with("", &Assignment::new())));
    rig.beat(joining("n")).unwrap();
    assert!(matches!(rig.replies.remove(&third), Some(Err(ErrorCode::RebalanceInProgress))));
    assert_eq!(rig.assigned(&first), of_t(0..PARTITIONS));
    assert_eq!(rig.beat(beat("n", 3)), Ok((3, None)), "all of it is still the first one's");
    rig.check(GroupAsk::Heartbeat(who(&second, 2)), Err(ErrorCode::RebalanceInProgress));
    rig.check_replay();
}

#[test]
fn the_migration_policy_says_which_way_a_group_may_go() {
    for (policy, can_upgrade, can_downgrade) in [
        ("disabled", false, false),
        ("upgrade", true, false),
        ("DOWNGRADE", false, true),
        ("bidirectional", true, true),
    ] {
        let setting = [("group.consumer.migration.policy", policy)];
        let mut rig = Rig::with(4, &setting);
        rig.classic(join_with("", &Assignment::new()));
        let log = rig.log.len();
        let joined = rig.beat(joining("n"));
        assert_eq!(joined.is_ok(), can_upgrade, "{policy}: {joined:?}");
        if !can_upgrade {
            assert_eq!((joined, rig.log.len()), (Err(ErrorCode::GroupIdNotFound), log), "{policy}");
        }
        let mut rig = Rig::with(5, &setting);
        rig.beat(joining("n")).unwrap();
        if policy == "disabled" {
            let refused = rig.ask("g", GroupAsk::Join(join_with("", &Assignment::new())));
            assert!(matches!(refused, Err(ErrorCode::InconsistentGroupProtocol)), "{refused:?}");
            continue;
        }
        rig.rejoin(join_with("", &Assignment::new()));
        rig.beat(beat("n", -1)).unwrap();
        assert_eq!(rig.kind() == "classic", can_downgrade, "{policy}");
        rig.check_replay();
    }
}

#[test]
fn what_is_no_group_of_consumers_stays_classic() {
    let mut rig = Rig::new(6);
    rig.stable();
    let log = rig.log.len();
    assert_eq!(rig.beat(joining("n")), Err(ErrorCode::GroupIdNotFound), "its assignment is no consumer's");
    assert_eq!(rig.beat(beat("n", 1)), Err(ErrorCode::GroupIdNotFound));
    let mut other = Rig::new(7);
    other.classic(Join { protocol_type: "connect".into(), ..join_with("", &Assignment::new()) });
    assert_eq!(other.beat(joining("n")), Err(ErrorCode::GroupIdNotFound));
    let mut third = Rig::new(8);
    third.classic(join_with("", &Assignment::new()));
    let bad = ConsumerHeartbeat { regex: Some("(".into()), ..joining("n") };
    assert_eq!(third.beat(bad), Err(ErrorCode::InvalidRegularExpression));
    assert_eq!(third.kind(), "classic", "a member that is refused changes nothing");
    assert_eq!((rig.state(), rig.log.len()), ("Stable", log));
}

#[test]
fn a_classic_member_must_fit_into_the_consumer_group() {
    let mut rig = Rig::new(9);
    rig.beat(joining("n")).unwrap();
    let connect = Join { protocol_type: "connect".into(), ..join("") };
    rig.check(GroupAsk::Join(connect), Err(ErrorCode::InconsistentGroupProtocol));
    let garbage = Join { protocols: vec![("range".into(), b"x".as_slice().into())], ..join("") };
    rig.check(GroupAsk::Join(garbage), Err(ErrorCode::InconsistentGroupProtocol));
    let (id, ..) = rig.rejoin(join_with("", &Assignment::new()));
    let other = Join { protocols: vec![("sticky".into(), told(&Assignment::new()))], ..join("") };
    rig.check(GroupAsk::Join(other), Err(ErrorCode::InconsistentGroupProtocol));
    rig.check(GroupAsk::Heartbeat(who("n", 1)), Err(ErrorCode::UnknownMemberId));
    let named = Sync { protocol: Some("sticky".into()), who: who(&id, 2), ..Sync::default() };
    rig.check(GroupAsk::Sync(named), Err(ErrorCode::InconsistentGroupProtocol));
    let leaving = |member: &str| Leaving { member: member.into(), ..Default::default() };
    let Ok(GroupAnswer::Left(errors)) = rig.ask("g", GroupAsk::Leave(vec![leaving("x"), leaving(&id)]))
    else {
        panic!("not left")
    };
    assert_eq!(errors, [ErrorCode::UnknownMemberId, ErrorCode::None]);
    rig.check_replay();
}

#[test]
fn q82_a_static_member_may_come_back_with_the_other_protocol() {
    let mut rig = Rig::new(10);
    let old = rig.classic(static_join(""));
    // With the new protocol: the group is upgraded, and the member has what it had.
    let named = |asked| ConsumerHeartbeat { instance: Some("i".into()), ..asked };
    assert_eq!(rig.beat(named(joining("n"))), Ok((2, Some(PARTITIONS as usize))));
    let fenced = Membership { instance: Some("i".into()), ..who(&old, 1) };
    rig.check(GroupAsk::Heartbeat(fenced), Err(ErrorCode::FencedInstanceId));
    rig.check_replay();
    // And back, though it did not say that it goes.
    let number = rig.send("g", GroupAsk::Join(static_join("")));
    let joined = rig.joined(number);
    assert_eq!((joined.generation, joined.leader), (2, String::new()), "nobody has to assign");
    assert_eq!((rig.kind(), rig.state()), ("classic", "Stable"));
    assert_eq!(rig.beat(named(beat("n", 2))), Err(ErrorCode::GroupIdNotFound));
    rig.check_replay();
}

#[test]
fn q82_the_last_new_member_that_comes_back_as_a_classic_one_moves_nobody() {
    let mut rig = Rig::new(11);
    let named = ConsumerHeartbeat { instance: Some("i".into()), ..joining("n") };
    rig.beat(named).unwrap();
    let (a, ..) = rig.rejoin(join_with("", &Assignment::new()));
    let kept = rig.beat(ConsumerHeartbeat { instance: Some("i".into()), ..beat("n", 1) }).unwrap();
    assert_eq!(kept, (1, Some(3)));
    let owned = Some(rig.assigned("n"));
    rig.beat(ConsumerHeartbeat { instance: Some("i".into()), owned, ..beat("n", 1) }).unwrap();
    assert_eq!(rig.rejoin(join_with(&a, &Assignment::new())), (a.clone(), 2, 3));
    let number = rig.send("g", GroupAsk::Join(static_join("")));
    let joined = rig.joined(number);
    assert_eq!((rig.kind(), rig.state(), joined.generation), ("classic", "Stable", 2));
    let Ok(GroupAnswer::Synced(synced)) = rig.ask("g", sync(&joined.member, 2, &[])) else { panic!() };
    let assigned = embedded::read_assignment(&synced.assignment, &rig.image).unwrap();
    assert_eq!(assigned.values().map(BTreeSet::len).sum::<usize>(), 3);
    rig.check(GroupAsk::Heartbeat(who(&a, 2)), Ok(()));
    rig.check_replay();
}

#[test]
fn classic_members_that_do_not_do_what_they_are_told_are_taken_out() {
    use crate::groups::history::CauseKind::{RebalanceTimeout, SessionExpired, SyncTimeout};
    for (does_join, beats, cause, after_ms) in [
        (false, true, RebalanceTimeout, 30_000),
        (true, true, SyncTimeout, 30_000),
        (true, false, SessionExpired, 10_000),
    ] {
        let mut rig = Rig::new(12);
        let id = rig.classic(join_with("", &Assignment::new()));
        rig.beat(joining("n")).unwrap();
        let mut generation = 1;
        if does_join {
            let number = rig.send("g", GroupAsk::Join(join_with(&id, &Assignment::new())));
            generation = rig.joined(number).generation;
        }
        for _ in 0..7 {
            if beats {
                rig.send("g", GroupAsk::Heartbeat(who(&id, generation)));
            }
            rig.beat(beat("n", 2)).ok();
            rig.pass_ms(5_000);
        }
        let why = &rig.machine.groups["g"].history.rebalances().next().unwrap().why;
        assert_eq!((why.cause, &why.member), (cause.after(after_ms), &id));
        rig.check_replay();
    }
}

#[test]
fn a_group_of_both_protocols_is_the_same_after_a_restart() {
    let mut rig = Rig::new(13);
    let id = rig.classic(join_with("", &Assignment::new()));
    rig.beat(joining("n")).unwrap();
    let mut again = rig.replayed();
    rig.step(|machine, env, _| {
        std::mem::swap(machine, &mut again);
        machine.on_loaded(env)
    });
    rig.check(GroupAsk::Heartbeat(who(&id, 1)), Err(ErrorCode::RebalanceInProgress));
    assert_eq!(rig.rejoin(join_with(&id, &Assignment::new())), (id.clone(), 2, 3));
    for _ in 0..2 {
        rig.pass_ms(9_000);
        rig.beat(beat("n", 2)).unwrap();
    }
    rig.check(GroupAsk::Heartbeat(who(&id, 2)), Err(ErrorCode::UnknownMemberId));
}
