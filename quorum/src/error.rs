//! Why something is not done: a file, a message, or a change.

use std::path::PathBuf;

use protocol::DecodeError;
use shard::IoError;

use crate::members::NodeId;

/// Why a quorum cannot be opened: one line that says what to do.
#[derive(Debug)]
pub enum OpenError {
    /// The operating system refuses.
    Io(PathBuf, IoError),
    /// A newer Ringlog wrote it.
    UnknownVersion(PathBuf),
    /// Something other than a torn end is wrong.
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Where in it, in bytes.
        position: u64,
        /// What.
        why: String,
    },
    /// The directory and what the node is started with do not belong together.
    Mixed(PathBuf, String),
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OpenError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            OpenError::UnknownVersion(path) => {
                write!(f, "{}: a newer version of Ringlog wrote this: start that one", path.display())
            }
            OpenError::Damaged { path, position, why } => {
                write!(f, "{} is damaged at byte {position}: {why}", path.display())
            }
            OpenError::Mixed(path, why) => write!(f, "{}: {why}", path.display()),
        }
    }
}

impl std::error::Error for OpenError {}

/// Why a change is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Another node leads, or none that is known.
    NotLeader {
        /// Who does.
        leader: Option<NodeId>,
    },
    /// Too much is waiting to be committed.
    Busy,
    /// More than a batch may have.
    TooLarge,
    /// This node's disk has failed.
    Offline,
    /// Another change of the voters is not through yet.
    ChangePending,
    /// It votes already.
    AlreadyVoter,
    /// There is no such voter.
    UnknownVoter,
    /// A quorum has one voter at least.
    LastVoter,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::NotLeader { leader: Some(NodeId(leader)) } => {
                write!(f, "node {leader} leads the quorum: ask that one")
            }
            Refusal::NotLeader { leader: None } => {
                f.write_str("nobody leads the quorum at the moment: try again")
            }
            Refusal::Busy => f.write_str("too many changes wait for the quorum: try again"),
            Refusal::TooLarge => f.write_str("the change is larger than a batch may be: make it in parts"),
            Refusal::Offline => f.write_str(
                "this node's metadata log has failed: no change is possible here until the node is started again",
            ),
            Refusal::ChangePending => f.write_str("another change of the voters is not through yet: try again"),
            Refusal::AlreadyVoter => f.write_str("it is a voter already"),
            Refusal::UnknownVoter => f.write_str("there is no such voter"),
            Refusal::LastVoter => f.write_str("it is the only voter: add another first"),
        }
    }
}

/// Why a peer's message is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageRefusal {
    /// Its bytes make no sense.
    Malformed(DecodeError),
    /// What it says cannot be; the text says what.
    Absurd(&'static str),
    /// It is in a format that is not known here.
    UnknownVersion(u8),
    /// It is of another cluster.
    OtherCluster(String),
    /// It is for another node.
    OtherNode(NodeId),
    /// It says that another node sent it than the one that did.
    OtherSender(NodeId),
    /// It answers something that its sender was never asked.
    UnknownSender(NodeId),
    /// The two logs contradict each other about what is committed; the text says how.
    Contradicts(&'static str),
    /// This node takes no part.
    Offline,
}

impl From<DecodeError> for MessageRefusal {
    fn from(error: DecodeError) -> MessageRefusal {
        MessageRefusal::Malformed(error)
    }
}

impl std::fmt::Display for MessageRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MessageRefusal::Malformed(error) => write!(f, "a message of the quorum cannot be read: {error}"),
            MessageRefusal::Absurd(what) => write!(f, "a message of the quorum makes no sense: {what}"),
            MessageRefusal::UnknownVersion(version) => {
                write!(f, "messages of the quorum in format {version} are not known here: upgrade this node")
            }
            MessageRefusal::OtherCluster(id) => {
                write!(f, "the sender is of cluster {id}: it is started with the wrong peers")
            }
            MessageRefusal::OtherNode(NodeId(id)) => {
                write!(f, "the message is for node {id}: its sender has a wrong address for that one")
            }
            MessageRefusal::OtherSender(NodeId(id)) => write!(f, "the message says that node {id} sent it"),
            MessageRefusal::UnknownSender(NodeId(id)) => write!(f, "node {id} is not of the quorum"),
            MessageRefusal::Contradicts(how) => {
                write!(f, "{how}: one of the two has lost its disk, and has to begin anew with an empty one")
            }
            MessageRefusal::Offline => f.write_str("this node's metadata log has failed: start it again"),
        }
    }
}
