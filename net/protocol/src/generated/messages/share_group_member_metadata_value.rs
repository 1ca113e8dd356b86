//! ShareGroupMemberMetadataValue, key 10. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ShareGroupMemberMetadataValue`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareGroupMemberMetadataValue<'a> {
    /// `RackId`, version 0.
    pub rack_id: Option<&'a str>,
    /// `ClientId`, version 0.
    pub client_id: &'a str,
    /// `ClientHost`, version 0.
    pub client_host: &'a str,
    /// `SubscribedTopicNames`, version 0.
    pub subscribed_topic_names: Vec<&'a str>,
}

impl Default for ShareGroupMemberMetadataValue<'_> {
    fn default() -> Self {
        ShareGroupMemberMetadataValue {
            rack_id: Some(""),
            client_id: "",
            client_host: "",
            subscribed_topic_names: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for ShareGroupMemberMetadataValue<'a> {
    const NAME: &'static str = "ShareGroupMemberMetadataValue";
    const API_KEY: Option<i16> = Some(10);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.rack_id = d.nullable_string(true)?;
        message.client_id = d.string(true)?;
        message.client_host = d.string(true)?;
        message.subscribed_topic_names = d.array(true, |d| d.string(true))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.nullable_string(self.rack_id, true);
        e.string(self.client_id, true);
        e.string(self.client_host, true);
        e.array(&self.subscribed_topic_names, true, |e, item| e.string(item, true));
        e.no_tags();
    }
}
