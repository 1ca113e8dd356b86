//! Fetch sessions (KIP-227): a client that fetches many partitions tells them once, and later only what changes.
//!
//! ```text
//! request     (0, 0) full, make one    (id, n) changes since n-1    (id, 0) close, full    (x, -1) without
//! response    id, or 0: "none for you"    only partitions with something to tell
//! ```
//! A session lives on the core whose connection made it. A client that comes back by another core is told that it is not
//! known, and makes a new one; that is within the rules. A full cache drops the session idle longest, if that has been idle
//! for two minutes, else the new client goes without (Q61).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use protocol::{ErrorCode, FetchPartition, FetchView, Uuid};
use shard::Nanos;

use crate::answer::Fetched;
use crate::api::fetch::key_of;
use crate::mail::Turn;

/// A session must have been idle this long before it makes room (`min.incremental.fetch.session.eviction.ms`).
const IDLE_MIN: Duration = Duration::from_secs(120);

/// The first version whose sessions name topics by id; a session never changes between the two.
const TOPIC_ID_FROM: i16 = 13;

/// The epoch of a request without a session.
const NO_SESSION_EPOCH: i32 = -1;

/// A partition as a fetch names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FetchKey {
    /// The topic's name, where names are used.
    pub name: Option<Arc<str>>,
    /// The topic's id, where ids are used.
    pub topic_id: Uuid,
    /// The number.
    pub partition: i32,
}

impl FetchKey {
    /// Whether both are of one topic.
    pub fn is_same_topic(&self, other: &FetchKey) -> bool {
        self.name == other.name && self.topic_id == other.topic_id
    }
}

/// What a fetch wants of a partition.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Which.
    pub key: FetchKey,
    /// Where to begin.
    pub offset: i64,
    /// How many bytes at most.
    pub max_bytes: i32,
    /// The leader epoch that the client knows, or -1.
    pub current_leader_epoch: i32,
    /// The epoch of the record before `offset`, or -1.
    pub last_fetched_epoch: i32,
}

impl Wanted {
    fn new(key: FetchKey, partition: &FetchPartition) -> Wanted {
        Wanted {
            key,
            offset: partition.fetch_offset,
            max_bytes: partition.max_bytes,
            current_leader_epoch: partition.current_leader_epoch,
            last_fetched_epoch: partition.last_fetched_epoch,
        }
    }
}

/// What was told of a partition last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Told {
    high_watermark: i64,
    log_start_offset: i64,
}

#[derive(Debug)]
struct Session {
    /// The epoch that the next request must have.
    epoch: i32,
    has_ids: bool,
    /// In the order to serve: one that returned data moves to the end (Q58).
    partitions: Vec<(Wanted, Option<Told>)>,
    last_used: Nanos,
    /// Whether a fetch of it is under way; only the newest answer counts.
    generation: u64,
}

/// Which session a fetch belongs to.
#[derive(Debug)]
pub enum SessionChoice {
    /// None.
    Without,
    /// A new one, if there is room when the fetch is answered.
    New {
        /// Its id, 0 while there is none.
        id: i32,
        /// Whether topics are named by id.
        has_ids: bool,
    },
    /// This one; only what is new is told.
    Incremental {
        /// Its id.
        id: i32,
        /// The fetch within it.
        generation: u64,
    },
}

impl SessionChoice {
    /// The id to answer.
    pub fn id(&self) -> i32 {
        match self {
            SessionChoice::Without => 0,
            SessionChoice::New { id, .. } | SessionChoice::Incremental { id, .. } => *id,
        }
    }
}

/// One core's sessions.
#[derive(Debug)]
pub struct FetchSessions {
    sessions: HashMap<i32, Session>,
    count_max: usize,
    generation: u64,
}

impl FetchSessions {
    /// At most so many (`max.incremental.fetch.session.cache.slots`).
    pub fn new(count_max: usize) -> FetchSessions {
        FetchSessions { sessions: HashMap::new(), count_max, generation: 0 }
    }

    /// Reads what a request says of sessions; gives its session and the partitions to fetch.
    pub fn choose(
        &mut self,
        turn: &Turn<'_>,
        view: &FetchView<'_>,
        version: i16,
    ) -> Result<(SessionChoice, Vec<Wanted>), ErrorCode> {
        let has_ids = version >= TOPIC_ID_FROM;
        match (view.session_id, view.session_epoch) {
            (id, NO_SESSION_EPOCH) => {
                self.sessions.remove(&id);
                Ok((SessionChoice::Without, wanted_of(view, version)))
            }
            (id, 0) => {
                self.sessions.remove(&id);
                Ok((SessionChoice::New { id: 0, has_ids }, wanted_of(view, version)))
            }
            (id, epoch) => self.choose_incremental(turn, view, version, (id, epoch)),
        }
    }

    fn choose_incremental(
        &mut self,
        turn: &Turn<'_>,
        view: &FetchView<'_>,
        version: i16,
        (id, epoch): (i32, i32),
    ) -> Result<(SessionChoice, Vec<Wanted>), ErrorCode> {
        let session = self.sessions.get_mut(&id).ok_or(ErrorCode::FetchSessionIdNotFound)?;
        if session.has_ids != (version >= TOPIC_ID_FROM) {
            return Err(ErrorCode::FetchSessionTopicIdError);
        }
        if session.epoch != epoch {
            return Err(ErrorCode::InvalidFetchSessionEpoch);
        }
        session.epoch = next_epoch(epoch);
        session.last_used = turn.now;
        session.update(view, version);
        self.generation += 1;
        session.generation = self.generation;
        let wanted = session.partitions.iter().map(|(wanted, _)| wanted.clone()).collect();
        Ok((SessionChoice::Incremental { id, generation: self.generation }, wanted))
    }

