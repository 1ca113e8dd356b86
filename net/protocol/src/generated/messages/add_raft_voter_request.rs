//! AddRaftVoterRequest, key 80. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `AddRaftVoterRequest`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct AddRaftVoterRequest<'a> {
    /// `ClusterId`, versions 0–1.
    pub cluster_id: Option<&'a str>,
    /// `TimeoutMs`, versions 0–1.
    pub timeout_ms: i32,
    /// `VoterId`, versions 0–1.
    pub voter_id: i32,
    /// `VoterDirectoryId`, versions 0–1.
    pub voter_directory_id: Uuid,
    /// `Listeners`, versions 0–1.
    pub listeners: Vec<Listener<'a>>,
    /// `AckWhenCommitted`, version 1.
    pub ack_when_committed: bool,
}

impl Default for AddRaftVoterRequest<'_> {
    fn default() -> Self {
        AddRaftVoterRequest {
            cluster_id: Some(""),
            timeout_ms: 0,
            voter_id: 0,
            voter_directory_id: Uuid::ZERO,
            listeners: Vec::new(),
            ack_when_committed: true,
        }
    }
}

impl<'a> Message<'a> for AddRaftVoterRequest<'a> {
    const NAME: &'static str = "AddRaftVoterRequest";
    const API_KEY: Option<i16> = Some(80);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.cluster_id = d.nullable_string(true)?;
        message.timeout_ms = d.i32()?;
        message.voter_id = d.i32()?;
        message.voter_directory_id = d.uuid()?;
        message.listeners = d.array(true, |d| Listener::decode(d, version))?;
        if version >= 1 {
            message.ack_when_committed = d.bool()?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.nullable_string(self.cluster_id, true);
        e.i32(self.timeout_ms);
        e.i32(self.voter_id);
        e.uuid(self.voter_directory_id);
        e.array(&self.listeners, true, |e, item| item.encode(e, version));
        if version >= 1 {
            e.bool(self.ack_when_committed);
        }
        e.no_tags();
    }
}

/// `Listener` of [`AddRaftVoterRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listener<'a> {
    /// `Name`, versions 0–1.
    pub name: &'a str,
    /// `Host`, versions 0–1.
    pub host: &'a str,
    /// `Port`, versions 0–1.
    pub port: u16,
}

impl<'a> Listener<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.host = d.string(true)?;
        message.port = d.u16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.string(self.host, true);
        e.u16(self.port);
        e.no_tags();
    }
}
