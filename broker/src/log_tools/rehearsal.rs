//! A start without its consequences: the metadata read, the journals replayed and logs opened as a start does it, on a
//! preview of the disk.
//!
//! Memory follows what the start would write: what the journals hold (their sizes are the bound), and of one partition at
//! a time its new indexes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use quorum::Quorum;
use shard::{Preview, WallMs};
use storage::{Log, OpenFiles, Recovered, StorageError, journal};

use super::ToolError;
use crate::cli::StartArgs;
use crate::config::ServerConfig;
use crate::data_dir;
use crate::metadata::placement;
use crate::metadata::replay::{Replayed, replay};
use crate::metadata::{Image, Topic};
use crate::partition::{open_log, partition_dir, replay_journals};

/// A log needs few files open at a time.
const OPEN_FILES_MAX: usize = 64;

/// A node as it would be when its partitions are about to be opened.
pub struct Rehearsal<'a> {
    /// The disk as it would be.
    pub disk: Preview<'a>,
    /// The metadata.
    pub image: Image,
    data_dir: PathBuf,
    now: WallMs,
}

impl<'a> Rehearsal<'a> {
    /// Starts, with the settings that a start would be given. Refuses for the reasons that a start has.
    pub fn start(
        disk: Preview<'a>,
        data_dir: &Path,
        config: Option<&Path>,
        set: &[String],
        now: WallMs,
    ) -> Result<Rehearsal<'a>, ToolError> {
        let mut disk = disk;
        let failed = |why: String| ToolError::Failed(format!("a start would be refused: {why}"));
        let identity = data_dir::read(&mut disk, data_dir).map_err(|error| failed(error.to_string()))?;
        let identity = identity.ok_or_else(|| ToolError::Misuse("no data directory".to_owned()))?;
        let args = StartArgs {
            config: config.map(Path::to_path_buf),
            set: set.to_vec(),
            node_id: Some(identity.node_id.to_string()),
            ..StartArgs::default()
        };
        let config: ServerConfig =
            args.load("localhost").map_err(|error| ToolError::Misuse(error.to_string()))?;
        journal::check(&mut disk, data_dir).map_err(|error| failed(error.to_string()))?;
        placement::check_version(&mut disk, data_dir).map_err(|error| failed(error.to_string()))?;
        let blank = Image::empty(Arc::new(config), &identity.cluster_id);
        let of_quorum = super::quorum_config(&identity, 0);
        let told =
            Quorum::look(&mut disk, data_dir, &of_quorum).and_then(|told| replay(data_dir, blank, told));
        let Replayed { image, .. } = told.map_err(|error| failed(error.to_string()))?;
        replay_journals(&mut disk, data_dir, &image, 0).map_err(|error| failed(error.to_string()))?;
        Ok(Rehearsal { disk, image, data_dir: data_dir.to_path_buf(), now })
    }

    /// Opens a partition's log as a start does.
    pub fn open(&mut self, topic: &Arc<Topic>, number: i32) -> Result<(Log, Recovered), StorageError> {
        let mut files = OpenFiles::new(OPEN_FILES_MAX);
        open_log(&mut self.disk, &mut files, &self.data_dir, topic, number, self.now)
    }

    /// Lets go of what was learnt and written for a partition.
    pub fn forget(&mut self, topic: &Topic, number: i32) {
        self.disk.forget(&partition_dir(&self.data_dir, topic, number));
    }
}
