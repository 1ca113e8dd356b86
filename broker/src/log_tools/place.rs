//! What a path given to a tool is: a data directory, one partition's directory in it, or one of neither kind.

use std::path::{Path, PathBuf};

use shard::boot::{self, DirLock};
use shard::native::Files;
use shard::{Disk, IoError};

use super::ToolError;
use crate::data_dir;

/// A directory that a tool looks at.
#[derive(Debug)]
pub struct Place {
    /// The data directory.
    pub data_dir: PathBuf,
    /// The only partition directory that is wanted, by its name.
    pub only: Option<String>,
}

impl Place {
    /// Finds out what `path` is.
    pub fn find(path: &Path) -> Result<Place, ToolError> {
        let shown = path.display();
        let path =
            std::path::absolute(path).map_err(|error| ToolError::Misuse(format!("{shown}: {error}")))?;
        if is_data_dir(&path)? {
            return Ok(Place { data_dir: path, only: None });
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        if let (Some(parent), Some(name)) = (path.parent(), name)
            && partition_of(&name).is_some()
            && is_data_dir(parent)?
        {
            return Ok(Place { data_dir: parent.to_path_buf(), only: Some(name) });
        }
        Err(ToolError::Misuse(format!(
            "{shown}: neither a data directory (there is no {}) nor a partition's directory in one",
            data_dir::FILE
        )))
    }

    /// Keeps brokers out, or refuses because one is in.
    pub fn hold(&self) -> Result<DirLock, ToolError> {
        match hold(&self.data_dir)? {
            Some(lock) => Ok(lock),
            None => Err(ToolError::Misuse(format!(
                "{}: a broker uses this directory, and what it does next is not all on the disk: stop it first",
                self.data_dir.display()
            ))),
        }
    }

    /// Whether a directory of this name is wanted.
    pub fn wants(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == name)
    }
}

/// Keeps brokers out of a directory; nothing if one is in.
pub fn hold(data_dir: &Path) -> Result<Option<DirLock>, ToolError> {
    boot::lock_dir_for_reading(data_dir)
        .map_err(|error| ToolError::Failed(format!("{}: {error}", data_dir.display())))
}

/// Whether a directory says of itself that it is one.
pub fn is_data_dir(path: &Path) -> Result<bool, ToolError> {
    match Files::default().list(path) {
        Ok(entries) => Ok(entries.iter().any(|entry| entry.name == data_dir::FILE)),
        Err(IoError::NOT_FOUND) => {
            Err(ToolError::Misuse(format!("{}: there is no such directory", path.display())))
        }
        // A file is a path too.
        Err(_) => Ok(false),
    }
}

/// The topic and the number in a partition directory's name.
pub fn partition_of(name: &str) -> Option<(&str, i32)> {
    let (topic, number) = name.rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && !topic.is_empty() { Some((topic, number.parse().ok()?)) } else { None }
}
