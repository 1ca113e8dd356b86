//! One connection's state, without the connection: what was asked and not answered, and in which version.
//!
//! A session begins with ApiVersions ([`Session::hello`], [`Session::on_hello`]); then every request goes out in the
//! highest version that both sides know. Kafka answers in order, so that an answer with another correlation id than
//! the oldest question's means that the connection is of no more use.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use protocol::messages::api_versions_request::ApiVersionsRequest;
use protocol::messages::api_versions_response::ApiVersionsResponse;
use protocol::{
    ApiKey, DecodeError, Decoder, ErrorCode, Message, RequestHeader, decode_response_header, encode_request,
};

use super::answer::Answer;
use super::versions::{VersionFault, Versions};

/// How many questions may be under way; a bug beyond it.
const IN_FLIGHT_MAX: usize = 64;

/// What a connection knows.
#[derive(Debug)]
pub struct Session {
    client_id: String,
    broker: Arc<str>,
    versions: Option<Versions>,
    next_correlation_id: i32,
    in_flight: VecDeque<Question>,
}

#[derive(Debug, Clone, Copy)]
struct Question {
    correlation_id: i32,
    key: ApiKey,
    version: i16,
}

/// Why a session cannot go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionFault {
    /// The request cannot be made of this broker.
    Version(VersionFault),
    /// The answer is not what the protocol says.
    Decode {
        /// The request that it answers.
        key: ApiKey,
        /// What is wrong with it.
        fault: DecodeError,
    },
    /// The answer belongs to another question than the oldest.
    WrongCorrelation {
        /// The oldest question's.
        wanted: i32,
        /// The answer's.
        got: i32,
    },
    /// An answer came, and nothing was asked.
    NotAsked,
    /// The broker refused ApiVersions.
    HelloRefused(i16),
}

impl fmt::Display for SessionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionFault::Version(fault) => fault.fmt(f),
            SessionFault::Decode { key, fault } => write!(f, "its answer to {key:?} cannot be read: {fault}"),
            SessionFault::WrongCorrelation { wanted, got } => {
                write!(f, "it answered question {got} where {wanted} was the next")
            }
            SessionFault::NotAsked => f.write_str("it answered what nobody had asked"),
            SessionFault::HelloRefused(code) => {
                let name = ErrorCode::from_code(*code).map_or("an unknown error", ErrorCode::name);
                write!(f, "it answered ApiVersions with {name} ({code})")
            }
        }
    }
}

impl std::error::Error for SessionFault {}

/// What comes after an answer to [`Session::hello`].
#[derive(Debug, PartialEq, Eq)]
pub enum Hello {
    /// The versions are known; anything may be asked.
    Done,
    /// Send this, and give the answer to [`Session::on_hello`].
    Again(Vec<u8>),
}

impl Session {
    /// A session with a broker (how to call it in messages) in which nothing was said.
    pub fn new(client_id: &str, broker: Arc<str>) -> Session {
        Session {
            client_id: client_id.to_owned(),
            broker,
            versions: None,
            next_correlation_id: 0,
            in_flight: VecDeque::new(),
        }
    }

    /// The first request: ApiVersions in the newest version that we know.
    pub fn hello(&mut self) -> Vec<u8> {
        self.hello_of(*ApiVersionsRequest::VERSIONS.end())
    }

