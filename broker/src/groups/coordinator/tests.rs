//! The state machine by tables and by chance: what it answers in each state, and that a replay of its records makes it again.

use std::sync::Arc;

use protocol::Uuid;
use shard::ShardId;
use shard::random::Random;

use super::*;
use crate::config::{Given, Origin, ServerConfig};
use crate::groups::ask::{Commit, CommitOffset, FetchOffsets, Joined, Leaving, Membership, Sync};
use crate::groups::record::Assignment;
use crate::homes::ReplyTo;
use crate::mail::PendingId;
use crate::metadata::record::Record as Metadata;
use crate::metadata::{Image, PartitionState};

#[path = "tests/history.rs"]
mod history;
#[path = "tests/limits.rs"]
mod limits;
#[path = "tests/migration.rs"]
mod migration;
#[path = "tests/mixed.rs"]
mod mixed;

/// A coordinator, its clock, its topics, and all that it has written.
struct Rig {
    machine: Coordinator,
    image: Image,
    now_ms: i64,
    random: Random,
    question: u32,
    log: Vec<Record>,
    replies: BTreeMap<u32, GroupReply>,
}

/// Topic "t" has this many partitions.
const PARTITIONS: i32 = 6;

impl Rig {
    fn new(seed: u64) -> Rig {
        Rig::with(seed, &[])
    }

    /// With these settings of the broker.
    fn with(seed: u64, settings: &[(&str, &str)]) -> Rig {
        let given = settings.iter().map(|&(name, value)| Given {
            origin: Origin::Set,
            name: name.to_owned(),
            value: value.to_owned(),
        });
        let config = ServerConfig::new(given.collect(), "machine").unwrap();
        let mut rig = Rig {
            machine: Coordinator::default(),
            image: Image::empty(Arc::new(config), "c"),
            now_ms: 1_000,
            random: Random::from_seed(seed),
            question: 0,
            log: Vec::new(),
            replies: BTreeMap::new(),
        };
        rig.image.apply(&Metadata::Topic { name: "t".into(), id: Uuid::from_u128(7) });
        (0..PARTITIONS).for_each(|partition| rig.grow(partition));
        rig
    }

    fn grow(&mut self, partition: i32) {
        let topic_id = Uuid::from_u128(7);
        self.image.apply(&Metadata::Partition { topic_id, partition, state: PartitionState::of_one(0) });
    }

