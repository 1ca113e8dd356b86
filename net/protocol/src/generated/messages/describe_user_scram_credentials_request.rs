//! DescribeUserScramCredentialsRequest, key 50. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeUserScramCredentialsRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeUserScramCredentialsRequest<'a> {
    /// `Users`, version 0.
    pub users: Option<Vec<UserName<'a>>>,
}

impl Default for DescribeUserScramCredentialsRequest<'_> {
    fn default() -> Self {
        DescribeUserScramCredentialsRequest { users: Some(Vec::new()) }
    }
}

impl<'a> Message<'a> for DescribeUserScramCredentialsRequest<'a> {
    const NAME: &'static str = "DescribeUserScramCredentialsRequest";
    const API_KEY: Option<i16> = Some(50);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.users = d.nullable_array(true, |d| UserName::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.nullable_array(self.users.as_deref(), true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `UserName` of [`DescribeUserScramCredentialsRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserName<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
}

impl<'a> UserName<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.no_tags();
    }
}
