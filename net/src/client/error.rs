//! Why a client gives up: which broker, which request, what happened, and what to do.

use std::fmt;
use std::time::Duration;

use protocol::{ApiKey, DecodeError, ErrorCode};

use super::framing::FrameFault;
use super::session::SessionFault;

/// Why something could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientError {
    /// No broker of the list answers.
    NoneReachable {
        /// Each address with what became of it.
        tried: Vec<String>,
    },
    /// A broker that the cluster names cannot be reached.
    Unreachable {
        /// Which, and where.
        broker: String,
        /// What became of it.
        why: String,
    },
    /// A connection broke with a question under way.
    Broken {
        /// Which broker.
        broker: String,
        /// What was asked.
        request: ApiKey,
        /// What became of it.
        why: String,
    },
    /// An answer did not come in time.
    TimedOut {
        /// Which broker.
        broker: String,
        /// What was asked.
        request: ApiKey,
        /// How long it had.
        after: Duration,
    },
    /// A broker says what the protocol does not have, or does not serve what is needed.
    Session {
        /// Which broker.
        broker: String,
        /// What is wrong.
        fault: SessionFault,
    },
    /// A frame that is none.
    Frame {
        /// Which broker.
        broker: String,
        /// What is wrong.
        fault: FrameFault,
    },
    /// The cluster knows no broker of this number, or no leader, for now.
    NoBroker {
        /// What is missing.
        what: String,
    },
    /// The cluster cannot do what was asked for.
    Unsupported {
        /// What, and what to do instead.
        what: String,
    },
    /// A broker said no.
    Refused(Refused),
}

/// What a broker said instead of yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// What was asked.
    pub request: ApiKey,
    /// Of whom; empty where nobody needs to know.
    pub broker: String,
    /// What it was about: "topic a", "group g".
    pub about: String,
    /// The error's number.
    pub code: i16,
    /// What the broker says about it.
    pub message: Option<String>,
}

impl Refused {
    /// The error, if Kafka has one of this number.
    pub fn error(&self) -> Option<ErrorCode> {
        ErrorCode::from_code(self.code)
    }
}

impl ClientError {
    /// Whether it may go away by itself, after another look at who leads what.
    pub fn may_pass(&self) -> bool {
        match self {
            ClientError::NoneReachable { .. }
            | ClientError::Unreachable { .. }
            | ClientError::Broken { .. }
            | ClientError::NoBroker { .. } => true,
            ClientError::TimedOut { .. }
            | ClientError::Session { .. }
            | ClientError::Frame { .. }
            | ClientError::Unsupported { .. } => false,
            // Clients ask again about an unknown topic, for it may just have been made. People want to be told.
            ClientError::Refused(refused) => refused.error().is_some_and(|error| {
                error.is_retriable()
                    && !matches!(error, ErrorCode::UnknownTopicOrPartition | ErrorCode::UnknownTopicId)
            }),
        }
    }

    /// The error of a refusal.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            ClientError::Refused(refused) => refused.error(),
            _ => None,
        }
    }

    pub(super) fn undecodable(broker: &str, key: ApiKey, fault: DecodeError) -> ClientError {
        ClientError::Session { broker: broker.to_owned(), fault: SessionFault::Decode { key, fault } }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.about.is_empty() {
            write!(f, "{}: ", self.about)?;
        }
        let message = self.message.as_deref().filter(|message| !message.is_empty());
        match (self.error(), message) {
            (Some(error), message) => write!(f, "{} ({}", message.unwrap_or(error.text()), error.name())?,
            (None, Some(message)) => write!(f, "{message} (error {}", self.code)?,
            (None, None) => write!(f, "an error that this program does not know ({}", self.code)?,
        }
        match self.broker.as_str() {
            "" => f.write_str(")"),
            broker => write!(f, ", said {broker} to {:?})", self.request),
        }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::NoneReachable { tried } => write!(
                f,
                "no broker answers: {}; is it running there? --bootstrap names another address",
                tried.join("; ")
            ),
            ClientError::Unreachable { broker, why } => write!(
                f,
                "{broker} cannot be reached: {why}; it advertises this address itself (advertised.listeners)"
            ),
            ClientError::Broken { broker, request, why } => {
                write!(f, "the connection to {broker} broke during {request:?}: {why}")
            }
            ClientError::TimedOut { broker, request, after } => write!(
                f,
                "{broker} did not answer {request:?} within {} s; --timeout gives it longer",
                after.as_secs_f32()
            ),
            ClientError::Session { broker, fault } => write!(f, "{broker}: {fault}"),
            ClientError::Frame { broker, fault } => write!(f, "{broker}: {fault}"),
            ClientError::NoBroker { what } | ClientError::Unsupported { what } => f.write_str(what),
            ClientError::Refused(refused) => refused.fmt(f),
        }
    }
}

impl std::error::Error for ClientError {}
