//! VotersRecord. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `VotersRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VotersRecord<'a> {
    /// `Version`, version 0.
    pub version: i16,
    /// `Voters`, version 0.
    pub voters: Vec<Voter<'a>>,
}

impl<'a> Message<'a> for VotersRecord<'a> {
    const NAME: &'static str = "VotersRecord";
    const API_KEY: Option<i16> = None;
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.version = d.i16()?;
        message.voters = d.array(true, |d| Voter::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i16(self.version);
        e.array(&self.voters, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `Voter` of [`VotersRecord`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Voter<'a> {
    /// `VoterId`, version 0.
    pub voter_id: i32,
    /// `VoterDirectoryId`, version 0.
    pub voter_directory_id: Uuid,
    /// `Endpoints`, version 0.
    pub endpoints: Vec<Endpoint<'a>>,
    /// `KRaftVersionFeature`, version 0.
    pub kraft_version_feature: KRaftVersionFeature,
}

impl<'a> Voter<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.voter_id = d.i32()?;
        message.voter_directory_id = d.uuid()?;
        message.endpoints = d.array(true, |d| Endpoint::decode(d, version))?;
        message.kraft_version_feature = KRaftVersionFeature::decode(d, version)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.voter_id);
        e.uuid(self.voter_directory_id);
        e.array(&self.endpoints, true, |e, item| item.encode(e, version));
        self.kraft_version_feature.encode(e, version);
        e.no_tags();
    }
}

/// `Endpoint` of [`VotersRecord`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Endpoint<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Host`, version 0.
    pub host: &'a str,
    /// `Port`, version 0.
    pub port: u16,
}

impl<'a> Endpoint<'a> {
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

/// `KRaftVersionFeature` of [`VotersRecord`].
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
