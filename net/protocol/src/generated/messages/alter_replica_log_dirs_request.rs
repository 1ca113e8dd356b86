//! AlterReplicaLogDirsRequest, key 34. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `AlterReplicaLogDirsRequest`, versions 1–2, flexible from 2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterReplicaLogDirsRequest<'a> {
    /// `Dirs`, versions 1–2.
    pub dirs: Vec<AlterReplicaLogDir<'a>>,
}

impl<'a> Message<'a> for AlterReplicaLogDirsRequest<'a> {
    const NAME: &'static str = "AlterReplicaLogDirsRequest";
    const API_KEY: Option<i16> = Some(34);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=2;
    const FLEXIBLE_FROM: i16 = 2;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 2;
        let mut message = Self::default();
        message.dirs = d.array(flexible, |d| AlterReplicaLogDir::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.array(&self.dirs, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `AlterReplicaLogDir` of [`AlterReplicaLogDirsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterReplicaLogDir<'a> {
    /// `Path`, versions 1–2.
    pub path: &'a str,
    /// `Topics`, versions 1–2.
    pub topics: Vec<AlterReplicaLogDirTopic<'a>>,
}

impl<'a> AlterReplicaLogDir<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.path = d.string(flexible)?;
        message.topics = d.array(flexible, |d| AlterReplicaLogDirTopic::decode(d, version))?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.string(self.path, flexible);
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 2 {
            e.no_tags();
        }
    }
}

/// `AlterReplicaLogDirTopic` of [`AlterReplicaLogDirsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlterReplicaLogDirTopic<'a> {
    /// `Name`, versions 1–2.
    pub name: &'a str,
    /// `Partitions`, versions 1–2.
    pub partitions: Vec<i32>,
}

impl<'a> AlterReplicaLogDirTopic<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 2;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        message.partitions = d.array(flexible, Decoder::i32)?;
        if version >= 2 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 2;
        e.string(self.name, flexible);
        e.array(&self.partitions, flexible, |e, item| e.i32(*item));
        if version >= 2 {
            e.no_tags();
        }
    }
}
