//! What must hold of a quorum: one leader a term, one content a batch, nothing lost that was told, reads that are fresh.

use std::collections::BTreeMap;

use quorum::{Committed, NodeId, Restored};

/// The state that the records make: the newest value of each key.
pub type State = BTreeMap<u32, u64>;

/// A record's value: a key and its new value.
pub fn encode(key: u32, value: u64) -> Vec<u8> {
    [&key.to_be_bytes()[..], &value.to_be_bytes()].concat()
}

fn apply(state: &mut State, record: &[u8]) {
    let key = u32::from_be_bytes(record[..4].try_into().unwrap());
    state.insert(key, u64::from_be_bytes(record[4..12].try_into().unwrap()));
}

/// The records that make a state from nothing.
pub fn records_of(state: &State) -> Vec<Vec<u8>> {
    state.iter().map(|(&key, &value)| encode(key, value)).collect()
}

/// All that any node ever told.
#[derive(Default)]
pub struct Ledger {
    leaders: BTreeMap<u64, NodeId>,
    batches: BTreeMap<u64, Committed>,
    /// The state at each offset between two batches.
    states: BTreeMap<i64, State>,
}

/// What one node knows.
#[derive(Default, Clone)]
pub struct Replica {
    pub state: State,
    /// The offset behind what it has applied.
    pub offset: i64,
    /// The last batch that it has applied.
    pub index: u64,
}

impl Ledger {
    pub fn on_leader(&mut self, term: u64, node: NodeId) {
        let leader = *self.leaders.entry(term).or_insert(node);
        assert_eq!(leader, node, "term {term} has two leaders");
    }

    /// A node says that a batch is committed; whether nobody had said so before.
    pub fn on_committed(&mut self, node: NodeId, replica: &mut Replica, committed: Committed) -> bool {
        let index = committed.index;
        let is_next = replica.index == 0 || index == replica.index + 1;
        assert!(is_next, "node {node:?} applies {index} after {}", replica.index);
        assert!(replica.offset == 0 || committed.base_offset == replica.offset, "offsets have a gap");
        committed.records.iter().for_each(|record| apply(&mut replica.state, record));
        (replica.offset, replica.index) = (committed.next_offset, index);
        let is_new = !self.batches.contains_key(&index);
        if is_new {
            assert!(index == 1 || self.batches.contains_key(&(index - 1)), "batch {index} comes too early");
            self.states.insert(committed.next_offset, replica.state.clone());
        }
        let known = self.batches.entry(index).or_insert(committed.clone());
        assert_eq!(*known, committed, "node {node:?} has another batch {index}");
        assert_eq!(self.states.get(&replica.offset), Some(&replica.state), "node {node:?} at {index}");
        is_new
    }

    /// A node says that its state is another one.
    pub fn on_restored(&mut self, node: NodeId, replica: &mut Replica, restored: Restored) {
        replica.state.clear();
        restored.records.iter().for_each(|record| apply(&mut replica.state, record));
        replica.offset = restored.next_offset;
        let at = self.batches.values().find(|batch| batch.next_offset == restored.next_offset);
        replica.index = at.unwrap_or_else(|| panic!("{} is between two batches", replica.offset)).index;
        let known = self.states.get(&replica.offset);
        assert_eq!(known, Some(&replica.state), "node {node:?} was restored to another state");
    }

    /// The last batch that any node told.
    pub fn end(&self) -> u64 {
        self.batches.keys().next_back().copied().unwrap_or(0)
    }
}