    fn step(&mut self, step: impl FnOnce(&mut Coordinator, &Env<'_>, ReplyTo) -> Effects) -> u32 {
        self.question += 1;
        let bits = (u128::from(self.random.next_u64()) << 64) | u128::from(self.random.next_u64());
        let env = Env {
            now_ms: self.now_ms,
            wall_ms: 1_700_000_000_000 + self.now_ms,
            fresh_id: Uuid::from_u128(bits),
            image: &self.image,
        };
        let to = (PendingId { origin: ShardId(0), number: 0 }, self.question);
        let effects = step(&mut self.machine, &env, to);
        self.log.extend(effects.records);
        for ((_, number), reply) in effects.replies {
            assert!(self.replies.insert(number, reply).is_none(), "a question is answered once");
        }
        self.question
    }

    fn send(&mut self, group: &str, ask: GroupAsk) -> u32 {
        self.step(|machine, env, to| machine.on_ask(env, to, &group.into(), ask))
    }

    /// Asks what is answered at once.
    fn ask(&mut self, group: &str, ask: GroupAsk) -> GroupReply {
        let number = self.send(group, ask);
        self.replies.remove(&number).expect("an answer at once")
    }

    /// Lets time pass, and does what is due on the way.
    fn pass_ms(&mut self, ms: i64) {
        let until = self.now_ms + ms;
        while let Some(at_ms) = self.machine.next_deadline().filter(|&at_ms| at_ms <= until) {
            self.now_ms = self.now_ms.max(at_ms);
            self.step(|machine, env, _| machine.on_time(env).unwrap());
        }
        self.now_ms = until;
    }

    /// What a replay of all records makes.
    fn replayed(&self) -> Coordinator {
        let mut machine = Coordinator::default();
        for record in &self.log {
            let (key, value) = record.encode();
            machine.apply(Record::decode(&key, value.as_deref()).unwrap().unwrap());
        }
        machine
    }

    /// The state is what a replay makes of the log.
    fn check_replay(&self) {
        let replayed = self.replayed();
        for (id, group) in &self.machine.groups {
            let again = replayed.groups.get(id);
            if let Some(again) = again {
                assert_eq!(group.offsets, again.offsets, "offsets of {id}");
            } else {
                assert!(group.offsets.is_empty(), "offsets of {id} are not in the log");
            }
            match (&group.kind, again.map(|again| &again.kind)) {
                (Kind::Consumer(group), Some(Kind::Consumer(again))) => {
                    assert!(
                        group.durable() == again.durable(),
                        "{:?}\n{:?}",
                        group.durable(),
                        again.durable()
                    );
                }
                (Kind::Consumer(_), _) => panic!("{id} is not in the log as a consumer group"),
                (Kind::Classic(group), Some(Kind::Classic(again))) if is_saved(group) => {
                    let (mut saved, mut expected) = (group.to_saved(), again.to_saved());
                    // A replay has one protocol a member, and no clock.
                    (saved.state_ms, expected.state_ms) = (0, 0);
                    assert_eq!(saved, expected);
                }
                (Kind::Classic(group), None) if is_saved(group) => panic!("{id} is not in the log"),
                (Kind::Classic(_), Some(Kind::Consumer(_))) => {
                    panic!("{id} is in the log as a consumer group")
                }
                (Kind::Classic(group), again) => {
                    let generation = match again {
                        Some(Kind::Classic(again)) => again.generation,
                        _ => 0,
                    };
                    // A group that was downgraded is saved as of the generation that it comes to.
                    assert!(group.generation + 1 >= generation, "generations of {id} only grow");
                }
            }
        }
        for (id, again) in &replayed.groups {
            assert!(self.machine.groups.contains_key(id) || again.is_vacant(), "{id} is in the log alone");
        }
    }
}

/// Whether a classic group is as it was saved.
fn is_saved(group: &Classic) -> bool {
    group.generation > 0 && (group.is_empty() || group.describe().state == "Stable")
}

// --- the classic protocol -----------------------------------------------------------------------------------------------

fn join(member: &str) -> Join {
    Join {
        member: member.into(),
        session_timeout_ms: 10_000,
        rebalance_timeout_ms: 30_000,
        protocol_type: "consumer".into(),
        protocols: vec![("range".into(), subscription(&["t"]))],
        client_id: "c".into(),
        client_host: "/h".into(),
        ..Join::default()
    }
}

fn subscription(topics: &[&str]) -> Arc<[u8]> {
    use protocol::messages::consumer_protocol_subscription::ConsumerProtocolSubscription;
    use protocol::{Encoder, Message};
    let mut e = Encoder::new();
    e.i16(0);
    ConsumerProtocolSubscription { topics: topics.to_vec(), ..Default::default() }.encode(&mut e, 0);
    e.into_vec().into()
}

fn who(member: &str, generation: i32) -> Membership {
    Membership { member: member.into(), generation, instance: None }
}

fn sync(member: &str, generation: i32, assignments: &[(&str, &str)]) -> GroupAsk {
    let assignments = assignments.iter().map(|(id, bytes)| ((*id).to_owned(), bytes.as_bytes().into()));
    GroupAsk::Sync(Sync {
        who: who(member, generation),
        assignments: assignments.collect(),
        ..Sync::default()
    })
}

impl Rig {
    fn joined(&mut self, number: u32) -> Joined {
        match self.replies.remove(&number) {
            Some(Ok(GroupAnswer::Joined(joined))) => joined,
            other => panic!("not joined: {other:?}"),
        }
    }

    /// A stable group "g" of one member; gives its id.
    fn stable(&mut self) -> String {
        let number = self.send("g", GroupAsk::Join(join("")));
        self.pass_ms(1_000);
        let joined = self.joined(number);
        assert_eq!((joined.generation, joined.members.len()), (1, 1));
        let id = joined.member;
        assert!(self.ask("g", sync(&id, 1, &[(&id, "all")])).is_ok());
        id
    }

    fn state(&self) -> &'static str {
        self.machine
            .list(&[], &[])
            .iter()
            .find(|listed| &*listed.group == "g")
            .map_or("Dead", |listed| listed.state)
    }

    fn check(&mut self, ask: GroupAsk, expected: Result<(), ErrorCode>) {
        let words = format!("{ask:?} while {}", self.state());
        assert_eq!(self.ask("g", ask).map(|_| ()), expected, "{words}");
    }
}

