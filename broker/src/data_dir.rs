//! The data directory as a whole: whose it is, and of which cluster.
//!
//! `meta.properties` is Kafka's, so that Kafka's tools know the directory: version, cluster id, node id, directory id.

use std::path::{Path, PathBuf};

use protocol::Uuid;
use shard::random::Random;
use shard::{Disk, IoError};

use crate::config::properties;
use crate::config::quorum_voters::FoundingVoter;

/// The file that says whose directory it is.
pub const FILE: &str = "meta.properties";

/// More than such a file ever has, bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The only version that is read and written.
const VERSION: &str = "1";

/// What a data directory says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The cluster that it belongs to.
    pub cluster_id: String,
    /// The node that it belongs to.
    pub node_id: i32,
    /// Its own id; all zeros in a directory that was made without one.
    pub directory_id: Uuid,
}

/// Why a directory cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub enum DataDirError {
    /// The operating system refuses.
    Io(PathBuf, IoError),
    /// It says something that this version does not understand.
    NotUnderstood(PathBuf, String),
    /// It is another node's.
    OtherNode {
        /// The file that says so.
        path: PathBuf,
        /// Whose it is.
        owner: i32,
        /// Who we are.
        node_id: i32,
    },
}

impl std::fmt::Display for DataDirError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DataDirError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            DataDirError::NotUnderstood(path, why) => write!(f, "{}: {why}", path.display()),
            DataDirError::OtherNode { path, owner, node_id } => write!(
                f,
                "{}: this directory is node {owner}'s, and this is node {node_id}: start with --node-id {owner} or \
                 another --data-dir",
                path.display()
            ),
        }
    }
}

/// The cluster id of those that found a cluster together: all of them make the same of the same list, and one that was started with
/// another list is found out.
pub fn id_of_founders(founders: &[FoundingVoter]) -> Uuid {
    let mut names: Vec<String> =
        founders.iter().map(|founder| format!("{}@{}", founder.id, founder.endpoint)).collect();
    names.sort_unstable();
    let mix = |seed: u64| {
        let bytes = names.iter().flat_map(|name| name.bytes().chain([0]));
        bytes.fold(seed, |state, byte| Random::from_seed(state ^ u64::from(byte)).next_u64())
    };
    Uuid::from_u128((u128::from(mix(1)) << 64) | u128::from(mix(2)))
}

/// Reads whose directory it is, or makes it this node's, of this cluster or of a new one with an id made of `random`.
pub fn open(
    disk: &mut dyn Disk,
    dir: &Path,
    node_id: i32,
    cluster: Option<Uuid>,
    random: [u64; 2],
) -> Result<Identity, DataDirError> {
    let path = dir.join(FILE);
    let io = |error| DataDirError::Io(path.clone(), error);
    match read(disk, dir)? {
        Some(identity) => {
            let owner = identity.node_id;
            if owner == node_id {
                Ok(identity)
            } else {
                Err(DataDirError::OtherNode { path, owner, node_id })
            }
        }
        None => {
            let new = Uuid::from_u128((u128::from(random[0]) << 64) | u128::from(random[1]));
            let cluster_id = cluster.unwrap_or(new).to_string();
            let directory_id = Uuid::from_u128((u128::from(random[1]) << 64) | u128::from(!random[0]));
            let text = format!(
                "version={VERSION}\ncluster.id={cluster_id}\nnode.id={node_id}\ndirectory.id={directory_id}\n"
            );
            disk.create_dir(dir).map_err(io)?;
            disk.replace_file(&path, text.as_bytes()).map_err(io)?;
            Ok(Identity { cluster_id, node_id, directory_id })
        }
    }
}

/// Reads whose directory it is; nothing if it is nobody's yet.
pub fn read(disk: &mut dyn Disk, dir: &Path) -> Result<Option<Identity>, DataDirError> {
    let path = dir.join(FILE);
    let bytes =
        disk.read_file(&path, FILE_BYTES_MAX).map_err(|error| DataDirError::Io(path.clone(), error))?;
    bytes.map(|bytes| parse(&bytes).map_err(|why| DataDirError::NotUnderstood(path, why))).transpose()
}

fn parse(bytes: &[u8]) -> Result<Identity, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let properties =
        properties::parse(text).map_err(|error| format!("line {}: {}", error.line, error.reason))?;
    let value = |key: &str| {
        let found = properties.iter().find(|property| property.key == key);
        found.map(|property| property.value.as_str()).ok_or_else(|| format!("{key} is missing"))
    };
    match value("version")? {
        VERSION => {}
        other => return Err(format!("version {other} is not known to this version of Ringlog")),
    }
    let node_id = value("node.id")?.parse().map_err(|_| "node.id is not a number".to_owned())?;
    let directory_id = value("directory.id").ok().map_or(Ok(Uuid::ZERO), str::parse);
    let directory_id = directory_id.map_err(|_| "directory.id is not an id".to_owned())?;
    Ok(Identity { cluster_id: value("cluster.id")?.to_owned(), node_id, directory_id })
}

#[cfg(test)]
mod tests {
    use shard::Io;
    use shard::memory::World;

    use super::*;

    #[test]
    fn a_directory_keeps_its_identity() {
        let world = World::new(1);
        let mut io = world.io();
        let dir = Path::new("/d");
        let made = open(io.disk(), dir, 3, None, [1, 2]).unwrap();
        assert_eq!(open(io.disk(), dir, 3, None, [9, 9]), Ok(made));
        assert!(matches!(
            open(io.disk(), dir, 4, None, [9, 9]),
            Err(DataDirError::OtherNode { owner: 3, node_id: 4, .. })
        ));
    }

    #[test]
    fn founders_agree_on_a_cluster_id_whatever_the_order_of_the_list() {
        let id = |list: &str| id_of_founders(&crate::config::quorum_voters::parse(list).unwrap());
        assert_eq!(id("1@a:1,2@b:2"), id("2@b:2,1@a:1"));
        assert_ne!(id("1@a:1,2@b:2"), id("1@a:1,2@b:3"));
        assert_ne!(id("1@a:1"), id("1@a:1,2@b:3"));
    }

    #[test]
    fn an_unknown_version_is_refused() {
        let world = World::new(1);
        let mut io = world.io();
        let dir = Path::new("/d");
        io.disk().create_dir(dir).unwrap();
        for text in [
            "version=2\ncluster.id=x\nnode.id=0\n",
            "version=1\nnode.id=0\n",
            "version=1\ncluster.id=x\nnode.id=a\n",
        ] {
            io.disk().replace_file(&dir.join(FILE), text.as_bytes()).unwrap();
            assert!(matches!(open(io.disk(), dir, 0, None, [1, 2]), Err(DataDirError::NotUnderstood(..))));
        }
    }
}
