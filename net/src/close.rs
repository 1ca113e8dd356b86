//! Why a connection ended: each has exactly one reason, for the log and the counters.

use std::borrow::Cow;
use std::fmt;

use shard::IoError;

use crate::frame::FrameError;

/// The one reason for which a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CloseReason {
    /// The peer closed it.
    PeerClosed,
    /// The network or the peer broke it.
    Broken(IoError),
    /// The peer sent a frame that no request can have.
    Frame(FrameError),
    /// Nothing was asked for `connections.max.idle.ms`.
    Idle,
    /// `max.connections` or `max.connections.per.ip` was reached.
    TooMany,
    /// The request cannot be answered within the protocol; the text says why.
    Request(Cow<'static, str>),
    /// A produce request that wants no answer failed, and only this tells the client (Q12).
    SilentFailure(Cow<'static, str>),
    /// The broker stops.
    Stopping,
}

/// What kind of reason it was: what is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Closing {
    /// See [`CloseReason::PeerClosed`].
    PeerClosed,
    /// See [`CloseReason::Broken`].
    Broken,
    /// See [`CloseReason::Frame`].
    BadFrame,
    /// See [`CloseReason::Idle`].
    Idle,
    /// See [`CloseReason::TooMany`].
    TooMany,
    /// See [`CloseReason::Request`].
    BadRequest,
    /// See [`CloseReason::SilentFailure`].
    SilentFailure,
    /// See [`CloseReason::Stopping`].
    Stopping,
}

impl Closing {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Closing; 8] = [
        Closing::PeerClosed,
        Closing::Broken,
        Closing::BadFrame,
        Closing::Idle,
        Closing::TooMany,
        Closing::BadRequest,
        Closing::SilentFailure,
        Closing::Stopping,
    ];
    /// How many there are.
    pub const COUNT: usize = Closing::ALL.len();

    /// Its name among the metrics.
    pub fn name(self) -> &'static str {
        match self {
            Closing::PeerClosed => "peer_closed",
            Closing::Broken => "broken",
            Closing::BadFrame => "bad_frame",
            Closing::Idle => "idle",
            Closing::TooMany => "too_many",
            Closing::BadRequest => "bad_request",
            Closing::SilentFailure => "silent_failure",
            Closing::Stopping => "stopping",
        }
    }
}

impl CloseReason {
    /// What kind of reason it is.
    pub fn kind(&self) -> Closing {
        match self {
            CloseReason::PeerClosed => Closing::PeerClosed,
            CloseReason::Broken(_) => Closing::Broken,
            CloseReason::Frame(_) => Closing::BadFrame,
            CloseReason::Idle => Closing::Idle,
            CloseReason::TooMany => Closing::TooMany,
            CloseReason::Request(_) => Closing::BadRequest,
            CloseReason::SilentFailure(_) => Closing::SilentFailure,
            CloseReason::Stopping => Closing::Stopping,
        }
    }

    /// Whether it is part of ordinary life, not worth an operator's attention.
    pub fn is_ordinary(&self) -> bool {
        match self {
            CloseReason::PeerClosed | CloseReason::Broken(_) | CloseReason::Idle | CloseReason::Stopping => {
                true
            }
            CloseReason::Frame(_)
            | CloseReason::TooMany
            | CloseReason::Request(_)
            | CloseReason::SilentFailure(_) => false,
        }
    }
}

impl CloseReason {
    /// Whether nothing that is still to be sent matters any more.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            CloseReason::PeerClosed
            | CloseReason::Broken(_)
            | CloseReason::Idle
            | CloseReason::Stopping
            | CloseReason::Frame(_)
            | CloseReason::TooMany => true,
            // The replies before the request go out first.
            CloseReason::Request(_) | CloseReason::SilentFailure(_) => false,
        }
    }
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CloseReason::PeerClosed => f.write_str("the peer closed"),
            CloseReason::Broken(error) => write!(f, "the connection broke: {error}"),
            CloseReason::Frame(error) => error.fmt(f),
            CloseReason::Idle => f.write_str("idle for longer than connections.max.idle.ms"),
            CloseReason::TooMany => f.write_str("too many connections"),
            CloseReason::Request(why) => write!(f, "the request cannot be answered: {why}"),
            CloseReason::SilentFailure(why) => {
                write!(f, "a produce request without acknowledgement failed: {why}")
            }
            CloseReason::Stopping => f.write_str("the broker stops"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_place() {
        for (index, kind) in Closing::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, index, "{}", kind.name());
        }
    }
}