fn commit(who: Membership, version: i16) -> GroupAsk {
    let offset = CommitOffset {
        topic: "t".into(),
        topic_id: Uuid::from_u128(7),
        partition: 0,
        offset: 5,
        leader_epoch: 3,
        metadata: "m".into(),
        error: ErrorCode::None,
    };
    GroupAsk::Commit(Commit { who, version, expire_ms: -1, offsets: vec![offset] })
}

#[test]
fn q86_q87_q88_every_state_has_its_answers() {
    use ErrorCode::{GroupIdNotFound, IllegalGeneration, RebalanceInProgress, UnknownMemberId};
    let mut rig = Rig::new(1);
    // Nobody knows the group.
    rig.check(GroupAsk::Heartbeat(who("m", 1)), Err(UnknownMemberId));
    rig.check(sync("m", 1, &[]), Err(UnknownMemberId));
    rig.check(GroupAsk::Join(join("m")), Err(UnknownMemberId));
    rig.check(commit(who("m", 1), 8), Err(IllegalGeneration));
    rig.check(commit(who("m", 1), 9), Err(GroupIdNotFound));
    rig.check(GroupAsk::Describe, Err(GroupIdNotFound));
    rig.check(GroupAsk::Delete, Err(GroupIdNotFound));
    // A simple group.
    rig.check(commit(who("", -1), 9), Ok(()));
    rig.check(commit(who("m", 1), 9), Err(UnknownMemberId));
    // Stable.
    let id = rig.stable();
    rig.check(GroupAsk::Heartbeat(who(&id, 1)), Ok(()));
    rig.check(GroupAsk::Heartbeat(who(&id, 0)), Err(IllegalGeneration));
    rig.check(GroupAsk::Heartbeat(who("m", 1)), Err(UnknownMemberId));
    rig.check(sync(&id, 1, &[]), Ok(()));
    rig.check(commit(who(&id, 1), 9), Ok(()));
    rig.check(commit(who(&id, 2), 9), Err(IllegalGeneration));
    rig.check(commit(who("", -1), 9), Err(UnknownMemberId));
    rig.check(GroupAsk::Delete, Err(ErrorCode::NonEmptyGroup));
    // Preparing: another has come.
    let other = rig.send("g", GroupAsk::Join(join("")));
    assert_eq!(rig.state(), "PreparingRebalance");
    rig.check(GroupAsk::Heartbeat(who(&id, 1)), Err(RebalanceInProgress));
    rig.check(sync(&id, 1, &[]), Err(RebalanceInProgress));
    rig.check(commit(who(&id, 1), 9), Ok(()));
    // Completing: both are here.
    let again = rig.send("g", GroupAsk::Join(join(&id)));
    let (again, other) = (rig.joined(again), rig.joined(other));
    assert_eq!(
        (rig.state(), again.generation, &again.leader, &other.leader),
        ("CompletingRebalance", 2, &id, &id)
    );
    assert_eq!((again.members.len(), other.members.len()), (2, 0));
    rig.check(GroupAsk::Heartbeat(who(&id, 2)), Ok(()));
    rig.check(commit(who(&id, 2), 9), Err(RebalanceInProgress));
    rig.check_replay();
    // Empty again.
    let leaving = [&id, &other.member].map(|id| Leaving { member: id.clone(), ..Default::default() });
    rig.check(GroupAsk::Leave(leaving.to_vec()), Ok(()));
    assert_eq!(rig.state(), "Empty");
    rig.check(GroupAsk::Heartbeat(who(&id, 2)), Err(UnknownMemberId));
    rig.check_replay();
    rig.check(GroupAsk::Delete, Ok(()));
    assert_eq!((rig.state(), rig.replayed().group_count()), ("Dead", 0));
}

#[test]
fn q81_an_id_that_never_comes_back_is_forgotten() {
    let mut rig = Rig::new(3);
    let asked = Join { needs_id: true, ..join("") };
    let Ok(GroupAnswer::MemberId(id)) = rig.ask("g", GroupAsk::Join(asked)) else { panic!("no id") };
    assert!(id.starts_with("c-") && id.len() == 38, "{id}");
    assert_eq!(rig.machine.group_count(), 1);
    rig.pass_ms(10_000);
    assert_eq!(rig.machine.group_count(), 0);
    assert!(rig.log.is_empty());
}

