//! A member of a consumer group (KIP-848): it works on what it is given, for as long as it may believe that it has it.
//!
//! A member owns a partition from the answer that gives it until the answer that takes it, or until its session would be over
//! by its own clock: then it takes itself for dead and begins anew. What it owns it commits offsets of.

use std::collections::BTreeMap;
use std::rc::Rc;

use protocol::messages::consumer_group_heartbeat_request::{ConsumerGroupHeartbeatRequest, TopicPartitions};
use protocol::messages::consumer_group_heartbeat_response::{Assignment, ConsumerGroupHeartbeatResponse};
use protocol::messages::offset_commit_response::OffsetCommitResponse;
use protocol::{ErrorCode, Uuid};
use shard::Nanos;

use super::committer::committed_in;
use crate::calls;
use crate::client::{Client, Context, Phase};
use crate::event::Event;
use crate::node::{address_of, address_of_client};
use crate::topics::{Place, SHARED};
use crate::wire::{Answer, Heard, Wire};

const GROUP: &str = "group";
/// As the nodes are set.
const SESSION_MS: i64 = 5_000;
const INTERVAL_MS: i64 = 500;
const REBALANCE_MS: i32 = 20_000;
/// Chance, at each heartbeat, that it leaves, and that it dies without a word; in a hundred.
const LEAVE_PERCENT: u64 = 2;
const DIE_PERCENT: u64 = 2;
/// How long somebody who has gone stays away.
const AWAY_MS_MAX: u64 = 2_000;
const COMMIT_PAUSE_MS_MAX: u64 = 200;

/// One member after another.
pub struct Member {
    wire: Wire,
    number: usize,
    life: u32,
    id: Rc<str>,
    epoch: i32,
    topic_id: Uuid,
    /// What it owns, and the offset that it commits next, once it knows.
    owned: BTreeMap<Place, Option<i64>>,
    /// When the heartbeat was sent that was answered last.
    alive_since: Nanos,
    asked: Option<Asked>,
    /// Everything is told with the next heartbeat.
    tells_all: bool,
    beat_at: Nanos,
    commit_at: Nanos,
    count: u32,
}

#[derive(Clone, Copy)]
enum Asked {
    Beat { at: Nanos },
    Commit { attempt: u32 },
    Committed { place: Place, question: u32 },
}

impl Member {
    /// Somebody who has not joined yet.
    pub fn new(number: usize) -> Member {
        let mut member = Member {
            wire: Wire::new(address_of_client(number), address_of(0)),
            number,
            life: 0,
            id: "".into(),
            epoch: 0,
            topic_id: Uuid::default(),
            owned: BTreeMap::new(),
            alive_since: Nanos::default(),
            asked: None,
            tells_all: true,
            beat_at: Nanos::default(),
            commit_at: Nanos::default(),
            count: 0,
        };
        member.be_born();
        member
    }

    fn be_born(&mut self) {
        self.life += 1;
        self.id = format!("m{}.{}", self.number, self.life).into();
        self.epoch = 0;
        self.tells_all = true;
    }

    fn release_all(&mut self, cx: &mut Context) {
        for (place, _) in std::mem::take(&mut self.owned) {
            cx.tell(Event::Released { member: self.id.clone(), place });
        }
    }

    /// Ends this life and begins another, `away_ms` later.
    fn begin_anew(&mut self, cx: &mut Context, away_ms: i64) {
        self.release_all(cx);
        self.wire.drop_connection(&cx.world, &mut cx.random);
        self.asked = None;
        self.be_born();
        self.beat_at = cx.now().plus_ms(away_ms);
    }

    fn ask(&mut self, cx: &mut Context) {
        if cx.now() >= self.beat_at {
            return self.beat(cx);
        }
        if cx.now() < self.commit_at || self.epoch == 0 || !cx.is_working() {
            return;
        }
        self.commit_at = cx.now().plus_ms(cx.random.below(COMMIT_PAUSE_MS_MAX) as i64);
        let Some(index) = (!self.owned.is_empty()).then(|| cx.random.below(self.owned.len() as u64)) else {
            return;
        };
        let (&place, next) = self.owned.iter_mut().nth(index as usize).expect("an index below the length");
        let number = self.number as u32 * 1_000_000 + self.count;
        self.count += 1;
        match next {
            None => {
                cx.tell(Event::CommittedAsked { group: GROUP, place, question: number });
                self.asked = Some(Asked::Committed { place, question: number });
                self.wire.ask(&cx.world, calls::OFFSET_FETCH, &calls::committed(GROUP, place));
            }
            Some(next) => {
                let offset = *next;
                *next += 1;
                cx.tell(Event::CommitAsked { group: GROUP, place, offset, attempt: number });
                self.asked = Some(Asked::Commit { attempt: number });
                let request = calls::commit(GROUP, (&self.id, self.epoch), place, offset);
                self.wire.ask(&cx.world, calls::OFFSET_COMMIT, &request);
            }
        }
    }

