//! QuorumStateData. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `QuorumStateData`, versions 0–1, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct QuorumStateData<'a> {
    /// `ClusterId`, version 0.
    pub cluster_id: &'a str,
    /// `LeaderId`, versions 0–1.
    pub leader_id: i32,
    /// `LeaderEpoch`, versions 0–1.
    pub leader_epoch: i32,
    /// `VotedId`, versions 0–1.
    pub voted_id: i32,
    /// `VotedDirectoryId`, version 1.
    pub voted_directory_id: Uuid,
    /// `AppliedOffset`, version 0.
    pub applied_offset: i64,
    /// `CurrentVoters`, version 0.
    pub current_voters: Option<Vec<Voter>>,
}

impl Default for QuorumStateData<'_> {
    fn default() -> Self {
        QuorumStateData {
            cluster_id: "",
            leader_id: -1,
            leader_epoch: -1,
            voted_id: -1,
            voted_directory_id: Uuid::ZERO,
            applied_offset: 0,
            current_voters: Some(Vec::new()),
        }
    }
}

impl<'a> Message<'a> for QuorumStateData<'a> {
    const NAME: &'static str = "QuorumStateData";
    const API_KEY: Option<i16> = None;
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        if version <= 0 {
            message.cluster_id = d.string(true)?;
        }
        message.leader_id = d.i32()?;
        message.leader_epoch = d.i32()?;
        message.voted_id = d.i32()?;
        if version >= 1 {
            message.voted_directory_id = d.uuid()?;
        }
        if version <= 0 {
            message.applied_offset = d.i64()?;
            message.current_voters = d.nullable_array(true, |d| Voter::decode(d, version))?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        if version <= 0 {
            e.string(self.cluster_id, true);
        }
        e.i32(self.leader_id);
        e.i32(self.leader_epoch);
        e.i32(self.voted_id);
        if version >= 1 {
            e.uuid(self.voted_directory_id);
        }
        if version <= 0 {
            e.i64(self.applied_offset);
            e.nullable_array(self.current_voters.as_deref(), true, |e, item| item.encode(e, version));
        }
        e.no_tags();
    }
}

/// `Voter` of [`QuorumStateData`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Voter {
    /// `VoterId`, version 0.
    pub voter_id: i32,
}

impl Voter {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.voter_id = d.i32()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i32(self.voter_id);
        e.no_tags();
    }
}