#[test]
fn q84_the_first_join_waits_for_more_and_is_prolonged() {
    let mut rig = Rig::new(4);
    let first = rig.send("g", GroupAsk::Join(join("")));
    rig.pass_ms(150);
    let second = rig.send("g", GroupAsk::Join(join("")));
    rig.pass_ms(200);
    assert!(!rig.replies.contains_key(&first), "the wait was prolonged");
    rig.pass_ms(60);
    let joined = [first, second].map(|number| rig.joined(number));
    assert_eq!(joined.iter().map(|one| one.members.len()).sum::<usize>(), 2);
}

#[test]
fn q82_c49_a_static_member_comes_back_without_a_rebalance_and_fences_the_one_before() {
    let mut rig = Rig::new(5);
    let asked = |member: &str| Join { instance: Some("i".into()), can_skip: true, ..join(member) };
    let number = rig.send("g", GroupAsk::Join(asked("")));
    rig.pass_ms(1_000);
    let old = rig.joined(number).member;
    rig.check(sync(&old, 1, &[(&old, "all")]), Ok(()));
    let number = rig.send("g", GroupAsk::Join(asked("")));
    let joined = rig.joined(number);
    assert!(joined.skip_assignment && joined.generation == 1 && joined.member != old, "{joined:?}");
    let fenced = Membership { instance: Some("i".into()), ..who(&old, 1) };
    rig.check(GroupAsk::Heartbeat(fenced.clone()), Err(ErrorCode::FencedInstanceId));
    rig.check(commit(fenced, 9), Err(ErrorCode::FencedInstanceId));
    let Ok(GroupAnswer::Synced(synced)) = rig.ask("g", sync(&joined.member, 1, &[])) else {
        panic!("not synced")
    };
    assert_eq!(&*synced.assignment, b"all");
    rig.check_replay();
    // An older client must not believe that it leads.
    let number = rig.send("g", GroupAsk::Join(Join { can_skip: false, ..asked("") }));
    let older = rig.joined(number);
    assert!(older.leader != older.member && older.members.is_empty(), "{older:?}");
    let removed = Leaving { instance: Some("i".into()), ..Default::default() };
    rig.check(GroupAsk::Leave(vec![removed]), Ok(()));
    assert_eq!(rig.state(), "Empty");
}

#[test]
fn c53_only_the_silent_one_is_removed_in_a_long_rebalance() {
    let mut rig = Rig::new(6);
    let blocked = rig.stable();
    let other = rig.send("g", GroupAsk::Join(join("")));
    for _ in 0..3 {
        rig.pass_ms(4_000);
        assert!(!rig.replies.contains_key(&other), "the new member waits, and is not expired");
        rig.check(GroupAsk::Heartbeat(who(&blocked, 1)), Err(ErrorCode::RebalanceInProgress));
    }
    rig.pass_ms(11_000);
    let joined = rig.joined(other);
    assert_eq!((joined.generation, joined.members.len()), (2, 1));
}

#[test]
fn c47_all_who_vanish_at_once_cost_one_rebalance() {
    let mut rig = Rig::new(7);
    let numbers: Vec<u32> = (0..200).map(|_| rig.send("g", GroupAsk::Join(join("")))).collect();
    rig.pass_ms(1_000);
    let joined: Vec<Joined> = numbers.into_iter().map(|number| rig.joined(number)).collect();
    let leader = joined[0].leader.clone();
    rig.check(sync(&leader, 1, &[]), Ok(()));
    rig.pass_ms(60_000);
    assert_eq!(rig.state(), "Empty");
    assert_eq!(rig.machine.groups.values().map(generation).max(), Some(2));
    rig.check_replay();
}

fn generation(group: &Group) -> i32 {
    match &group.kind {
        Kind::Classic(group) => group.generation,
        Kind::Consumer(group) => group.epochs().0,
    }
}

#[test]
fn q83_the_protocol_that_all_can_do_and_most_like() {
    let mut rig = Rig::new(8);
    let asked = |names: &[&str]| Join {
        protocols: names.iter().map(|name| ((*name).to_owned(), subscription(&["t"]))).collect(),
        ..join("")
    };
    let numbers: Vec<u32> = [&["a", "b", "x"][..], &["b", "a"], &["b", "a", "y"]]
        .into_iter()
        .map(|names| rig.send("g", GroupAsk::Join(asked(names))))
        .collect();
    rig.check(GroupAsk::Join(asked(&["z"])), Err(ErrorCode::InconsistentGroupProtocol));
    let connect = Join { protocol_type: "connect".into(), ..asked(&["a"]) };
    rig.check(GroupAsk::Join(connect), Err(ErrorCode::InconsistentGroupProtocol));
    rig.pass_ms(1_000);
    assert_eq!(rig.joined(numbers[0]).protocol.as_deref(), Some("b"));
}

