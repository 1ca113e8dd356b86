//! Which brokers are heard of: the active controller's memory of heartbeats (KIP-631). Not part of the metadata; a new
//! controller gives every broker a whole session before it takes anybody for dead.

use std::collections::BTreeMap;

use super::Image;

/// When each broker was last heard of, monotonic ms.
#[derive(Debug, Default)]
pub struct BrokerSessions {
    heard_at: BTreeMap<i32, i64>,
}

impl BrokerSessions {
    /// The controller becomes active: all that are not fenced count as heard of now.
    pub fn begin(&mut self, image: &Image, now_ms: i64) {
        self.heard_at = image.live_brokers().map(|broker| (broker.id, now_ms)).collect();
    }

    /// A broker was heard of.
    pub fn on_heard(&mut self, id: i32, now_ms: i64) {
        self.heard_at.insert(id, now_ms);
    }

    /// A broker is gone.
    pub fn forget(&mut self, id: i32) {
        self.heard_at.remove(&id);
    }

    /// Whether a broker was heard of within a session.
    pub fn is_alive(&self, id: i32, session_ms: i64, now_ms: i64) -> bool {
        self.heard_at.get(&id).is_some_and(|heard_at| now_ms - heard_at < session_ms)
    }

    /// The brokers that are not fenced and have not been heard of for a session.
    pub fn expired(&self, image: &Image, session_ms: i64, now_ms: i64) -> Vec<i32> {
        let live = image.live_brokers().map(|broker| broker.id);
        live.filter(|&id| !self.is_alive(id, session_ms, now_ms)).collect()
    }
}
