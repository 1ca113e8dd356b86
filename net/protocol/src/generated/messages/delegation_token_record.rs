//! DelegationTokenRecord, key 10. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DelegationTokenRecord`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DelegationTokenRecord<'a> {
    /// `Owner`, version 0.
    pub owner: &'a str,
    /// `Requester`, version 0.
    pub requester: &'a str,
    /// `Renewers`, version 0.
    pub renewers: Vec<&'a str>,
    /// `IssueTimestamp`, version 0.
    pub issue_timestamp: i64,
    /// `MaxTimestamp`, version 0.
    pub max_timestamp: i64,
    /// `ExpirationTimestamp`, version 0.
    pub expiration_timestamp: i64,
    /// `TokenId`, version 0.
    pub token_id: &'a str,
}

impl<'a> Message<'a> for DelegationTokenRecord<'a> {
    const NAME: &'static str = "DelegationTokenRecord";
    const API_KEY: Option<i16> = Some(10);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.owner = d.string(true)?;
        message.requester = d.string(true)?;
        message.renewers = d.array(true, |d| d.string(true))?;
        message.issue_timestamp = d.i64()?;
        message.max_timestamp = d.i64()?;
        message.expiration_timestamp = d.i64()?;
        message.token_id = d.string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.owner, true);
        e.string(self.requester, true);
        e.array(&self.renewers, true, |e, item| e.string(item, true));
        e.i64(self.issue_timestamp);
        e.i64(self.max_timestamp);
        e.i64(self.expiration_timestamp);
        e.string(self.token_id, true);
        e.no_tags();
    }
}