#[test]
fn q90_c55_offsets_and_groups_expire_after_the_group_has_become_empty() {
    let mut rig = Rig::new(9);
    let id = rig.stable();
    rig.check(commit(who(&id, 1), 9), Ok(()));
    let retention_ms = 10_080 * 60_000;
    let expire = |rig: &mut Rig| _ = rig.step(|machine, env, _| machine.expire(env).0);
    rig.now_ms += 2 * retention_ms;
    expire(&mut rig);
    assert_eq!(rig.machine.groups["g"].offsets.len(), 1, "members read it");
    rig.check(GroupAsk::Leave(vec![Leaving { member: id, ..Default::default() }]), Ok(()));
    rig.pass_ms(retention_ms - 1);
    expire(&mut rig);
    assert_eq!(rig.machine.groups["g"].offsets.len(), 1, "it is empty, but not for long enough");
    rig.pass_ms(1);
    expire(&mut rig);
    assert_eq!((rig.machine.group_count(), rig.replayed().group_count()), (0, 0));
}

#[test]
fn q92_offsets_of_topics_that_are_read_stay() {
    let mut rig = Rig::new(10);
    let id = rig.stable();
    rig.check(commit(who(&id, 1), 9), Ok(()));
    let ask = GroupAsk::DeleteOffsets(vec![
        ("t".into(), 0, ErrorCode::None),
        ("u".into(), 0, ErrorCode::None),
        ("v".into(), 0, ErrorCode::UnknownTopicOrPartition),
    ]);
    let Ok(GroupAnswer::PerPartition(errors)) = rig.ask("g", ask) else { panic!("refused") };
    use ErrorCode::{GroupSubscribedToTopic, None, UnknownTopicOrPartition};
    assert_eq!(errors, [GroupSubscribedToTopic, None, UnknownTopicOrPartition]);
}

#[test]
fn topics_that_are_deleted_take_their_offsets_along() {
    let mut rig = Rig::new(11);
    rig.check(commit(who("", -1), 9), Ok(()));
    rig.step(|machine, _, _| machine.on_topics_deleted(&BTreeSet::from(["t".into()])));
    assert_eq!((rig.machine.group_count(), rig.replayed().group_count()), (0, 0));
}

// --- consumer groups ----------------------------------------------------------------------------------------------------

fn beat(member: &str, epoch: i32) -> ConsumerHeartbeat {
    ConsumerHeartbeat {
        member: member.into(),
        epoch,
        rebalance_timeout_ms: -1,
        ..ConsumerHeartbeat::default()
    }
}

fn joining(member: &str) -> ConsumerHeartbeat {
    ConsumerHeartbeat {
        rebalance_timeout_ms: 30_000,
        topics: Some(vec!["t".into()]),
        owned: Some(Assignment::new()),
        ..beat(member, 0)
    }
}

impl Rig {
    fn beat(&mut self, asked: ConsumerHeartbeat) -> Result<(i32, Option<usize>), ErrorCode> {
        match self.ask("g", GroupAsk::ConsumerHeartbeat(Box::new(asked))) {
            Ok(GroupAnswer::Beaten(beaten)) => {
                let count = |assignment: Assignment| assignment.values().map(BTreeSet::len).sum();
                Ok((beaten.epoch, beaten.assignment.map(count)))
            }
            Ok(GroupAnswer::Refused(error, _)) => Err(error),
            other => panic!("not a heartbeat's answer: {other:?}"),
        }
    }

    fn assigned(&self, member: &str) -> Assignment {
        let Some(Kind::Consumer(group)) = self.machine.groups.get("g").map(|group| &group.kind) else {
            panic!("no consumer group")
        };
        group.assigned(member)
    }
}

#[test]
fn q97_a_partition_is_given_on_when_its_owner_has_let_go() {
    let mut rig = Rig::new(20);
    assert_eq!(rig.beat(joining("a")), Ok((1, Some(6))));
    assert_eq!(rig.beat(joining("b")), Ok((2, Some(0))), "the partitions are still a's");
    assert_eq!(rig.beat(beat("a", 1)), Ok((1, Some(3))), "a is told to let go");
    assert_eq!(rig.beat(beat("b", 2)), Ok((2, None)));
    let owned = Some(rig.assigned("a"));
    assert_eq!(rig.beat(ConsumerHeartbeat { owned, ..beat("a", 1) }), Ok((2, None)), "a has let go");
    assert_eq!(rig.beat(beat("b", 2)), Ok((2, Some(3))));
    assert_eq!(rig.state(), "Stable");
    rig.check_replay();
}

