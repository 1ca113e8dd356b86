//! Why did it rebalance: each cause by its name, in groups of both protocols.

use super::*;
use crate::groups::history::{Awaited, CauseKind, Rebalance};

impl Rig {
    fn rebalances(&self) -> Vec<&Rebalance> {
        self.machine.groups["g"].history.rebalances().collect()
    }

    /// The newest one: cause, whose, generation, members before and after.
    fn newest(&self) -> (String, &str, i32, u32, u32) {
        let one = self.rebalances()[0];
        let cause = one.why.cause.to_string();
        (cause, &one.why.member, one.generation, one.members_before, one.members_after)
    }

    /// Brings the group "g", in which these are members, to the next generation.
    fn settle(&mut self, ids: &[&str]) {
        for id in ids {
            self.send("g", GroupAsk::Join(join(id)));
        }
        let (leader, generation) = self.leader();
        for id in ids {
            self.send("g", sync(id, generation, &[]));
        }
        self.send("g", sync(&leader, generation, &[]));
        assert_eq!(self.state(), "Stable");
    }

    fn leader(&self) -> (String, i32) {
        match &self.machine.groups["g"].kind {
            Kind::Classic(group) => (group.leader.clone().unwrap(), group.generation),
            Kind::Consumer(_) => panic!("not a classic group"),
        }
    }

    /// A stable group "g" of two members; gives their ids, the leader first.
    fn two(&mut self) -> (String, String) {
        let first = self.stable();
        let number = self.send("g", GroupAsk::Join(join("")));
        self.send("g", GroupAsk::Join(join(&first)));
        let second = self.joined(number).member;
        self.settle(&[&first, &second]);
        (first, second)
    }
}

#[test]
fn members_that_join_and_leave_are_named_with_their_own_words() {
    let mut rig = Rig::new(1);
    let first = rig.stable();
    assert_eq!(rig.newest(), ("member joined".to_owned(), &*first, 1, 0, 1));
    let number = rig.send("g", GroupAsk::Join(Join { reason: Some("scaled up".into()), ..join("") }));
    assert_eq!(rig.rebalances()[0].took_ms, None, "the first member has not joined again");
    rig.pass_ms(700);
    rig.send("g", GroupAsk::Join(join(&first)));
    let second = rig.joined(number).member;
    rig.pass_ms(50);
    rig.send("g", sync(&first, 2, &[]));
    assert_eq!(rig.newest(), ("member joined".to_owned(), &*second, 2, 1, 2));
    let newest = rig.rebalances()[0];
    assert_eq!(newest.why.reason.as_deref(), Some("scaled up"));
    assert_eq!((newest.took_ms, newest.is_superseded), (Some(750), false));
    assert_eq!(newest.slowest, Some((first.clone(), 700, Awaited::Join)));
    let leaving = Leaving { member: second.clone(), reason: Some("closing".into()), ..Default::default() };
    rig.send("g", GroupAsk::Leave(vec![leaving]));
    rig.settle(&[&first]);
    assert_eq!(rig.newest(), ("member left".to_owned(), &*second, 3, 2, 1));
    assert_eq!(rig.rebalances()[0].why.reason.as_deref(), Some("closing"));
}

#[test]
fn a_member_that_is_silent_is_named_with_its_session() {
    let mut rig = Rig::new(2);
    let (first, second) = rig.two();
    for _ in 0..3 {
        rig.pass_ms(9_000);
        rig.send("g", GroupAsk::Heartbeat(who(&first, rig.leader().1)));
    }
    rig.settle(&[&first]);
    let session_ms = join("").session_timeout_ms;
    assert_eq!(rig.newest(), (format!("session expired after {session_ms} ms"), &*second, 3, 2, 1));
}

#[test]
fn a_member_that_does_not_join_again_is_the_slowest() {
    let mut rig = Rig::new(3);
    let (first, second) = rig.two();
    let rebalance_ms = i64::from(join("").rebalance_timeout_ms);
    // The leader joins again; the other one only says that it lives.
    rig.send("g", GroupAsk::Join(join(&first)));
    let mut left_ms = rebalance_ms;
    while left_ms > 0 {
        rig.pass_ms(5_000.min(left_ms));
        left_ms -= 5_000;
        rig.send("g", GroupAsk::Heartbeat(who(&second, 2)));
    }
    rig.send("g", sync(&first, 3, &[]));
    assert_eq!(rig.newest(), ("leader joined again".to_owned(), &*first, 3, 2, 1));
    assert_eq!(rig.rebalances()[0].slowest, Some((second, rebalance_ms, Awaited::Join)));
    assert_eq!(rig.rebalances()[0].further, 1, "the one that was given up");
}

