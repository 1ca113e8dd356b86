//! DescribeTransactionsRequest, key 65. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `DescribeTransactionsRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeTransactionsRequest<'a> {
    /// `TransactionalIds`, version 0.
    pub transactional_ids: Vec<&'a str>,
}

impl<'a> Message<'a> for DescribeTransactionsRequest<'a> {
    const NAME: &'static str = "DescribeTransactionsRequest";
    const API_KEY: Option<i16> = Some(65);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.transactional_ids = d.array(true, |d| d.string(true))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.array(&self.transactional_ids, true, |e, item| e.string(item, true));
        e.no_tags();
    }
}
