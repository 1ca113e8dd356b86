//! The state machine by its table and by chance: what it answers in each state, and that a replay of its records makes it
//! again.

use std::sync::Arc;

use shard::ShardId;
use shard::random::Random;

use super::super::ask::End;
use super::*;
use crate::config::ServerConfig;
use crate::mail::PendingId;

/// A coordinator, its clock, and all that it has written and sent.
struct Rig {
    machine: Coordinator,
    config: ServerConfig,
    now_ms: i64,
    question: u32,
    log: Vec<Record>,
    replies: BTreeMap<u32, TxnReply>,
    markers: Vec<Markers>,
    fresh_id: i64,
}

const TIMEOUT_MS: i32 = 60_000;
const V1: i16 = 0;
const V2: i16 = 2;

impl Rig {
    fn new() -> Rig {
        Rig {
            machine: Coordinator::default(),
            config: ServerConfig::new(Vec::new(), "machine").unwrap(),
            now_ms: 1_000,
            question: 0,
            log: Vec::new(),
            replies: BTreeMap::new(),
            markers: Vec::new(),
            fresh_id: 1000,
        }
    }

    fn step(&mut self, step: impl FnOnce(&mut Coordinator, &Env<'_>, ReplyTo) -> Effects) -> u32 {
        self.question += 1;
        let wall_ms = 1_700_000_000_000 + self.now_ms;
        let env = Env { now_ms: self.now_ms, wall_ms, settings: self.config.values() };
        let to = (PendingId { origin: ShardId(0), number: 0 }, self.question);
        let effects = step(&mut self.machine, &env, to);
        self.log.extend(effects.records);
        self.markers.extend(effects.markers);
        for ((_, number), reply) in effects.replies {
            assert!(self.replies.insert(number, reply).is_none(), "a question is answered once");
        }
        self.question
    }

    fn send(&mut self, ask: TxnAsk) -> u32 {
        self.step(|machine, env, to| machine.on_ask(env, to, &"tx".into(), ask))
    }

    /// Asks what is answered at once.
    fn ask(&mut self, ask: TxnAsk) -> TxnReply {
        let number = self.send(ask);
        self.replies.remove(&number).expect("an answer at once")
    }

    fn init(&mut self, expected: Option<(i64, i16)>) -> Result<(i64, i16), ErrorCode> {
        self.fresh_id += 1;
        let expected = expected.map(|(id, epoch)| Producer { id, epoch });
        let init = Init { timeout_ms: TIMEOUT_MS, expected, fresh_id: Some(self.fresh_id) };
        producer_of(self.ask(TxnAsk::Init(init)))
    }

    fn add(&mut self, producer: (i64, i16), partitions: &[i32], version: i16) -> TxnReply {
        self.ask(adding(producer, partitions, version, false))
    }

    fn end(&mut self, producer: (i64, i16), is_commit: bool, version: i16) -> Result<(i64, i16), ErrorCode> {
        self.fresh_id += 1;
        let producer = Producer { id: producer.0, epoch: producer.1 };
        let end = End { producer, is_commit, version, fresh_id: Some(self.fresh_id) };
        producer_of(self.ask(TxnAsk::End(end)))
    }

    /// All partitions that are to be marked are.
    fn mark_all(&mut self) {
        for markers in std::mem::take(&mut self.markers) {
            for partition in &markers.partitions {
                self.step(|machine, env, _| machine.on_marked(env, &markers.id, markers.producer, partition));
            }
        }
    }

    fn pass_ms(&mut self, ms: i64) {
        self.now_ms += ms;
        while self.machine.next_deadline().is_some_and(|at_ms| at_ms <= self.now_ms) {
            self.step(|machine, env, _| machine.on_time(env).unwrap_or_default());
        }
    }

    fn state(&self) -> Option<State> {
        self.machine.txns.get("tx").map(|txn| txn.saved.state)
    }

    fn epoch(&self) -> i16 {
        self.machine.txns["tx"].saved.producer_epoch
    }

    fn set_epoch(&mut self, epoch: i16) {
        self.machine.txns.get_mut("tx").unwrap().saved.producer_epoch = epoch;
    }

    fn check_replay(&self) {
        let mut again = Coordinator::default();
        for record in &self.log {
            let (key, value) = record.encode();
            again.apply(Record::decode(&key, value.as_deref()).unwrap().unwrap());
        }
        let saved = |machine: &Coordinator| -> BTreeMap<Arc<str>, Saved> {
            machine.txns.iter().map(|(id, txn)| (id.clone(), txn.saved.clone())).collect()
        };
        assert_eq!(saved(&again), saved(&self.machine));
    }
}

fn producer_of(reply: TxnReply) -> Result<(i64, i16), ErrorCode> {
    reply.map(|answer| match answer {
        TxnAnswer::Producer(producer) => (producer.id, producer.epoch),
        other => panic!("not a producer: {other:?}"),
    })
}

fn adding(producer: (i64, i16), partitions: &[i32], version: i16, may_wait: bool) -> TxnAsk {
    TxnAsk::Add(Add {
        producer: Producer { id: producer.0, epoch: producer.1 },
        partitions: partitions.iter().map(|partition| (Arc::from("t"), *partition)).collect(),
        version,
        may_wait,
    })
}

/// A rig whose id stands in a state; and its producer, as the client knows it.
fn in_state(state: &str, version: i16) -> (Rig, (i64, i16)) {
    let mut rig = Rig::new();
    if state == "none" {
        return (rig, (1, 0));
    }
    let mut producer = rig.init(None).unwrap();
    if state != "Empty" {
        assert_eq!(rig.add(producer, &[0, 1], version), Ok(TxnAnswer::Done));
    }
    if state.starts_with("Prepare") || state.starts_with("Complete") {
        producer = rig.end(producer, state.ends_with("Commit"), version).unwrap();
    }
    if state.starts_with("Complete") {
        rig.mark_all();
    }
    assert_eq!(rig.state().unwrap().name(), state);
    (rig, producer)
}

/// What came of a request, in the table's words.
fn word_of(rig: &Rig, before: Option<State>, epoch_before: i16, reply: &TxnReply) -> String {
    let has_changed = rig.state() != before || rig.log.len() > 1 && before == Some(State::CompleteAbort);
    match reply {
        Err(error) if before == Some(State::Ongoing) && rig.state() == Some(State::PrepareAbort) => {
            format!("{}, abort", error.code())
        }
        Err(error) => error.code().to_string(),
        Ok(TxnAnswer::PerPartition(errors)) if errors[0].is_none() => "ok".to_owned(),
        Ok(TxnAnswer::PerPartition(errors)) => errors[0].code().to_string(),
        Ok(TxnAnswer::Done) => rig.state().unwrap().name().to_owned(),
        Ok(TxnAnswer::Producer(_)) if before.is_none() => "new".to_owned(),
        Ok(TxnAnswer::Producer(producer)) if rig.state() == Some(State::Empty) => {
            assert_eq!(producer.epoch, epoch_before + 1);
            "bump".to_owned()
        }
        Ok(TxnAnswer::Producer(_)) if has_changed && rig.epoch() != epoch_before => {
            rig.state().unwrap().name().to_owned()
        }
        Ok(TxnAnswer::Producer(_)) if rig.state() != before => rig.state().unwrap().name().to_owned(),
        Ok(TxnAnswer::Producer(_)) => "ok".to_owned(),
        Ok(other) => panic!("not an answer of the table: {other:?}"),
    }
}

#[test]
fn every_state_answers_every_request_as_the_table_says() {
    let text = include_str!("../coordinator.rs");
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! |"));
    let rows: Vec<Vec<String>> = rows
        .map(|row| row.replace("\\|", "/").split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect();
    let (head, rows) = (&rows[0], &rows[2..]);
    assert_eq!(head[1..6], ["init", "add", "verify", "commit", "abort"]);
    assert_eq!(rows.len(), 7, "one row for each state that an id can be in, and one for none");
    for row in rows {
        for (request, cell) in head[1..6].iter().zip(&row[1..]) {
            for version in [V1, V2] {
                let expected = cell.split(" / ").nth(usize::from(version == V2)).unwrap_or(cell);
                let (mut rig, producer) = in_state(&row[0], version);
                let (before, log_len) = (rig.state(), rig.log.len());
                let epoch_before = if before.is_some() { rig.epoch() } else { 0 };
                rig.log.drain(..log_len);
                let named = Producer { id: producer.0, epoch: producer.1 };
                let end =
                    |is_commit| TxnAsk::End(End { producer: named, is_commit, version, fresh_id: None });
                let reply = rig.ask(match request.as_str() {
                    "init" => {
                        TxnAsk::Init(Init { timeout_ms: TIMEOUT_MS, expected: None, fresh_id: Some(7) })
                    }
                    "add" => adding(producer, &[2], version, false),
                    "verify" => TxnAsk::Verify(named, vec![("t".into(), 0)]),
                    "commit" => end(true),
                    _ => end(false),
                });
                let got = word_of(&rig, before, epoch_before, &reply);
                assert_eq!(got, expected, "{} in {} by version {version}", request, row[0]);
            }
        }
    }
}

#[test]
fn c39_the_end_of_what_has_ended_is_told_apart_by_its_epoch() {
    // Version 1: the same request again, and the opposite one.
    let (mut rig, producer) = in_state("CompleteCommit", V1);
    assert_eq!(rig.end(producer, true, V1), Ok(producer));
    assert_eq!(rig.end(producer, false, V1), Err(ErrorCode::InvalidTxnState));
    // Version 2: a repetition has the epoch before, and is told the new one again.
    let (mut rig, (id, epoch)) = in_state("CompleteCommit", V2);
    assert_eq!(rig.end((id, epoch - 1), true, V2), Ok((id, epoch)));
    assert_eq!(rig.end((id, epoch - 1), false, V2), Err(ErrorCode::InvalidTxnState));
    assert_eq!(rig.end((id, epoch - 2), true, V2), Err(ErrorCode::ProducerFenced));
    // Once the next has begun, an old request touches nothing.
    assert_eq!(rig.add((id, epoch), &[0], V2), Ok(TxnAnswer::Done));
    for is_commit in [true, false] {
        assert_eq!(rig.end((id, epoch - 1), is_commit, V2), Err(ErrorCode::ProducerFenced));
    }
    assert_eq!(rig.state(), Some(State::Ongoing));
    let (mut rig, (id, epoch)) = in_state("PrepareCommit", V2);
    assert_eq!(rig.end((id, epoch - 1), true, V2), Err(ErrorCode::ConcurrentTransactions));
}

#[test]
fn q46_init_on_an_open_transaction_aborts_it_and_fences_its_producer() {
    for version in [V1, V2] {
        let (mut rig, (id, epoch)) = in_state("Ongoing", version);
        assert_eq!(rig.init(None), Err(ErrorCode::ConcurrentTransactions));
        assert_eq!(rig.init(None), Err(ErrorCode::ConcurrentTransactions));
        assert_eq!(rig.markers.len(), 1);
        assert_eq!((rig.markers[0].is_commit, rig.markers[0].producer.epoch), (false, epoch + 1));
        rig.mark_all();
        // The old producer is not told that it did this, nor which epoch came of it.
        for is_commit in [true, false] {
            assert_eq!(rig.end((id, epoch), is_commit, version), Err(ErrorCode::ProducerFenced));
        }
        assert_eq!(rig.init(None), Ok((id, epoch + 2)));
        rig.check_replay();
    }
}

#[test]
fn q46_kip_360_a_producer_goes_on_with_its_own_epoch_only() {
    let (mut rig, (id, epoch)) = in_state("CompleteAbort", V1);
    assert_eq!(rig.init(Some((id + 9, epoch))), Err(ErrorCode::ProducerFenced), "another id");
    assert_eq!(rig.init(Some((id, epoch + 1))), Err(ErrorCode::ProducerFenced), "a later epoch");
    assert_eq!(rig.init(Some((id, epoch))), Ok((id, epoch + 1)));
    assert_eq!(rig.init(Some((id, epoch))), Ok((id, epoch + 1)), "the answer was lost");
    assert_eq!(rig.init(None), Ok((id, epoch + 2)), "another producer comes");
    assert_eq!(rig.init(Some((id, epoch + 1))), Err(ErrorCode::ProducerFenced));
    let (mut rig, (id, epoch)) = in_state("Ongoing", V2);
    assert_eq!(rig.init(Some((id, epoch - 1))), Err(ErrorCode::ProducerFenced), "an old one aborts nothing");
    assert_eq!(rig.state(), Some(State::Ongoing));
}

#[test]
fn q46_used_up_epochs_bring_another_producer_id() {
    let (mut rig, (id, _)) = in_state("CompleteCommit", V1);
    rig.set_epoch(EPOCH_MAX);
    let without_id = Init { timeout_ms: TIMEOUT_MS, expected: None, fresh_id: None };
    assert_eq!(rig.ask(TxnAsk::Init(without_id)), Ok(TxnAnswer::NeedsProducerId));
    let (next, epoch) = rig.init(Some((id, EPOCH_MAX))).unwrap();
    assert!(next != id && epoch == 0);
    assert_eq!(
        rig.init(Some((id, EPOCH_MAX))).map(|(id, _)| id),
        Err(ErrorCode::ProducerFenced).or(Ok(next))
    );
}

#[test]
fn an_epoch_that_only_fences_is_nobodys() {
    for version in [V1, V2] {
        let (mut rig, (id, _)) = in_state("Ongoing", version);
        rig.set_epoch(EPOCH_MAX);
        assert_eq!(rig.init(None), Err(ErrorCode::ConcurrentTransactions));
        rig.mark_all();
        assert_eq!(rig.epoch(), i16::MAX);
        assert_eq!(rig.add((id, i16::MAX), &[0], version), Err(ErrorCode::ProducerFenced));
        for is_commit in [true, false] {
            assert_eq!(rig.end((id, i16::MAX), is_commit, version), Err(ErrorCode::ProducerFenced));
        }
        assert!(rig.init(None).is_ok_and(|(next, epoch)| next != id && epoch == 0));
    }
}

#[test]
fn kip_890_used_up_epochs_bring_another_producer_id_at_the_end_of_a_transaction() {
    let (mut rig, (id, _)) = in_state("Ongoing", V2);
    rig.set_epoch(EPOCH_MAX);
    let producer = Producer { id, epoch: EPOCH_MAX };
    let end = End { producer, is_commit: true, version: V2, fresh_id: None };
    assert_eq!(rig.ask(TxnAsk::End(end)), Ok(TxnAnswer::NeedsProducerId));
    assert_eq!(rig.state(), Some(State::Ongoing), "nothing is decided without it");
    let (next, epoch) = rig.end((id, EPOCH_MAX), true, V2).unwrap();
    assert!(next != id && epoch == 0);
    assert_eq!(
        rig.markers[0].producer,
        Producer { id, epoch: i16::MAX },
        "the last epoch fences the old one"
    );
    assert_eq!(rig.add((next, 0), &[0], V2), Err(ErrorCode::ConcurrentTransactions), "not complete yet");
    rig.mark_all();
    assert_eq!(rig.end((id, EPOCH_MAX), true, V2), Ok((next, 0)), "the answer was lost");
    assert_eq!(rig.add((next, 0), &[0], V2), Ok(TxnAnswer::Done));
    rig.check_replay();
}

#[test]
fn q50_a_transaction_that_is_open_for_too_long_is_aborted() {
    for version in [V1, V2] {
        let (mut rig, (id, epoch)) = in_state("Ongoing", version);
        rig.pass_ms(i64::from(TIMEOUT_MS) - 1);
        assert_eq!(
            rig.add((id, epoch), &[5], version),
            Ok(TxnAnswer::Done),
            "more partitions give no more time"
        );
        assert_eq!(rig.state(), Some(State::Ongoing));
        rig.pass_ms(1);
        assert_eq!(rig.state(), Some(State::PrepareAbort));
        rig.mark_all();
        assert_eq!(rig.state(), Some(State::CompleteAbort));
        assert_eq!(rig.add((id, epoch), &[0], version), Err(ErrorCode::ProducerFenced));
        assert_eq!(rig.end((id, epoch), true, version), Err(ErrorCode::ProducerFenced));
        rig.check_replay();
    }
}

#[test]
fn what_may_wait_for_the_markers_waits_and_not_for_ever() {
    let (mut rig, producer) = in_state("PrepareCommit", V2);
    let waiting = rig.send(adding(producer, &[3], V2, true));
    assert_eq!(rig.replies.get(&waiting), None);
    rig.mark_all();
    assert_eq!(rig.replies.remove(&waiting), Some(Ok(TxnAnswer::Done)));
    assert_eq!(rig.state(), Some(State::Ongoing));
    let (mut rig, producer) = in_state("PrepareAbort", V2);
    let all: Vec<u32> = (0..=WAITING_MAX).map(|_| rig.send(adding(producer, &[3], V2, true))).collect();
    let refused = Some(Err(ErrorCode::ConcurrentTransactions));
    assert_eq!(rig.replies.remove(&all[WAITING_MAX]), refused, "so many wait at most");
    rig.pass_ms(WAIT_MS);
    assert!(all[..WAITING_MAX].iter().all(|number| rig.replies.remove(number) == refused));
    assert_eq!(rig.state(), Some(State::PrepareAbort), "what is decided stays so");
}

#[test]
fn an_id_expires_when_it_begins_nothing_and_never_in_a_transaction() {
    let week_ms = 604_800_000;
    for (state, expires) in [("Empty", true), ("CompleteCommit", true), ("PrepareAbort", false)] {
        let (mut rig, _) = in_state(state, V2);
        for (after_ms, is_left) in [(week_ms - 1, true), (1, !expires)] {
            rig.now_ms += after_ms;
            rig.step(|machine, env, _| machine.expire(env).0);
            assert_eq!(rig.machine.id_count() == 1, is_left, "{state}");
        }
        rig.check_replay();
    }
}

#[test]
fn a_load_ends_what_was_decided_and_gives_what_is_open_the_rest_of_its_time() {
    let (rig, _) = in_state("PrepareCommit", V2);
    let mut again = Rig::new();
    rig.log.iter().for_each(|record| again.machine.apply(record.clone()));
    again.step(|machine, env, _| machine.on_loaded(env));
    assert_eq!(again.markers, rig.markers);
    again.mark_all();
    assert_eq!(again.state(), Some(State::CompleteCommit));
    let (rig, _) = in_state("Ongoing", V1);
    let mut again = Rig::new();
    rig.log.iter().for_each(|record| again.machine.apply(record.clone()));
    again.now_ms += 50_000;
    again.step(|machine, env, _| machine.on_loaded(env));
    again.pass_ms(9_999);
    assert_eq!(again.state(), Some(State::Ongoing));
    again.pass_ms(1);
    assert_eq!(again.state(), Some(State::PrepareAbort));
}

#[test]
fn after_every_step_the_state_is_what_a_replay_makes() {
    for seed in 0..50 {
        let mut rig = Rig::new();
        let mut random = Random::from_seed(seed);
        let mut known = (0, 0);
        for _ in 0..200 {
            let version = if random.next_u64().is_multiple_of(4) { V1 } else { V2 };
            let partition = (random.next_u64() % 4) as i32;
            let stale = (known.0, known.1 - 1);
            let told = match random.next_u64() % 12 {
                0 => rig.init(None).ok(),
                1 => rig.init(Some(known)).ok(),
                2 => rig.end(stale, true, version).ok().map(|_| known),
                3 => {
                    rig.pass_ms((random.next_u64() % 40_000) as i64);
                    None
                }
                4 | 5 => {
                    rig.mark_all();
                    None
                }
                6 | 7 => rig.end(known, random.next_u64().is_multiple_of(2), version).ok(),
                8 if rig.state().is_some() && random.next_u64().is_multiple_of(8) => {
                    // Near the end of the epochs, as if there had been thousands.
                    if !matches!(rig.state(), Some(State::PrepareAbort | State::PrepareCommit)) {
                        rig.set_epoch(EPOCH_MAX);
                        rig.log.push(Record {
                            id: "tx".into(),
                            saved: Some(rig.machine.txns["tx"].saved.clone()),
                        });
                        known.1 = EPOCH_MAX;
                    }
                    None
                }
                _ => {
                    _ = rig.add(known, &[partition], version);
                    None
                }
            };
            known = told.unwrap_or(known);
            rig.check_replay();
        }
    }
}