#[test]
fn a_leader_that_does_not_assign_is_named() {
    let mut rig = Rig::new(4);
    let first = rig.send("g", GroupAsk::Join(join("")));
    rig.pass_ms(1_000);
    let first = rig.joined(first).member;
    let rebalance_ms = i64::from(join("").rebalance_timeout_ms);
    let mut left_ms = rebalance_ms;
    while left_ms > 0 {
        rig.send("g", GroupAsk::Heartbeat(who(&first, 1)));
        rig.pass_ms(5_000.min(left_ms));
        left_ms -= 5_000;
    }
    // Nobody is left: the group is empty now.
    let why = &rig.rebalances()[0].why;
    assert_eq!((why.cause, rig.state()), (CauseKind::SyncTimeout.after(rebalance_ms), "Empty"));
    assert!(rig.rebalances()[1].is_superseded, "the first one never had an assignment");
}

#[test]
fn changes_of_what_a_member_can_do_are_told_from_a_leader_that_joins_again() {
    let mut rig = Rig::new(5);
    let (first, second) = rig.two();
    let other = Join { protocols: vec![("range".into(), subscription(&["u"]))], ..join(&second) };
    rig.send("g", GroupAsk::Join(other));
    assert_eq!(rig.rebalances()[0].why.cause, CauseKind::SubscriptionChanged.now());
    assert_eq!(rig.rebalances()[0].why.member, second);
    rig.settle(&[&first]);
    rig.send("g", GroupAsk::Join(join(&first)));
    assert_eq!(rig.rebalances()[0].why.cause, CauseKind::LeaderRejoined.now());
}

#[test]
fn a_static_member_that_comes_back_changed_is_named() {
    let mut rig = Rig::new(6);
    let named = |protocols| Join { instance: Some("i".into()), protocols, ..join("") };
    let number = rig.send("g", GroupAsk::Join(named(join("").protocols)));
    rig.pass_ms(1_000);
    let id = rig.joined(number).member;
    rig.send("g", sync(&id, 1, &[]));
    rig.send("g", GroupAsk::Join(named(vec![("range".into(), subscription(&["u"]))])));
    assert_eq!(rig.rebalances()[0].why.cause, CauseKind::StaticMemberReplaced.now());
}

#[test]
fn a_rebalance_that_was_superseded_leaves_the_right_number_of_members_behind() {
    let mut rig = Rig::new(14);
    let first = rig.stable();
    let number = rig.send("g", GroupAsk::Join(join("")));
    rig.send("g", GroupAsk::Join(join(&first)));
    let second = rig.joined(number).member;
    // Nobody has assigned yet, and one is gone again.
    rig.send("g", GroupAsk::Leave(vec![Leaving { member: second, ..Default::default() }]));
    let counts = |one: &Rebalance| (one.is_superseded, one.members_before, one.members_after);
    assert_eq!(counts(rig.rebalances()[1]), (true, 1, 2));
    assert_eq!(rig.rebalances()[0].members_before, 2);
    rig.settle(&[&first]);
    assert_eq!(counts(rig.rebalances()[0]), (false, 2, 1));
}

#[test]
fn a_group_that_was_loaded_says_where_its_memory_begins() {
    let mut rig = Rig::new(7);
    rig.stable();
    let mut again = rig.replayed();
    rig.step(|machine, env, _| {
        std::mem::swap(machine, &mut again);
        machine.on_loaded(env)
    });
    assert_eq!(rig.newest(), ("coordinator loaded".to_owned(), "", 1, 1, 1));
    assert_eq!(rig.rebalances().len(), 1);
}

#[test]
fn members_of_the_consumer_protocol_are_named_too() {
    let mut rig = Rig::new(8);
    rig.beat(joining("a")).unwrap();
    assert_eq!(rig.newest(), ("member joined".to_owned(), "a", 1, 0, 1));
    rig.beat(joining("b")).unwrap();
    assert_eq!(rig.rebalances()[0].took_ms, None, "a still has what is b's");
    rig.pass_ms(3_000);
    rig.beat(beat("a", 1)).unwrap();
    let owned = Some(rig.assigned("a"));
    rig.beat(ConsumerHeartbeat { owned, ..beat("a", 1) }).unwrap();
    rig.pass_ms(400);
    rig.beat(beat("b", 2)).unwrap();
    assert_eq!(rig.newest(), ("member joined".to_owned(), "b", 2, 1, 2));
    let newest = rig.rebalances()[0];
    assert_eq!(newest.took_ms, Some(3_400));
    assert_eq!(newest.slowest, Some(("b".to_owned(), 3_400, Awaited::Reconciliation)));
    rig.beat(ConsumerHeartbeat { topics: Some(vec!["t".into(), "u".into()]), ..beat("b", 2) }).unwrap();
    assert_eq!(rig.rebalances()[0].why.cause, CauseKind::SubscriptionChanged.now());
    rig.beat(beat("a", -1)).unwrap();
    assert_eq!(rig.rebalances()[0].why.cause, CauseKind::MemberLeft.now());
    rig.pass_ms(60_000);
    let session = rig.rebalances()[0].why.cause;
    assert_eq!((session.kind, session.after_ms), (CauseKind::SessionExpired, 45_000));
    assert_eq!((rig.newest().3, rig.newest().4), (1, 0), "the one before had not ended, but a was gone");
}