#[test]
fn c51_heartbeats_that_are_sent_again_fence_nobody() {
    let mut rig = Rig::new(21);
    assert_eq!(rig.beat(joining("a")), Ok((1, Some(6))));
    assert_eq!(rig.beat(joining("a")), Ok((1, Some(6))), "the join again");
    rig.beat(joining("b")).unwrap();
    rig.beat(beat("a", 1)).unwrap();
    let owned = Some(rig.assigned("a"));
    let full = ConsumerHeartbeat {
        owned,
        rebalance_timeout_ms: 30_000,
        topics: Some(vec!["t".into()]),
        ..beat("a", 1)
    };
    assert_eq!(rig.beat(full.clone()), Ok((2, Some(3))));
    assert_eq!(rig.beat(full.clone()), Ok((2, Some(3))), "its answer was lost");
    let too_much = BTreeSet::from_iter(0..PARTITIONS);
    let owned = Some(Assignment::from([(Uuid::from_u128(7), too_much)]));
    assert_eq!(rig.beat(ConsumerHeartbeat { owned, ..full }), Err(ErrorCode::FencedMemberEpoch));
    assert_eq!(rig.beat(beat("a", 1)), Err(ErrorCode::FencedMemberEpoch));
    assert_eq!(rig.beat(beat("a", 9)), Err(ErrorCode::FencedMemberEpoch));
}

#[test]
fn q96_every_error_of_a_heartbeat() {
    let mut rig = Rig::new(22);
    let named = |member: &str, epoch| ConsumerHeartbeat { instance: Some("i".into()), ..beat(member, epoch) };
    let named_joining = |member: &str| ConsumerHeartbeat { instance: Some("i".into()), ..joining(member) };
    assert_eq!(rig.beat(beat("a", 3)), Err(ErrorCode::GroupIdNotFound));
    let bad = ConsumerHeartbeat { assignor: Some("x".into()), ..joining("a") };
    assert_eq!(rig.beat(bad), Err(ErrorCode::UnsupportedAssignor));
    let bad = ConsumerHeartbeat { regex: Some("(".into()), ..joining("a") };
    assert_eq!(rig.beat(bad), Err(ErrorCode::InvalidRegularExpression));
    assert_eq!(rig.machine.group_count(), 0, "a group is made by its first member alone");
    assert_eq!(rig.beat(named_joining("a")), Ok((1, Some(6))));
    assert_eq!(rig.beat(beat("b", 1)), Err(ErrorCode::UnknownMemberId));
    assert_eq!(rig.beat(named_joining("b")), Err(ErrorCode::UnreleasedInstanceId));
    assert_eq!(rig.beat(named("b", 1)), Err(ErrorCode::FencedInstanceId));
    // The static member leaves for a while, and another takes its place without a new epoch.
    assert_eq!(rig.beat(named("a", -2)), Ok((-2, None)));
    rig.check_replay();
    assert_eq!(rig.beat(named_joining("b")), Ok((1, Some(6))));
    assert_eq!(rig.beat(named("a", 1)), Err(ErrorCode::FencedInstanceId));
    rig.check_replay();
    // Offsets go by epochs.
    rig.check(commit(who("b", 1), 9), Ok(()));
    rig.check(commit(who("b", 0), 9), Err(ErrorCode::StaleMemberEpoch));
    rig.check(commit(who("a", 1), 9), Err(ErrorCode::UnknownMemberId));
    rig.check(commit(who("b", 1), 8), Err(ErrorCode::UnsupportedVersion));
    let fetch = |epoch| {
        GroupAsk::FetchOffsets(FetchOffsets {
            who: Some(("b".into(), epoch)),
            is_stable: false,
            partitions: None,
        })
    };
    rig.check(fetch(1), Ok(()));
    rig.check(fetch(5), Err(ErrorCode::StaleMemberEpoch));
    assert_eq!(rig.beat(beat("b", -1)), Ok((-1, None)));
    rig.check_replay();
}

