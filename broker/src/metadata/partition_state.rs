//! What the metadata says of one partition: which brokers have it, and who leads.

use std::sync::Arc;

/// The leader of a partition that nobody leads.
pub const NO_LEADER: i32 = -1;

/// A partition's replicas and its leader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionState {
    /// The brokers that have it; the first is preferred as its leader.
    pub replicas: Arc<[i32]>,
    /// Those of them that have every record that was acknowledged.
    pub isr: Arc<[i32]>,
    /// Who leads it, or [`NO_LEADER`].
    pub leader: i32,
    /// Which term of leadership it is.
    pub leader_epoch: i32,
    /// How often anything of this has changed.
    pub partition_epoch: i32,
}

/// What of it changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartitionChange {
    /// Another leader, or none; a new term begins in any case.
    pub leader: Option<i32>,
    /// Another in-sync set.
    pub isr: Option<Arc<[i32]>>,
}

impl PartitionState {
    /// A new partition that one broker has and leads.
    pub fn of_one(broker: i32) -> PartitionState {
        let only: Arc<[i32]> = [broker].into();
        PartitionState {
            replicas: Arc::clone(&only),
            isr: only,
            leader: broker,
            leader_epoch: 0,
            partition_epoch: 0,
        }
    }

    /// Applies a change, as Kafka does: a named leader begins a new term, also if it is the same.
    pub fn apply(&mut self, change: &PartitionChange) {
        if let Some(leader) = change.leader {
            self.leader = leader;
            self.leader_epoch += 1;
        }
        if let Some(isr) = &change.isr {
            self.isr = Arc::clone(isr);
        }
        self.partition_epoch += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_leader_begins_a_term_and_any_change_counts() {
        let mut state = PartitionState::of_one(3);
        state.apply(&PartitionChange { leader: Some(NO_LEADER), isr: None });
        assert_eq!((state.leader, state.leader_epoch, state.partition_epoch), (NO_LEADER, 1, 1));
        state.apply(&PartitionChange { leader: None, isr: Some([3, 4].into()) });
        assert_eq!((state.leader_epoch, state.partition_epoch), (1, 2));
        state.apply(&PartitionChange { leader: Some(3), isr: None });
        assert_eq!((state.leader, state.leader_epoch, state.partition_epoch), (3, 2, 3));
    }
}
