//! UpdateRaftVoterRequest, key 82. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `UpdateRaftVoterRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateRaftVoterRequest<'a> {
    /// `ClusterId`, version 0.
    pub cluster_id: Option<&'a str>,
    /// `CurrentLeaderEpoch`, version 0.
    pub current_leader_epoch: i32,
    /// `VoterId`, version 0.
    pub voter_id: i32,
    /// `VoterDirectoryId`, version 0.
    pub voter_directory_id: Uuid,
    /// `Listeners`, version 0.
    pub listeners: Vec<Listener<'a>>,
    /// `KRaftVersionFeature`, version 0.
    pub kraft_version_feature: KRaftVersionFeature,
}

impl Default for UpdateRaftVoterRequest<'_> {
    fn default() -> Self {
        UpdateRaftVoterRequest {
            cluster_id: Some(""),
            current_leader_epoch: 0,
            voter_id: 0,
            voter_directory_id: Uuid::ZERO,
            listeners: Vec::new(),
            kraft_version_feature: KRaftVersionFeature::default(),
        }
    }
}

impl<'a> Message<'a> for UpdateRaftVoterRequest<'a> {
    const NAME: &'static str = "UpdateRaftVoterRequest";
    const API_KEY: Option<i16> = Some(82);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.cluster_id = d.nullable_string(true)?;
        message.current_leader_epoch = d.i32()?;
        message.voter_id = d.i32()?;
        message.voter_directory_id = d.uuid()?;
        message.listeners = d.array(true, |d| Listener::decode(d, version))?;
        message.kraft_version_feature = KRaftVersionFeature::decode(d, version)?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.nullable_string(self.cluster_id, true);
        e.i32(self.current_leader_epoch);
        e.i32(self.voter_id);
        e.uuid(self.voter_directory_id);
        e.array(&self.listeners, true, |e, item| item.encode(e, version));
        self.kraft_version_feature.encode(e, version);
        e.no_tags();
    }
}

/// `Listener` of [`UpdateRaftVoterRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listener<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Host`, version 0.
    pub host: &'a str,
    /// `Port`, version 0.
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

/// `KRaftVersionFeature` of [`UpdateRaftVoterRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KRaftVersionFeature {
    /// `MinSupportedVersion`, version 0.
    pub min_supported_version: i16,
    /// `MaxSupportedVersion`, version 0.
    pub max_supported_version: i16,
}

impl KRaftVersionFeature {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.min_supported_version = d.i16()?;
        message.max_supported_version = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i16(self.min_supported_version);
        e.i16(self.max_supported_version);
        e.no_tags();
    }
}