#[test]
fn c69_new_partitions_and_topics_are_assigned_by_the_next_heartbeat() {
    let mut rig = Rig::new(23);
    let asked = ConsumerHeartbeat { topics: None, regex: Some("t|t[0-9]+".into()), ..joining("a") };
    assert_eq!(rig.beat(asked), Ok((1, Some(6))));
    rig.grow(PARTITIONS);
    assert_eq!(rig.beat(beat("a", 1)), Ok((2, Some(7))));
    let id = Uuid::from_u128(8);
    for name in ["t1", "other"] {
        let id = if name == "t1" { id } else { Uuid::from_u128(9) };
        rig.image.apply(&Metadata::Topic { name: name.into(), id });
        rig.image.apply(&Metadata::Partition {
            topic_id: id,
            partition: 0,
            state: PartitionState::of_one(0),
        });
    }
    assert_eq!(rig.beat(beat("a", 2)), Ok((3, Some(8))));
    rig.image.apply(&Metadata::RemoveTopic { id });
    assert_eq!(rig.beat(beat("a", 3)), Ok((3, Some(7))), "it is told to let go of what is gone");
    let owned = Some(rig.assigned("a"));
    assert_eq!(rig.beat(ConsumerHeartbeat { owned, ..beat("a", 3) }), Ok((4, None)));
    rig.check_replay();
}

#[test]
fn members_that_are_silent_or_hold_on_are_taken_out() {
    let mut rig = Rig::new(24);
    rig.beat(joining("a")).unwrap();
    rig.beat(joining("b")).unwrap();
    rig.beat(beat("a", 1)).unwrap();
    for _ in 0..6 {
        rig.pass_ms(5_000);
        let held = rig.beat(beat("a", 1));
        if held == Err(ErrorCode::UnknownMemberId) {
            break;
        }
        rig.beat(beat("b", 2)).unwrap();
    }
    assert_eq!(
        rig.beat(beat("a", 1)),
        Err(ErrorCode::UnknownMemberId),
        "a held on for its rebalance timeout"
    );
    assert_eq!(rig.beat(beat("b", 2)).map(|(epoch, _)| epoch), Ok(3));
    rig.pass_ms(46_000);
    assert_eq!(rig.state(), "Empty");
    rig.check_replay();
}

#[test]
fn c47_all_who_fall_silent_together_cost_one_epoch_and_one_alone_does_not_wait() {
    let mut rig = Rig::new(25);
    let expires_ms = rig.now_ms + 45_000;
    for member in ["a", "b", "c"] {
        rig.beat(joining(member)).unwrap();
        rig.pass_ms(1_700);
    }
    let epoch = |rig: &Rig| rig.machine.groups.values().map(generation).max().unwrap();
    // Only a falls silent: it is taken out when its session has run out.
    let others = |rig: &mut Rig| {
        for member in ["b", "c"] {
            rig.beat(beat(member, 0)).unwrap();
        }
    };
    while rig.now_ms < expires_ms - 3_000 {
        others(&mut rig);
        rig.pass_ms(2_500);
    }
    others(&mut rig);
    assert_eq!((epoch(&rig), rig.now_ms < expires_ms), (3, true));
    rig.pass_ms(expires_ms - rig.now_ms);
    assert_eq!(epoch(&rig), 4);
    // Then the others, each with another last heartbeat.
    rig.pass_ms(1_000);
    rig.beat(beat("c", 0)).unwrap();
    rig.pass_ms(60_000);
    assert_eq!((rig.state(), epoch(&rig)), ("Empty", 5));
    rig.check_replay();
}

// --- by chance ----------------------------------------------------------------------------------------------------------

/// A consumer of the new protocol as it behaves: what it believes to have, and what it was told.
#[derive(Default)]
struct Client {
    epoch: i32,
    owned: Assignment,
}

#[test]
fn after_every_step_the_state_is_what_a_replay_makes_and_a_partition_has_one_owner() {
    for seed in 0..20 {
        let mut rig = Rig::new(seed);
        let mut random = Random::from_seed(seed ^ 0x5eed);
        let mut clients: BTreeMap<String, Client> = BTreeMap::new();
        let mut partitions = PARTITIONS;
        let mut epoch_before = 0;
        for _ in 0..120 {
            match random.next_u64() % 16 {
                0 if partitions < 12 => {
                    rig.grow(partitions);
                    partitions += 1;
                }
                1 => rig.pass_ms((random.next_u64() % 20_000) as i64),
                _ => consumer_step(&mut rig, &mut random, &mut clients),
            }
            rig.check_replay();
            check_owners(&clients);
            let epoch = rig.machine.groups.get("g").map_or(epoch_before, generation);
            assert!(epoch >= epoch_before, "epochs only grow");
            epoch_before = epoch;
        }
    }
}

