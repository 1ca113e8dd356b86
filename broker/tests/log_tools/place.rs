//! A data directory in a temporary place, and the program run on it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use broker::metadata::PartitionState;
use broker::metadata::record::Record;
use protocol::Uuid;

/// A data directory; removed when dropped.
pub struct Place {
    dir: PathBuf,
    metadata_records: usize,
}

/// The log directory that Kafka wrote: 120 records in five segments, one for each codec.
pub fn golden_files() -> Vec<(String, Vec<u8>)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../storage/tests/golden/kafka-4.3.1");
    let mut files: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

impl Place {
    /// One topic, `golden`, with one partition that Kafka wrote.
    pub fn with_golden_topic(name: &str) -> Place {
        Place::with_settings(name, &[])
    }

    /// The same, with settings of the topic's own.
    pub fn with_settings(name: &str, settings: &[(&str, &str)]) -> Place {
        let dir = std::env::temp_dir().join(format!("ringlog-tools-{}-{name}", std::process::id()));
        fs::create_dir_all(dir.join("golden-0")).unwrap();
        let properties = "version=1\ncluster.id=AAAAAAAAAAAAAAAAAAAAAQ\nnode.id=0\n";
        fs::write(dir.join("meta.properties"), properties).unwrap();
        let id = Uuid::from_u128(7 << 100);
        let mut records = vec![
            Record::Topic { name: "golden".into(), id },
            Record::Partition { topic_id: id, partition: 0, state: PartitionState::of_one(0) },
        ];
        records.extend(settings.iter().map(|(name, value)| Record::TopicConfig {
            topic: "golden".into(),
            name: (*name).into(),
            value: Some((*value).into()),
        }));
        // As one wrote it that knew of no quorum.
        let empty = storage::batch::BatchBuilder::new();
        let batch = records.iter().fold(empty, |batch, record| batch.record(1, None, Some(&record.encode())));
        let mut batch = batch.build();
        batch[12..16].copy_from_slice(&0_i32.to_be_bytes());
        let metadata = dir.join("__cluster_metadata-0");
        fs::create_dir_all(&metadata).unwrap();
        fs::write(metadata.join("00000000000000000000.log"), batch).unwrap();
        for (name, bytes) in golden_files() {
            fs::write(dir.join("golden-0").join(name), bytes).unwrap();
        }
        Place { dir, metadata_records: records.len() }
    }

    /// Its path.
    pub fn path(&self) -> &str {
        self.dir.to_str().unwrap()
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> String {
        self.dir.join(name).to_str().unwrap().to_owned()
    }

    /// How many records its metadata log has.
    pub fn metadata_records(&self) -> usize {
        self.metadata_records
    }

    /// Changes a file, which need not be there.
    pub fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let path = self.dir.join(name);
        let mut bytes = fs::read(&path).unwrap_or_default();
        change(&mut bytes);
        fs::write(path, bytes).unwrap();
    }

    /// Everything in it, by name.
    pub fn content(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        collect(&self.dir, &mut found);
        found.sort();
        found
    }
}

fn collect(dir: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            found.push((path.clone(), fs::read(path).unwrap()));
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.dir));
    }
}

/// Runs the program; gives its exit status, and what it said on both its outputs.
pub fn run(words: &[&str]) -> (i32, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_ringlog")).args(words).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
    (done.status.code().expect("the program ends by itself"), said.into_owned())
}