    /// A fetch is about to be answered: which of its partitions are told, by their places.
    pub fn on_answered(
        &mut self,
        turn: &Turn<'_>,
        choice: &mut SessionChoice,
        wanted: &[Wanted],
        fetched: &[Fetched],
    ) -> Vec<usize> {
        match choice {
            SessionChoice::Without => (0..wanted.len()).collect(),
            SessionChoice::New { id, has_ids } => {
                *id = self.insert(turn, *has_ids, wanted, fetched);
                (0..wanted.len()).collect()
            }
            SessionChoice::Incremental { id, generation } => {
                let session = self.sessions.get_mut(id).filter(|session| session.generation == *generation);
                match session {
                    Some(session) => session.on_answered(wanted, fetched),
                    // Closed or changed meanwhile: everything is told, which is always right.
                    None => (0..wanted.len()).collect(),
                }
            }
        }
    }

    /// Makes a session and gives its id; 0 if there is no room, or nothing to remember.
    fn insert(&mut self, turn: &Turn<'_>, has_ids: bool, wanted: &[Wanted], fetched: &[Fetched]) -> i32 {
        if wanted.is_empty() || !self.make_room(turn.now) {
            return 0;
        }
        let random = turn.random_u64 ^ self.generation.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut id = (random as i32) & i32::MAX;
        while id == 0 || self.sessions.contains_key(&id) {
            id = id.wrapping_add(1) & i32::MAX;
        }
        self.generation += 1;
        let told = fetched.iter().map(|fetched| Some(told_of(fetched)));
        let partitions = wanted.iter().cloned().zip(told).collect();
        let session =
            Session { epoch: 1, has_ids, partitions, last_used: turn.now, generation: self.generation };
        self.sessions.insert(id, session);
        id
    }

    fn make_room(&mut self, now: Nanos) -> bool {
        if self.sessions.len() < self.count_max {
            return true;
        }
        let oldest = self.sessions.iter().min_by_key(|(_, session)| session.last_used);
        match oldest.map(|(id, session)| (*id, session.last_used)) {
            Some((id, last_used)) if now.since(last_used) >= IDLE_MIN => {
                self.sessions.remove(&id);
                true
            }
            _ => false,
        }
    }

    /// How many sessions there are.
    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }
}

impl Session {
    /// Takes in what a request adds, changes and forgets.
    fn update(&mut self, view: &FetchView<'_>, version: i16) {
        let changes = wanted_of(view, version);
        let forgotten: Vec<FetchKey> = view
            .forgotten_topics()
            .flat_map(|topic| {
                let (name, id) = (topic.name, topic.topic_id);
                topic
                    .partitions()
                    .map(move |partition| key_of(version, name, id, partition))
                    .collect::<Vec<_>>()
            })
            .collect();
        if changes.is_empty() && forgotten.is_empty() {
            return;
        }
        let mut places: HashMap<FetchKey, usize> = self
            .partitions
            .iter()
            .enumerate()
            .map(|(place, (wanted, _))| (wanted.key.clone(), place))
            .collect();
        for wanted in changes {
            match places.get(&wanted.key) {
                Some(&place) => self.partitions[place].0 = wanted,
                None => {
                    places.insert(wanted.key.clone(), self.partitions.len());
                    self.partitions.push((wanted, None));
                }
            }
        }
        if !forgotten.is_empty() {
            let forgotten: std::collections::HashSet<FetchKey> = forgotten.into_iter().collect();
            self.partitions.retain(|(wanted, _)| !forgotten.contains(&wanted.key));
        }
    }

    /// Tells what is new (Q62), and moves partitions that returned data behind the others (Q58).
    fn on_answered(&mut self, wanted: &[Wanted], fetched: &[Fetched]) -> Vec<usize> {
        let mut shown = Vec::new();
        let mut moved = Vec::new();
        for (place, fetched) in fetched.iter().enumerate().take(wanted.len().min(self.partitions.len())) {
            let told = told_of(fetched);
            let last = &mut self.partitions[place].1;
            let is_new = *last != Some(told) || !fetched.error.is_none() || fetched.diverging.is_some();
            if is_new || !fetched.records.is_empty() {
                shown.push(place);
                // An error is told again and again until it is gone.
                *last = fetched.error.is_none().then_some(told);
            }
            if !fetched.records.is_empty() {
                moved.push(place);
            }
        }
        if !moved.is_empty() && moved.len() < self.partitions.len() {
            let mut behind = Vec::with_capacity(moved.len());
            for &place in moved.iter().rev() {
                behind.push(self.partitions.remove(place));
            }
            self.partitions.extend(behind.into_iter().rev());
        }
        shown
    }
}

fn told_of(fetched: &Fetched) -> Told {
    Told { high_watermark: fetched.high_watermark, log_start_offset: fetched.log_start_offset }
}

fn wanted_of(view: &FetchView<'_>, version: i16) -> Vec<Wanted> {
    let mut wanted = Vec::with_capacity(view.partition_count());
    for topic in view.topics() {
        let key = key_of(version, topic.name, topic.topic_id, 0);
        for partition in topic.partitions() {
            wanted.push(Wanted::new(FetchKey { partition: partition.index, ..key.clone() }, &partition));
        }
    }
    wanted
}

/// The epoch after this one; it wraps to 1, for 0 would mean a new session.
fn next_epoch(epoch: i32) -> i32 {
    if epoch == i32::MAX { 1 } else { epoch + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q61_epochs_wrap_to_1() {
        assert_eq!([1, 2, i32::MAX - 1, i32::MAX].map(next_epoch), [2, 3, i32::MAX, 1]);
    }
}