fn consumer_step(rig: &mut Rig, random: &mut Random, clients: &mut BTreeMap<String, Client>) {
    let id = ["a", "b", "c", "d"][(random.next_u64() % 4) as usize].to_owned();
    let client = clients.entry(id.clone()).or_default();
    let asked = match random.next_u64() % 12 {
        0 if client.epoch > 0 => beat(&id, -1),
        _ if client.epoch == 0 => joining(&id),
        // A full one, and one that says only what it has.
        1 => ConsumerHeartbeat {
            rebalance_timeout_ms: 30_000,
            topics: Some(vec!["t".into()]),
            owned: Some(client.owned.clone()),
            ..beat(&id, client.epoch)
        },
        _ => ConsumerHeartbeat { owned: Some(client.owned.clone()), ..beat(&id, client.epoch) },
    };
    let reply = rig.ask("g", GroupAsk::ConsumerHeartbeat(Box::new(asked)));
    // Some answers are lost.
    let is_lost = random.next_u64().is_multiple_of(8);
    match reply {
        Ok(GroupAnswer::Beaten(beaten)) if beaten.epoch == -1 => *client = Client::default(),
        Ok(GroupAnswer::Beaten(_)) if is_lost => {}
        Ok(GroupAnswer::Beaten(beaten)) => {
            client.epoch = beaten.epoch;
            if let Some(assignment) = beaten.assignment {
                client.owned = assignment;
            }
        }
        Ok(GroupAnswer::Refused(..)) => *client = Client::default(),
        other => panic!("not a heartbeat's answer: {other:?}"),
    }
    // Who was taken out for silence finds out by its next heartbeat; until then it must be told apart.
    let live: BTreeSet<Arc<str>> = match rig.machine.groups.get("g").map(|group| &group.kind) {
        Some(Kind::Consumer(group)) => group.epochs().1.into_keys().collect(),
        _ => BTreeSet::new(),
    };
    for (id, client) in clients.iter_mut() {
        if !live.contains(id.as_str()) {
            *client = Client::default();
        }
    }
}

fn check_owners(clients: &BTreeMap<String, Client>) {
    let mut seen = BTreeSet::new();
    for (id, client) in clients {
        for (topic, partitions) in &client.owned {
            for partition in partitions {
                assert!(
                    seen.insert((*topic, *partition)),
                    "{id} has {partition} of {topic}, and another too"
                );
            }
        }
    }
}

#[test]
fn after_every_step_of_classic_members_the_state_is_what_a_replay_makes() {
    for seed in 0..20 {
        let mut rig = Rig::new(seed);
        let mut random = Random::from_seed(seed ^ 0xc1a5);
        // Members as they know themselves: id and generation.
        let mut members: Vec<(String, i32)> = Vec::new();
        let mut joining: Vec<u32> = Vec::new();
        for _ in 0..150 {
            let pick = |random: &mut Random, count: usize| (random.next_u64() % count.max(1) as u64) as usize;
            let at = pick(&mut random, members.len());
            let member = members.get(at).cloned();
            match (random.next_u64() % 10, member) {
                (0, _) => rig.pass_ms((random.next_u64() % 15_000) as i64),
                (1, _) => rig.pass_ms(250),
                (2, _) => joining.push(rig.send("g", GroupAsk::Join(join("")))),
                (3, Some((id, _))) => {
                    members.remove(at);
                    joining.push(rig.send("g", GroupAsk::Join(join(&id))));
                }
                (4, Some((id, _))) => {
                    rig.send("g", GroupAsk::Leave(vec![Leaving { member: id, ..Default::default() }]));
                    members.remove(at);
                }
                (5, Some((id, generation))) => _ = rig.send("g", commit(who(&id, generation), 9)),
                (6, Some((id, generation))) => {
                    _ = rig.send("g", GroupAsk::Heartbeat(who(&id, generation)));
                }
                (_, Some((id, generation))) => _ = rig.send("g", sync(&id, generation, &[(&id, "all")])),
                (_, None) => {}
            }
            joining.retain(|number| match rig.replies.remove(number) {
                None => true,
                Some(Ok(GroupAnswer::Joined(joined))) => {
                    members.push((joined.member, joined.generation));
                    false
                }
                Some(_) => false,
            });
            rig.check_replay();
        }
    }
}
