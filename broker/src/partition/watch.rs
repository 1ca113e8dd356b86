//! Fetches that wait for more to read: told once, when there is.

use std::collections::BTreeSet;

use super::Outbound;
use crate::mail::PendingId;

/// The fetches that watch one partition.
#[derive(Debug, Default)]
pub(super) struct Watches {
    waiting: BTreeSet<PendingId>,
}

impl Watches {
    /// Adds a fetch; once is enough.
    pub(super) fn add(&mut self, request: PendingId) {
        self.waiting.insert(request);
    }

    /// Takes a fetch out.
    pub(super) fn remove(&mut self, request: PendingId) {
        self.waiting.remove(&request);
    }

    /// How many fetches watch.
    pub(super) fn count(&self) -> usize {
        self.waiting.len()
    }

    /// Tells all, and forgets them: each reads again and watches again if it still has too little.
    pub(super) fn wake(&mut self, out: &mut Outbound) {
        out.woken.extend(std::mem::take(&mut self.waiting));
    }
}
