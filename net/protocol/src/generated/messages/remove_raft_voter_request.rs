//! RemoveRaftVoterRequest, key 81. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `RemoveRaftVoterRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct RemoveRaftVoterRequest<'a> {
    /// `ClusterId`, version 0.
    pub cluster_id: Option<&'a str>,
    /// `VoterId`, version 0.
    pub voter_id: i32,
    /// `VoterDirectoryId`, version 0.
    pub voter_directory_id: Uuid,
}

impl Default for RemoveRaftVoterRequest<'_> {
    fn default() -> Self {
        RemoveRaftVoterRequest { cluster_id: Some(""), voter_id: 0, voter_directory_id: Uuid::ZERO }
    }
}

impl<'a> Message<'a> for RemoveRaftVoterRequest<'a> {
    const NAME: &'static str = "RemoveRaftVoterRequest";
    const API_KEY: Option<i16> = Some(81);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.cluster_id = d.nullable_string(true)?;
        message.voter_id = d.i32()?;
        message.voter_directory_id = d.uuid()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.nullable_string(self.cluster_id, true);
        e.i32(self.voter_id);
        e.uuid(self.voter_directory_id);
        e.no_tags();
    }
}
