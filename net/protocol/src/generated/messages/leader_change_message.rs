//! LeaderChangeMessage. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `LeaderChangeMessage`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeaderChangeMessage {
    /// `Version`, versions 0–1.
    pub version: i16,
    /// `LeaderId`, versions 0–1.
    pub leader_id: i32,
    /// `Voters`, versions 0–1.
    pub voters: Vec<Voter>,
    /// `GrantingVoters`, versions 0–1.
    pub granting_voters: Vec<Voter>,
}

impl<'a> Message<'a> for LeaderChangeMessage {
    const NAME: &'static str = "LeaderChangeMessage";
    const API_KEY: Option<i16> = None;
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.version = d.i16()?;
        message.leader_id = d.i32()?;
        message.voters = d.array(true, |d| Voter::decode(d, version))?;
        message.granting_voters = d.array(true, |d| Voter::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i16(self.version);
        e.i32(self.leader_id);
        e.array(&self.voters, true, |e, item| item.encode(e, version));
        e.array(&self.granting_voters, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `Voter` of [`LeaderChangeMessage`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Voter {
    /// `VoterId`, versions 0–1.
    pub voter_id: i32,
    /// `VoterDirectoryId`, version 1.
    pub voter_directory_id: Uuid,
}

impl Voter {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.voter_id = d.i32()?;
        if version >= 1 {
            message.voter_directory_id = d.uuid()?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.voter_id);
        if version >= 1 {
            e.uuid(self.voter_directory_id);
        }
        e.no_tags();
    }
}
