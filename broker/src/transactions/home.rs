//! What a transaction coordinator is to its home.

use protocol::{DecodeError, ErrorCode};
use shard::Token;
use storage::{BatchHeader, Marker};

use super::TOPIC;
use super::coordinator::{Coordinator, Effects, Env, Markers};
use super::record::Record;
use crate::answer::Answer;
use crate::config::ServerValues;
use crate::homes::{Machine, Outcome, Parked, now_ms};
use crate::mail::Turn;
use crate::metadata::Image;

impl Machine for Coordinator {
    const TOPIC: &'static str = TOPIC;
    const SUBJECT: &'static str = "transactional ids";
    type Env<'a> = Env<'a>;
    type Effects = Effects;
    type Deed = Markers;

    fn env<'a>(turn: &Turn<'_>, image: &'a Image, _: u64) -> Env<'a> {
        Env { now_ms: now_ms(turn), wall_ms: turn.wall_ms.0, settings: image.server.values() }
    }

    fn replay(&mut self, _: &BatchHeader, key: &[u8], value: Option<&[u8]>) -> Result<(), DecodeError> {
        if let Some(record) = Record::decode(key, value)? {
            self.apply(record);
        }
        Ok(())
    }

    /// This topic has no transactions of its own.
    fn replay_marker(&mut self, _: &Marker) {}

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
        self.id_count()
    }

    fn expiry_interval_ms(settings: &ServerValues) -> i64 {
        i64::from(settings.transaction_remove_expired_transaction_cleanup_interval_ms())
    }

    fn timer() -> Token {
        crate::broker::transactions_timer()
    }

    fn refusal(error: ErrorCode) -> Answer {
        Answer::Txn(Err(error))
    }
}

impl From<Effects> for Outcome<Markers> {
    fn from(effects: Effects) -> Self {
        let replies = effects.replies.into_iter().map(|(to, reply)| Parked::Answer(to, Answer::Txn(reply)));
        Outcome {
            records: effects.records.iter().map(Record::encode).collect(),
            producer: None,
            parked: replies.chain(effects.markers.into_iter().map(Parked::Deed)).collect(),
        }
    }
}
