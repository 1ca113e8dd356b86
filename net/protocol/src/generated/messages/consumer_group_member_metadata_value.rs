//! ConsumerGroupMemberMetadataValue, key 5. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ConsumerGroupMemberMetadataValue`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsumerGroupMemberMetadataValue<'a> {
    /// `InstanceId`, version 0.
    pub instance_id: Option<&'a str>,
    /// `RackId`, version 0.
    pub rack_id: Option<&'a str>,
    /// `ClientId`, version 0.
    pub client_id: &'a str,
    /// `ClientHost`, version 0.
    pub client_host: &'a str,
    /// `SubscribedTopicNames`, version 0.
    pub subscribed_topic_names: Vec<&'a str>,
    /// `SubscribedTopicRegex`, version 0.
    pub subscribed_topic_regex: Option<&'a str>,
    /// `RebalanceTimeoutMs`, version 0.
    pub rebalance_timeout_ms: i32,
    /// `ServerAssignor`, version 0.
    pub server_assignor: Option<&'a str>,
    /// `ClassicMemberMetadata`, version 0, tag 0.
    pub classic_member_metadata: Option<ClassicMemberMetadata<'a>>,
}

impl Default for ConsumerGroupMemberMetadataValue<'_> {
    fn default() -> Self {
        ConsumerGroupMemberMetadataValue {
            instance_id: Some(""),
            rack_id: Some(""),
            client_id: "",
            client_host: "",
            subscribed_topic_names: Vec::new(),
            subscribed_topic_regex: Some(""),
            rebalance_timeout_ms: -1,
            server_assignor: Some(""),
            classic_member_metadata: Some(ClassicMemberMetadata::default()),
        }
    }
}

impl<'a> Message<'a> for ConsumerGroupMemberMetadataValue<'a> {
    const NAME: &'static str = "ConsumerGroupMemberMetadataValue";
    const API_KEY: Option<i16> = Some(5);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.instance_id = d.nullable_string(true)?;
        message.rack_id = d.nullable_string(true)?;
        message.client_id = d.string(true)?;
        message.client_host = d.string(true)?;
        message.subscribed_topic_names = d.array(true, |d| d.string(true))?;
        message.subscribed_topic_regex = d.nullable_string(true)?;
        message.rebalance_timeout_ms = d.i32()?;
        message.server_assignor = d.nullable_string(true)?;
        d.tags(|d, tag| {
            match tag {
                0 => {
                    message.classic_member_metadata =
                        if d.present()? { Some(ClassicMemberMetadata::decode(d, version)?) } else { None }
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.nullable_string(self.instance_id, true);
        e.nullable_string(self.rack_id, true);
        e.string(self.client_id, true);
        e.string(self.client_host, true);
        e.array(&self.subscribed_topic_names, true, |e, item| e.string(item, true));
        e.nullable_string(self.subscribed_topic_regex, true);
        e.i32(self.rebalance_timeout_ms);
        e.nullable_string(self.server_assignor, true);
        let mut tags = e.tags();
        if self.classic_member_metadata != Some(ClassicMemberMetadata::default()) {
            tags.put(e, 0, |e| {
                e.present(self.classic_member_metadata.is_some());
                if let Some(inner) = &self.classic_member_metadata {
                    inner.encode(e, version);
                }
            });
        }
    }
}

/// `ClassicMemberMetadata` of [`ConsumerGroupMemberMetadataValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClassicMemberMetadata<'a> {
    /// `SessionTimeoutMs`, version 0.
    pub session_timeout_ms: i32,
    /// `SupportedProtocols`, version 0.
    pub supported_protocols: Vec<ClassicProtocol<'a>>,
}

impl<'a> ClassicMemberMetadata<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.session_timeout_ms = d.i32()?;
        message.supported_protocols = d.array(true, |d| ClassicProtocol::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.session_timeout_ms);
        e.array(&self.supported_protocols, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `ClassicProtocol` of [`ConsumerGroupMemberMetadataValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClassicProtocol<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Metadata`, version 0.
    pub metadata: &'a [u8],
}

impl<'a> ClassicProtocol<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.metadata = d.bytes(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.bytes(self.metadata, true);
        e.no_tags();
    }
}