    fn beat(&mut self, cx: &mut Context) {
        let is_leaving = self.epoch > 0 && cx.phase < Phase::Recovering && cx.random.chance(LEAVE_PERCENT);
        let owned = || {
            let partitions: Vec<i32> = self.owned.keys().map(|place| place.partition).collect();
            let topics = (!partitions.is_empty()).then(|| TopicPartitions {
                topic_id: self.topic_id,
                partitions,
                ..Default::default()
            });
            topics.into_iter().collect()
        };
        let request = ConsumerGroupHeartbeatRequest {
            group_id: GROUP,
            member_id: &self.id,
            member_epoch: if is_leaving { -1 } else { self.epoch },
            rebalance_timeout_ms: if self.tells_all { REBALANCE_MS } else { -1 },
            subscribed_topic_names: self.tells_all.then(|| vec![SHARED.name]),
            topic_partitions: Some(owned()),
            ..Default::default()
        };
        self.wire.ask(&cx.world, calls::HEARTBEAT, &request);
        if is_leaving {
            // The farewell may be lost with the connection: then the session ends by itself.
            self.release_all(cx);
            self.be_born();
            self.asked = None;
            self.beat_at = cx.now().plus_ms(cx.random.below(AWAY_MS_MAX) as i64);
            return;
        }
        self.asked = Some(Asked::Beat { at: cx.now() });
        self.beat_at = cx.now().plus_ms(INTERVAL_MS);
    }

    fn on_answer(&mut self, cx: &mut Context, answer: &Answer) {
        match self.asked.take() {
            Some(Asked::Beat { at }) => self.on_beaten(cx, at, answer),
            Some(Asked::Commit { attempt }) => {
                let response: OffsetCommitResponse<'_> = answer.read();
                let is_taken = response.topics[0].partitions[0].error_code == ErrorCode::None.code();
                cx.tell(match is_taken {
                    true => Event::CommitAcked { group: GROUP, attempt },
                    false => Event::CommitRefused { group: GROUP, attempt },
                });
            }
            Some(Asked::Committed { place, question }) => {
                let Some(offset) = committed_in(answer) else { return };
                cx.tell(Event::CommittedRead { group: GROUP, place, question, offset });
                if let Some(next) = self.owned.get_mut(&place) {
                    *next = Some(offset.max(0) + 1);
                }
            }
            None => {}
        }
    }

    fn on_beaten(&mut self, cx: &mut Context, at: Nanos, answer: &Answer) {
        let response: ConsumerGroupHeartbeatResponse<'_> = answer.read();
        match ErrorCode::from_code(response.error_code) {
            Some(ErrorCode::None) => {
                self.alive_since = at;
                self.epoch = response.member_epoch;
                self.tells_all = false;
                if let Some(assignment) = &response.assignment {
                    self.take(cx, assignment);
                }
                cx.progress();
            }
            Some(ErrorCode::UnknownMemberId | ErrorCode::FencedMemberEpoch) => self.begin_anew(cx, 1),
            // The coordinator is being loaded, or its log has failed.
            _ => self.tells_all = true,
        }
    }

    fn take(&mut self, cx: &mut Context, assignment: &Assignment) {
        let mut given: BTreeMap<Place, Option<i64>> = BTreeMap::new();
        for topic in &assignment.topic_partitions {
            self.topic_id = topic.topic_id;
            given.extend(topic.partitions.iter().filter_map(|number| Some((SHARED.place(*number)?, None))));
        }
        let lost: Vec<Place> =
            self.owned.keys().filter(|place| !given.contains_key(place)).copied().collect();
        for place in lost {
            self.owned.remove(&place);
            cx.tell(Event::Released { member: self.id.clone(), place });
        }
        for place in given.into_keys().filter(|place| !self.owned.contains_key(place)).collect::<Vec<_>>() {
            self.owned.insert(place, None);
            cx.tell(Event::Owned { member: self.id.clone(), place });
        }
        // It tells at once what it has let go.
        self.beat_at = cx.now();
    }

    fn session_end(&self) -> Option<Nanos> {
        (self.epoch > 0).then(|| self.alive_since.plus_ms(SESSION_MS))
    }
}

impl Client for Member {
    fn name(&self) -> String {
        format!("member {} of the group", self.number)
    }

    fn poll(&mut self, cx: &mut Context) {
        // Before anything that has come in is looked at: it may have come too late.
        if self.session_end().is_some_and(|end| end <= cx.now()) {
            self.begin_anew(cx, 1);
        }
        while let Some(heard) = self.wire.hear(&cx.world, &mut cx.random) {
            match heard {
                Heard::Answer(answer) => self.on_answer(cx, &answer),
                Heard::Lost => {
                    self.asked = None;
                    self.tells_all = true;
                    self.beat_at = cx.now();
                }
            }
        }
        if self.wire.asked_count() > 0 || !self.wire.is_up(&cx.world) {
            return;
        }
        let may_die = cx.phase == Phase::Faulty && cx.now() >= self.beat_at;
        if may_die && cx.random.chance(DIE_PERCENT) {
            let away_ms = cx.random.below(AWAY_MS_MAX) as i64;
            return self.begin_anew(cx, away_ms);
        }
        self.ask(cx);
    }

    fn due(&self) -> Option<Nanos> {
        let own = [Some(self.beat_at), Some(self.commit_at), self.session_end()];
        own.into_iter().flatten().chain(self.wire.due()).filter(|at| *at > Nanos::default()).min()
    }

    fn is_quiet(&self) -> bool {
        !matches!(self.asked, Some(Asked::Commit { .. }))
    }
}
