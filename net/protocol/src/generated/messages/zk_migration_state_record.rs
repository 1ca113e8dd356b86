//! ZkMigrationStateRecord, key 21. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ZkMigrationStateRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ZkMigrationStateRecord {
    /// `ZkMigrationState`, version 0.
    pub zk_migration_state: i8,
}

impl<'a> Message<'a> for ZkMigrationStateRecord {
    const NAME: &'static str = "ZkMigrationStateRecord";
    const API_KEY: Option<i16> = Some(21);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.zk_migration_state = d.i8()?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.i8(self.zk_migration_state);
        e.no_tags();
    }
}
