//! A reader of committed records sees a transaction whole or not at all, and never before its producer asked for the commit
//! (KIP-98, KIP-890; Q51, Q54, Q55).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Property;
use crate::event::{Event, Isolation, RecordId, TxnEnd, TxnId};

/// What is known of each transaction.
#[derive(Default)]
pub struct ReadCommitted {
    txns: BTreeMap<TxnId, Txn>,
    by_record: HashMap<RecordId, TxnId>,
    /// What the audit of committed records has found.
    found: HashSet<RecordId>,
    is_audited: bool,
}

#[derive(Default)]
struct Txn {
    /// Acknowledged.
    records: Vec<RecordId>,
    /// Sent, whatever became of it.
    sent: Vec<RecordId>,
    commit_asked: bool,
    end: Option<TxnEnd>,
}

impl ReadCommitted {
    fn check_read(&self, record: RecordId) -> Result<(), String> {
        let Some(id) = self.by_record.get(&record) else { return Ok(()) };
        let txn = &self.txns[id];
        if txn.end == Some(TxnEnd::Aborted) {
            return Err(format!("{record} is read as committed, and {id} was aborted"));
        }
        if !txn.commit_asked {
            return Err(format!("{record} is read as committed, and nobody asked to commit {id}"));
        }
        Ok(())
    }
}

impl Property for ReadCommitted {
    fn name(&self) -> &'static str {
        "read_committed"
    }

    fn on_event(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Sent { first, count, txn: Some(txn), .. } => {
                for index in 0..*count {
                    self.by_record.insert(first.plus(index), *txn);
                    self.txns.entry(*txn).or_default().sent.push(first.plus(index));
                }
            }
            Event::Acked { first, count, .. } => {
                if let Some(txn) = self.by_record.get(first).and_then(|id| self.txns.get_mut(id)) {
                    txn.records.extend((0..*count).map(|index| first.plus(index)));
                }
            }
            Event::TxnEnding { txn, commits: true } => self.txns.entry(*txn).or_default().commit_asked = true,
            Event::TxnEnded { txn, end } => self.txns.entry(*txn).or_default().end = Some(*end),
            Event::Read { isolation: Isolation::Committed, record, .. } => return self.check_read(*record),
            Event::Audited { isolation: Isolation::Committed, records, .. } => {
                self.is_audited = true;
                self.found.extend(records.iter().map(|(_, record)| *record));
            }
            _ => {}
        }
        Ok(())
    }

    fn at_end(&mut self) -> Result<(), String> {
        for (id, txn) in self.txns.iter().filter(|_| self.is_audited) {
            let seen = txn.records.iter().filter(|record| self.found.contains(record)).count();
            let any = txn.sent.iter().find(|record| self.found.contains(record));
            if txn.end == Some(TxnEnd::Committed) && seen < txn.records.len() {
                return Err(format!(
                    "{id} was committed, and {seen} of its {} records are there",
                    txn.records.len()
                ));
            }
            if let Some(record) = any.filter(|_| !txn.commit_asked || txn.end == Some(TxnEnd::Aborted)) {
                return Err(format!("{record} is there as committed, and {id} never was"));
            }
            if seen > 0 && seen < txn.records.len() {
                return Err(format!("{seen} of the {} records of {id} are there", txn.records.len()));
            }
        }
        Ok(())
    }
}
