//! Where the log begins that lies in the directory, who the members were there, and whose directory it is: a small file,
//! replaced as a whole.
//!
//! Raft counts batches and Kafka counts records; this is the one place where the two are said to meet.

use std::path::{Path, PathBuf};

use protocol::{DecodeError, Decoder, Encoder};
use shard::{Disk, IoError};

use crate::error::OpenError;
use crate::members::{Members, NodeId};

const FILE: &str = "ringlog-quorum";
/// What the file begins with, and its only version.
const MAGIC: &[u8] = b"ringlog-quorum";
const VERSION: i16 = 1;
const FILE_BYTES_MAX: u64 = 1 << 20;

/// What comes before the log, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Anchor {
    pub cluster_id: String,
    pub node: NodeId,
    /// Who founded the quorum; nobody if this node joined one.
    pub founders: Vec<NodeId>,
    /// The offset of the log's first record.
    pub offset: i64,
    /// The batch before the log's first: its number, 0 if there is none.
    pub index: u64,
    /// Its term.
    pub term: u64,
    /// The members after that batch.
    pub members: Members,
    /// The length of the checkpoint that has all before the log, in bytes; 0 if there is none.
    pub checkpoint_len: u64,
}

impl Anchor {
    /// Reads the file within `dir`; nothing if it is not there.
    pub fn read(disk: &mut dyn Disk, dir: &Path) -> Result<Option<Anchor>, OpenError> {
        let path = dir.join(FILE);
        let bytes =
            disk.read_file(&path, FILE_BYTES_MAX).map_err(|error| OpenError::Io(path.clone(), error))?;
        bytes.map(|bytes| parse(&path, &bytes)).transpose()
    }

    /// Replaces the file; durable when it returns.
    pub fn write(&self, disk: &mut dyn Disk, dir: &Path) -> Result<(), IoError> {
        disk.replace_file(&path_in(dir), &self.encode())
    }

    fn encode(&self) -> Vec<u8> {
        let mut e = Encoder::new();
        e.raw(MAGIC);
        e.i16(VERSION);
        e.string(&self.cluster_id, true);
        e.i32(self.node.0);
        e.array(&self.founders, true, |e, founder| e.i32(founder.0));
        e.i64(self.offset);
        e.i64(self.index as i64);
        e.i64(self.term as i64);
        e.bytes(&self.members.encode(), true);
        e.i64(self.checkpoint_len as i64);
        let sum = crc32c::crc32c(e.as_slice());
        e.u32(sum);
        e.into_vec()
    }
}

/// Where the file is.
pub(crate) fn path_in(dir: &Path) -> PathBuf {
    dir.join(FILE)
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Anchor, OpenError> {
    let damaged = |why: String| OpenError::Damaged { path: path.to_path_buf(), position: 0, why };
    let mut d = Decoder::new(bytes);
    let is_ours = d.take(MAGIC.len()).is_ok_and(|magic| magic == MAGIC);
    let version = d.i16();
    if !is_ours {
        return Err(damaged("it is no file of Ringlog's".to_owned()));
    }
    if version.is_ok_and(|version| version > VERSION) {
        return Err(OpenError::UnknownVersion(path.to_path_buf()));
    }
    let body = bytes.len().saturating_sub(4);
    let sum = bytes[body..].first_chunk().map(|sum| u32::from_be_bytes(*sum));
    if sum != Some(crc32c::crc32c(&bytes[..body])) {
        return Err(damaged(
            "its checksum is wrong: restore it, or begin anew with an empty directory".to_owned(),
        ));
    }
    decode(&mut d).map_err(|error| damaged(error.to_string()))
}

fn decode(d: &mut Decoder<'_>) -> Result<Anchor, DecodeError> {
    let cluster_id = d.string(true)?.to_owned();
    let node = NodeId(d.i32()?);
    let founders = d.array(true, |d| Ok(NodeId(d.i32()?)))?;
    let (offset, index, term) = (d.i64()?, d.i64()? as u64, d.i64()? as u64);
    let members = Members::decode(d.bytes(true)?)?;
    let checkpoint_len = d.i64()? as u64;
    Ok(Anchor { cluster_id, node, founders, offset, index, term, members, checkpoint_len })
}

#[cfg(test)]
mod tests {
    use shard::Io;
    use shard::memory::World;

    use super::*;

    fn anchor() -> Anchor {
        Anchor {
            cluster_id: "c".into(),
            node: NodeId(3),
            founders: vec![NodeId(1), NodeId(3)],
            offset: 17,
            index: 5,
            term: 2,
            members: Members::default(),
            checkpoint_len: 9,
        }
    }

    #[test]
    fn an_anchor_comes_back_and_a_bent_one_is_refused() {
        let world = World::new(1);
        let mut io = world.io();
        let dir = Path::new("/data");
        io.disk().create_dir(dir).unwrap();
        assert_eq!(Anchor::read(io.disk(), dir).unwrap(), None);
        anchor().write(io.disk(), dir).unwrap();
        assert_eq!(Anchor::read(io.disk(), dir).unwrap(), Some(anchor()));
        let bytes = anchor().encode();
        for at in 0..bytes.len() {
            let mut bent = bytes.clone();
            bent[at] ^= 0x10;
            assert!(parse(dir, &bent).is_err(), "bent at {at}");
            assert!(parse(dir, &bytes[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn a_newer_version_is_told_as_such() {
        let mut bytes = anchor().encode();
        bytes[MAGIC.len() + 1] = 2;
        assert!(matches!(parse(Path::new("/x"), &bytes), Err(OpenError::UnknownVersion(_))));
    }
}
