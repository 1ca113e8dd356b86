//! Which of a producer's last transactions were committed: for partitions that have lost a marker with the page cache.
//!
//! In version 2 each transaction has an epoch of its own, so some bits say it for many. What is not kept counts as aborted.

use super::ask::Producer;

/// The transactions of a producer that were committed, by the epochs of their markers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Commits {
    newest: Producer,
    /// Bit `n` is that of the marker `n` epochs before the newest.
    bits: u64,
}

impl Default for Commits {
    fn default() -> Self {
        Commits { newest: Producer { id: -1, epoch: 0 }, bits: 0 }
    }
}

impl Commits {
    /// A transaction was committed, with this marker.
    pub(super) fn note(&mut self, marker: Producer) {
        if marker.id != self.newest.id || marker.epoch < self.newest.epoch {
            *self = Commits { newest: marker, bits: 0 };
        }
        let later = u32::from(marker.epoch.abs_diff(self.newest.epoch));
        self.bits = self.bits.checked_shl(later).unwrap_or(0) | 1;
        self.newest = marker;
    }

    /// Whether the transaction with this marker is known to be committed.
    pub(super) fn has(&self, marker: Producer) -> bool {
        let before = i32::from(self.newest.epoch) - i32::from(marker.epoch);
        marker.id == self.newest.id && (0..64).contains(&before) && self.bits >> before & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_commits_are_known_and_nothing_else_is() {
        let marker = |epoch| Producer { id: 7, epoch };
        let mut commits = Commits::default();
        for epoch in [1, 2, 2, 5, 60] {
            commits.note(marker(epoch));
        }
        let known: Vec<i16> = (0..i16::MAX).filter(|epoch| commits.has(marker(*epoch))).collect();
        assert_eq!(known, [1, 2, 5, 60]);
        commits.note(marker(66));
        assert!(!commits.has(marker(2)) && commits.has(marker(5)), "those of long ago are forgotten");
        commits.note(marker(i16::MAX));
        assert!(!commits.has(marker(66)) && commits.has(marker(i16::MAX)));
        commits.note(Producer { id: 8, epoch: 1 });
        assert!(!commits.has(marker(i16::MAX)) && commits.has(Producer { id: 8, epoch: 1 }));
        commits.note(Producer { id: 8, epoch: 0 });
        assert!(
            !commits.has(Producer { id: 8, epoch: 1 }),
            "epochs grow: what a log says else is not believed"
        );
    }
}
