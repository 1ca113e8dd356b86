//! Why there is no connection to a peer, or no answer.

use std::fmt;

use shard::IoError;

use crate::client::SessionFault;
use crate::frame::FrameError;

/// Why a connection, an attempt at one, or a question has ended without what was wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PeerFault {
    /// Its host name cannot be resolved.
    Unresolved(IoError),
    /// It does not take connections.
    Unreachable(IoError),
    /// A connection, or its first answer, did not come about in time.
    TooSlow,
    /// It closed the connection.
    PeerClosed,
    /// The network broke the connection.
    Broken(IoError),
    /// It sent a frame that no answer can have.
    Frame(FrameError),
    /// It said what the protocol does not have.
    Session(SessionFault),
    /// It does not serve this request in the version that it was asked in.
    NotServed {
        /// The request's key.
        key: i16,
        /// The version.
        version: i16,
    },
    /// A question was not answered by its deadline. The connection ends with it, for later answers stand behind that one.
    NoAnswer,
    /// It is somewhere else now.
    Moved,
    /// It is not a peer any more.
    Forgotten,
}

impl fmt::Display for PeerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PeerFault::Unresolved(error) => write!(f, "its host name cannot be resolved: {error}"),
            PeerFault::Unreachable(error) => write!(f, "it cannot be reached: {error}"),
            PeerFault::TooSlow => f.write_str("it did not take the connection in time"),
            PeerFault::PeerClosed => f.write_str("it closed the connection"),
            PeerFault::Broken(error) => write!(f, "the connection broke: {error}"),
            PeerFault::Frame(FrameError::BadSize(size)) => {
                write!(f, "it sent a frame of {size} bytes: is a Ringlog node's peer listener there?")
            }
            PeerFault::Frame(FrameError::TooLarge { size, size_max }) => write!(
                f,
                "it sent a frame of {size} bytes, {size_max} at most: is a Ringlog node's peer listener there?"
            ),
            PeerFault::Session(fault) => fault.fmt(f),
            PeerFault::NotServed { key, version } => write!(
                f,
                "it does not serve request {key} in version {version}: is that its peer listener, and is it of a \
                 version that fits?"
            ),
            PeerFault::NoAnswer => f.write_str("it did not answer in time"),
            PeerFault::Moved => f.write_str("it has another address now"),
            PeerFault::Forgotten => f.write_str("it is no peer any more"),
        }
    }
}

impl std::error::Error for PeerFault {}