    /// Takes the answer to a hello: a frame without its size. An old broker answers a version that it does not know in
    /// version 0, with its own versions in it (Q2): then the hello is said once more in the newest one of those.
    pub fn on_hello(&mut self, frame: &[u8]) -> Result<Hello, SessionFault> {
        let question = self.take_question(frame)?;
        let faulty = |fault| SessionFault::Decode { key: question.key, fault };
        let is_refused = |version| {
            let mut d = Decoder::new(frame);
            decode_response_header(&mut d, question.key, version)?;
            ApiVersionsResponse::decode(&mut d, version)
        };
        let code = frame.get(4..6).map_or(0, |code| i16::from_be_bytes([code[0], code[1]]));
        let is_too_new = code == ErrorCode::UnsupportedVersion.code() && question.version > 0;
        let response = is_refused(if is_too_new { 0 } else { question.version }).map_err(faulty)?;
        let versions = Versions::of(&response);
        if is_too_new {
            let highest = question.version - 1;
            // A broker that says nothing about ApiVersions itself knows version 0 at least.
            let version =
                versions.choose(ApiKey::ApiVersions, ApiVersionsRequest::VERSIONS, highest).unwrap_or(0);
            return Ok(Hello::Again(self.hello_of(version)));
        }
        if response.error_code != ErrorCode::None.code() {
            return Err(SessionFault::HelloRefused(response.error_code));
        }
        self.versions = Some(versions);
        Ok(Hello::Done)
    }

    /// What the broker serves, once it said so.
    pub fn versions(&self) -> Option<&Versions> {
        self.versions.as_ref()
    }

    /// How many answers are to come.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// The frame that asks `request` in the best version, which is not above `highest`.
    pub fn ask<'a, M: Message<'a>>(&mut self, request: &M, highest: i16) -> Result<Vec<u8>, SessionFault> {
        let (frame, question) = self.frame_of(request, highest)?;
        self.push(question);
        Ok(frame)
    }

    /// As [`Session::ask`], for a request that is never answered: Produce with acks=0.
    pub fn tell<'a, M: Message<'a>>(&mut self, request: &M, highest: i16) -> Result<Vec<u8>, SessionFault> {
        Ok(self.frame_of(request, highest)?.0)
    }

    /// Takes a frame, without its size, as the answer to the oldest question.
    pub fn on_frame(&mut self, frame: Vec<u8>) -> Result<Answer, SessionFault> {
        let question = self.take_question(&frame)?;
        Ok(Answer::new(question.key, question.version, self.broker.clone(), frame))
    }

    fn hello_of(&mut self, version: i16) -> Vec<u8> {
        let request = ApiVersionsRequest {
            client_software_name: "ringlog",
            client_software_version: env!("CARGO_PKG_VERSION"),
            ..Default::default()
        };
        let question = self.question(ApiKey::ApiVersions, version);
        self.push(question);
        encode_request(&self.header_of(question), &request)
    }

    fn frame_of<'a, M: Message<'a>>(
        &mut self,
        request: &M,
        highest: i16,
    ) -> Result<(Vec<u8>, Question), SessionFault> {
        let key = M::API_KEY.and_then(ApiKey::from_code).expect("only requests are asked");
        let versions = self.versions.as_ref().expect("a session begins with ApiVersions");
        let version = versions.choose(key, M::VERSIONS, highest).map_err(SessionFault::Version)?;
        let question = self.question(key, version);
        Ok((encode_request(&self.header_of(question), request), question))
    }

    fn question(&mut self, key: ApiKey, version: i16) -> Question {
        let correlation_id = self.next_correlation_id;
        self.next_correlation_id = self.next_correlation_id.wrapping_add(1);
        Question { correlation_id, key, version }
    }

    fn push(&mut self, question: Question) {
        assert!(self.in_flight.len() < IN_FLIGHT_MAX, "too many questions under way");
        self.in_flight.push_back(question);
    }

    fn header_of(&self, question: Question) -> RequestHeader<'_> {
        RequestHeader {
            api_key: question.key.code(),
            api_version: question.version,
            correlation_id: question.correlation_id,
            client_id: Some(&self.client_id),
        }
    }

    fn take_question(&mut self, frame: &[u8]) -> Result<Question, SessionFault> {
        let question = self.in_flight.pop_front().ok_or(SessionFault::NotAsked)?;
        let got = decode_response_header(&mut Decoder::new(frame), question.key, question.version)
            .map_err(|fault| SessionFault::Decode { key: question.key, fault })?;
        if got != question.correlation_id {
            return Err(SessionFault::WrongCorrelation { wanted: question.correlation_id, got });
        }
        Ok(question)
    }
}

#[cfg(test)]
mod tests;