#[test]
fn c69_topics_that_grow_are_a_cause_of_their_own() {
    let mut rig = Rig::new(9);
    rig.beat(joining("a")).unwrap();
    rig.grow(PARTITIONS);
    // A new image has a new version.
    rig.image.version += 1;
    rig.beat(beat("a", 1)).unwrap();
    assert_eq!(rig.newest(), ("topics changed".to_owned(), "", 2, 1, 1));
}

#[test]
fn the_last_commit_is_known_by_time_and_member() {
    let mut rig = Rig::new(10);
    let id = rig.stable();
    rig.pass_ms(500);
    rig.check(commit(who(&id, 1), 9), Ok(()));
    let last = rig.machine.groups["g"].history.last_commit().unwrap();
    assert_eq!((last.at_ms - 1_700_000_000_000, &*last.member), (rig.now_ms, &*id));
}

#[test]
fn an_id_that_is_never_used_costs_a_stable_group_no_rebalance() {
    let mut rig = Rig::new(11);
    let first = rig.stable();
    let beat = |rig: &mut Rig| {
        let beaten = rig.ask("g", GroupAsk::Heartbeat(who(&first, 1)));
        assert!(matches!(beaten, Ok(GroupAnswer::Done)), "{beaten:?}");
    };
    let wants_id = || Join { needs_id: true, ..join("") };
    let Ok(GroupAnswer::MemberId(_)) = rig.ask("g", GroupAsk::Join(wants_id())) else { panic!("no id") };
    for _ in 0..4 {
        rig.pass_ms(5_000);
        beat(&mut rig);
    }
    let Ok(GroupAnswer::MemberId(id)) = rig.ask("g", GroupAsk::Join(wants_id())) else { panic!("no id") };
    rig.send("g", GroupAsk::Leave(vec![Leaving { member: id, ..Default::default() }]));
    beat(&mut rig);
    assert_eq!((rig.state(), rig.rebalances().len()), ("Stable", 1));
}

#[test]
fn a_commit_of_which_nothing_was_taken_is_no_last_commit() {
    let mut rig = Rig::new(12);
    let id = rig.stable();
    let GroupAsk::Commit(mut refused) = commit(who(&id, 1), 9) else { unreachable!("it is a commit") };
    refused.offsets[0].error = ErrorCode::UnknownTopicOrPartition;
    rig.check(GroupAsk::Commit(refused), Ok(()));
    assert_eq!(rig.machine.groups["g"].history.last_commit(), None);
    assert_eq!(rig.machine.counts().commits, 0);
}

#[test]
fn a_cooperative_member_that_has_given_up_partitions_has_changed_no_subscription() {
    use protocol::messages::consumer_protocol_subscription::{ConsumerProtocolSubscription, TopicPartition};
    let with_owned = |partitions: &[i32]| {
        let mut e = protocol::Encoder::new();
        e.i16(1);
        let owned_partitions = vec![TopicPartition { topic: "t", partitions: partitions.to_vec() }];
        let told = ConsumerProtocolSubscription { topics: vec!["t"], owned_partitions, ..Default::default() };
        protocol::Message::encode(&told, &mut e, 1);
        vec![("range".to_owned(), e.into_vec().into())]
    };
    let mut rig = Rig::new(13);
    let (first, second) = rig.two();
    rig.send("g", GroupAsk::Join(Join { protocols: with_owned(&[0, 1]), ..join(&first) }));
    let causes = |rig: &Rig| rig.rebalances()[0].why.cause.kind;
    assert_eq!(causes(&rig), CauseKind::MemberRejoined);
    rig.settle(&[&first, &second]);
    rig.send("g", GroupAsk::Join(Join { protocols: with_owned(&[0]), ..join(&second) }));
    assert_eq!((causes(&rig), rig.newest().1), (CauseKind::MemberRejoined, &*second));
}
