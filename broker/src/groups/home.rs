//! What a group coordinator is to its home.

use protocol::{DecodeError, ErrorCode, Uuid};
use shard::Token;
use shard::random::Random;
use storage::{BatchHeader, Marker};

use super::TOPIC;
use super::coordinator::Coordinator;
use super::record::Record;
use super::step::{Effects, Env};
use crate::answer::Answer;
use crate::config::ServerValues;
use crate::homes::{Machine, Outcome, Parked, now_ms};
use crate::mail::Turn;
use crate::metadata::Image;

/// A coordinator of groups does nothing but answer.
#[derive(Debug)]
pub enum NoDeed {}

impl Machine for Coordinator {
    const TOPIC: &'static str = TOPIC;
    const SUBJECT: &'static str = "groups";
    type Env<'a> = Env<'a>;
    type Effects = Effects;
    type Deed = NoDeed;

    fn env<'a>(turn: &Turn<'_>, image: &'a Image, step: u64) -> Env<'a> {
        let mut random = Random::from_seed(turn.random_u64 ^ step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let bits = (u128::from(random.next_u64()) << 64) | u128::from(random.next_u64());
        Env {
            now_ms: now_ms(turn),
            wall_ms: turn.wall_ms.0,
            // A version-4 UUID, as Java makes them.
            fresh_id: Uuid::from_u128((bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62)),
            image,
        }
    }

    fn replay(&mut self, batch: &BatchHeader, key: &[u8], value: Option<&[u8]>) -> Result<(), DecodeError> {
        match Record::decode(key, value)? {
            Some(record) if batch.attributes.is_transactional() => {
                self.apply_staged(batch.producer_id.0, record);
            }
            Some(record) => self.apply(record),
            None => {}
        }
        Ok(())
    }

    fn replay_marker(&mut self, marker: &Marker) {
        self.apply_marker(marker.producer_id.0, marker.is_commit);
    }

    fn on_loaded(&mut self, env: &Env<'_>) -> Effects {
        self.on_loaded(env)
    }

    fn next_deadline(&self) -> Option<i64> {
        self.next_deadline()
    }

    fn on_time(&mut self, env: &Env<'_>) -> Option<Effects> {
        self.on_time(env)
    }

    fn expire(&mut self, env: &Env<'_>) -> (Effects, bool) {
        self.expire(env)
    }

    fn count(&self) -> usize {
        self.group_count()
    }

    fn expiry_interval_ms(settings: &ServerValues) -> i64 {
        settings.offsets_retention_check_interval_ms()
    }

    fn timer() -> Token {
        crate::broker::groups_timer()
    }

    fn refusal(error: ErrorCode) -> Answer {
        Answer::Group(Err(error))
    }
}

impl From<Effects> for Outcome<NoDeed> {
    fn from(effects: Effects) -> Self {
        let replies = effects.replies.into_iter();
        Outcome {
            records: effects.records.iter().map(Record::encode).collect(),
            producer: effects.producer,
            parked: replies.map(|(to, reply)| Parked::Answer(to, Answer::Group(reply))).collect(),
        }
    }
}
