//! Requests that wait for answers of partitions, on the core that took them in.

use std::sync::Arc;

use protocol::ApiKey;
use shard::ShardId;
use slab::Slab;
use storage::Offset;

use crate::answer::Answer;
use crate::api::fetch::FetchState;
use crate::mail::PendingId;
use crate::metadata::Image;
use crate::request::Request;

/// One request and the answers that have come.
#[derive(Debug)]
pub struct Pending {
    /// The request.
    pub request: Request,
    /// Answers by the questions' numbers.
    pub answers: Vec<Option<Answer>>,
    /// Answers that have not come.
    pub left: usize,
    /// What a fetch remembers between its rounds.
    pub fetch: Option<Box<FetchState>>,
    /// Writes that wait for the coordinator of transactions: the question's number, and what its answer is held against.
    pub verifying: Vec<(u32, Offset)>,
    /// The metadata that the questions were made from, where the answer needs it again.
    pub image: Option<Arc<Image>>,
}

impl Pending {
    /// One more question, behind the others; gives its number.
    pub fn add_question(&mut self) -> u32 {
        self.answers.push(None);
        self.left += 1;
        (self.answers.len() - 1) as u32
    }

    /// Takes the last question's answer out, and the question with it.
    pub fn take_question(&mut self) -> Answer {
        self.answers.pop().flatten().expect("the question is answered")
    }

    /// A question is asked again; its answer so far is dropped.
    pub fn reopen(&mut self, number: u32) {
        self.answers[number as usize] = None;
        self.left += 1;
    }

    /// The answers, all there.
    pub fn take_answers(&mut self) -> impl Iterator<Item = Answer> {
        assert_eq!(self.left, 0, "a request is finished when all answers are there");
        std::mem::take(&mut self.answers)
            .into_iter()
            .map(|answer| answer.expect("every question is answered"))
    }
}

/// One core's waiting requests.
#[derive(Debug)]
pub struct PendingRequests {
    origin: ShardId,
    slots: Slab<(u32, Pending)>,
    sequence: u32,
}

impl PendingRequests {
    /// None yet.
    pub fn new(origin: ShardId) -> PendingRequests {
        PendingRequests { origin, slots: Slab::new(), sequence: 0 }
    }

    /// Keeps a request that asks `question_count` questions.
    pub fn insert(
        &mut self,
        request: Request,
        question_count: usize,
        fetch: Option<Box<FetchState>>,
    ) -> PendingId {
        self.sequence = self.sequence.wrapping_add(1);
        let answers = (0..question_count).map(|_| None).collect();
        let pending =
            Pending { request, answers, left: question_count, fetch, verifying: Vec::new(), image: None };
        let key = self.slots.insert((self.sequence, pending));
        PendingId { origin: self.origin, number: (u64::from(self.sequence) << 32) | key as u64 }
    }

    /// A request that still waits.
    pub fn get_mut(&mut self, id: PendingId) -> Option<&mut Pending> {
        let (key, sequence) = split(id);
        self.slots.get_mut(key).filter(|(own, _)| *own == sequence).map(|(_, pending)| pending)
    }

    /// Takes a request out.
    pub fn remove(&mut self, id: PendingId) -> Option<Pending> {
        self.get_mut(id)?;
        Some(self.slots.remove(split(id).0).1)
    }

    /// Takes one answer in; `true` if it was the last. Answers to requests that are gone are dropped.
    pub fn on_answer(&mut self, id: PendingId, number: u32, answer: Answer) -> bool {
        let Some(pending) = self.get_mut(id) else { return false };
        let slot = &mut pending.answers[number as usize];
        assert!(slot.is_none(), "a question is answered once");
        *slot = Some(answer);
        pending.left -= 1;
        pending.left == 0
    }

    /// The request whose timer has this token: the lower 56 bits of its number.
    pub fn by_timer(&mut self, token: shard::Token) -> Option<PendingId> {
        let key = (token.0 & u64::from(u32::MAX)) as usize;
        let (sequence, _) = self.slots.get(key)?;
        let number = (u64::from(*sequence) << 32) | key as u64;
        let is_same = (number ^ token.0) & TIMER_BITS == 0;
        is_same.then_some(PendingId { origin: self.origin, number })
    }

    /// The key of a request that waits.
    pub fn key_of(&mut self, id: PendingId) -> Option<ApiKey> {
        self.get_mut(id).map(|pending| pending.request.key)
    }

    /// Bytes of records that wait for the rest of their answers.
    pub fn record_bytes(&self) -> usize {
        let answers = self.slots.iter().flat_map(|(_, (_, pending))| pending.answers.iter().flatten());
        let records = answers.filter_map(|answer| match answer {
            Answer::Fetched(fetched) => Some(fetched.records.len()),
            _ => None,
        });
        records.sum()
    }

    /// How many requests wait.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

/// The part of a number that a timer's token carries.
pub const TIMER_BITS: u64 = (1 << 56) - 1;

fn split(id: PendingId) -> (usize, u32) {
    ((id.number & u64::from(u32::MAX)) as usize, (id.number >> 32) as u32)
}
