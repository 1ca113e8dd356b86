//! What one core counts of its connections: plain numbers, written where it happens and copied when somebody asks.

use protocol::ApiKey;
use shard::{Histogram, Nanos};

use crate::close::{CloseReason, Closing};

/// What a core has counted since it started.
#[derive(Debug, Clone, Default)]
pub struct NetCounts {
    /// Connections that were accepted, those refused at once included.
    pub accepted: u64,
    /// Accepts that failed.
    pub accept_failures: u64,
    /// Connections that have ended, by reason.
    pub closed: [u64; Closing::COUNT],
    /// Bytes of what clients sent.
    pub received_bytes: u64,
    /// Bytes of what was sent to clients.
    pub sent_bytes: u64,
    /// Requests that were handed on and answered, by API key: see [`NetCounts::requests`].
    by_key: Vec<Option<Box<Histogram>>>,
}

/// When a request was taken in, and what it asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    pub(crate) key: i16,
    pub(crate) at: Nanos,
}

impl NetCounts {
    /// How long requests took, by API key: from the turn that took the request in to the one that saw the last byte of its
    /// reply with the kernel. Those that close their connection are not among them.
    pub fn requests(&self) -> impl Iterator<Item = (ApiKey, &Histogram)> {
        let known = self.by_key.iter().zip(0..);
        known.filter_map(|(took, code)| Some((ApiKey::from_code(code)?, took.as_deref()?)))
    }

    pub(crate) fn on_answered(&mut self, arrival: Arrival, now: Nanos) {
        let Some(key) = ApiKey::from_code(arrival.key) else { return };
        let index = key.code() as usize;
        if self.by_key.len() <= index {
            self.by_key.resize_with(index + 1, || None);
        }
        self.by_key[index].get_or_insert_default().record(now.since(arrival.at));
    }

    pub(crate) fn on_closed(&mut self, reason: &CloseReason) {
        self.closed[reason.kind() as usize] += 1;
    }
}
