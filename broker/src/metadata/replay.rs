//! From what a quorum tells when it is opened to an image: what a start does, and tools that look at a directory.

use std::collections::HashSet;
use std::path::Path;

use quorum::{OpenError, Output};

use super::Image;
use super::record::{Record, RecordError};

/// What the log says.
#[derive(Debug)]
pub struct Replayed {
    /// The newest image.
    pub image: Image,
    /// Topics that were removed.
    pub removed: HashSet<String>,
}

/// Applies all that is committed to `image`, which is empty.
pub fn replay(data_dir: &Path, image: Image, outputs: Vec<Output>) -> Result<Replayed, OpenError> {
    let mut replayed = Replayed { image, removed: HashSet::new() };
    let damaged = |error: RecordError| OpenError::Damaged {
        path: data_dir.join(quorum::DIR),
        position: 0,
        why: error.to_string(),
    };
    for output in outputs {
        let (records, version) = match output {
            Output::Committed(committed) => (committed.records, committed.next_offset),
            Output::Restored(restored) => (restored.records, restored.next_offset),
            Output::Send { .. }
            | Output::Role(_)
            | Output::Members(_)
            | Output::ReadReady(_)
            | Output::ReadLost(_)
            | Output::ChangeEnded { .. } => continue,
        };
        for record in decode(&records).map_err(damaged)? {
            replayed.apply(&record);
        }
        replayed.image.version = version;
    }
    Ok(replayed)
}

impl Replayed {
    fn apply(&mut self, record: &Record) {
        if let Record::RemoveTopic { id } = record
            && let Some(topic) = self.image.topic_by_id(*id)
        {
            self.removed.insert(topic.name.to_string());
        }
        self.image.apply(record);
    }
}

/// Reads the values of a batch.
pub fn decode(values: &[Vec<u8>]) -> Result<Vec<Record>, RecordError> {
    values.iter().map(|value| Record::decode(value)).collect()
}
