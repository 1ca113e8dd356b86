//! One line in the log for each connection that ended badly, at most so many a second; the rest is counted.

use std::net::SocketAddr;

use net::CloseReason;
use shard::Nanos;

/// Lines in one second.
const LINES_MAX: u32 = 10;

/// How long a second of lines lasts, in ms.
const WINDOW_MS: u128 = 1000;

/// What was said in this second, and what was not.
#[derive(Debug, Default)]
pub struct ClosingLog {
    since: Nanos,
    lines: u32,
    untold: u64,
}

impl ClosingLog {
    /// A connection ended. Ordinary ends are for those who look closely.
    pub fn on_closed(&mut self, now: Nanos, peer: SocketAddr, reason: &CloseReason) {
        if reason.is_ordinary() {
            return tracing::debug!(%peer, %reason, "connection closed");
        }
        self.on_tick(now);
        if self.lines < LINES_MAX {
            self.lines += 1;
            tracing::warn!(%peer, %reason, "connection closed");
        } else {
            self.untold += 1;
        }
    }

    /// Begins a new second, and says how much of the last was not told.
    pub fn on_tick(&mut self, now: Nanos) {
        if now.since(self.since).as_millis() < WINDOW_MS {
            return;
        }
        if self.untold > 0 {
            tracing::warn!(connections = self.untold, "more connections were closed for like reasons");
        }
        *self = ClosingLog { since: now, lines: 0, untold: 0 };
    }
}
