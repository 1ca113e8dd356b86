//! ShareGroupHeartbeatRequest, key 76. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ShareGroupHeartbeatRequest`, version 1, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShareGroupHeartbeatRequest<'a> {
    /// `GroupId`, version 1.
    pub group_id: &'a str,
    /// `MemberId`, version 1.
    pub member_id: &'a str,
    /// `MemberEpoch`, version 1.
    pub member_epoch: i32,
    /// `RackId`, version 1.
    pub rack_id: Option<&'a str>,
    /// `SubscribedTopicNames`, version 1.
    pub subscribed_topic_names: Option<Vec<&'a str>>,
}

impl<'a> Message<'a> for ShareGroupHeartbeatRequest<'a> {
    const NAME: &'static str = "ShareGroupHeartbeatRequest";
    const API_KEY: Option<i16> = Some(76);
    const VERSIONS: std::ops::RangeInclusive<i16> = 1..=1;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.group_id = d.string(true)?;
        message.member_id = d.string(true)?;
        message.member_epoch = d.i32()?;
        message.rack_id = d.nullable_string(true)?;
        message.subscribed_topic_names = d.nullable_array(true, |d| d.string(true))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.group_id, true);
        e.string(self.member_id, true);
        e.i32(self.member_epoch);
        e.nullable_string(self.rack_id, true);
        e.nullable_array(self.subscribed_topic_names.as_deref(), true, |e, item| e.string(item, true));
        e.no_tags();
    }
}
