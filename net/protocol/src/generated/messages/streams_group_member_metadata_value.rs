//! StreamsGroupMemberMetadataValue, key 19. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `StreamsGroupMemberMetadataValue`, version 0, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamsGroupMemberMetadataValue<'a> {
    /// `InstanceId`, version 0.
    pub instance_id: Option<&'a str>,
    /// `RackId`, version 0.
    pub rack_id: Option<&'a str>,
    /// `ClientId`, version 0.
    pub client_id: &'a str,
    /// `ClientHost`, version 0.
    pub client_host: &'a str,
    /// `RebalanceTimeoutMs`, version 0.
    pub rebalance_timeout_ms: i32,
    /// `TopologyEpoch`, version 0.
    pub topology_epoch: i32,
    /// `ProcessId`, version 0.
    pub process_id: &'a str,
    /// `UserEndpoint`, version 0.
    pub user_endpoint: Option<Endpoint<'a>>,
    /// `ClientTags`, version 0.
    pub client_tags: Vec<KeyValue<'a>>,
}

impl Default for StreamsGroupMemberMetadataValue<'_> {
    fn default() -> Self {
        StreamsGroupMemberMetadataValue {
            instance_id: Some(""),
            rack_id: Some(""),
            client_id: "",
            client_host: "",
            rebalance_timeout_ms: -1,
            topology_epoch: 0,
            process_id: "",
            user_endpoint: None,
            client_tags: Vec::new(),
        }
    }
}

impl<'a> Message<'a> for StreamsGroupMemberMetadataValue<'a> {
    const NAME: &'static str = "StreamsGroupMemberMetadataValue";
    const API_KEY: Option<i16> = Some(19);
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
        message.rebalance_timeout_ms = d.i32()?;
        message.topology_epoch = d.i32()?;
        message.process_id = d.string(true)?;
        message.user_endpoint = if d.present()? { Some(Endpoint::decode(d, version)?) } else { None };
        message.client_tags = d.array(true, |d| KeyValue::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.nullable_string(self.instance_id, true);
        e.nullable_string(self.rack_id, true);
        e.string(self.client_id, true);
        e.string(self.client_host, true);
        e.i32(self.rebalance_timeout_ms);
        e.i32(self.topology_epoch);
        e.string(self.process_id, true);
        {
            e.present(self.user_endpoint.is_some());
            if let Some(inner) = &self.user_endpoint {
                inner.encode(e, version);
            }
        };
        e.array(&self.client_tags, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `Endpoint` of [`StreamsGroupMemberMetadataValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Endpoint<'a> {
    /// `Host`, version 0.
    pub host: &'a str,
    /// `Port`, version 0.
    pub port: u16,
}

impl<'a> Endpoint<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.host = d.string(true)?;
        message.port = d.u16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.host, true);
        e.u16(self.port);
        e.no_tags();
    }
}

/// `KeyValue` of [`StreamsGroupMemberMetadataValue`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeyValue<'a> {
    /// `Key`, version 0.
    pub key: &'a str,
    /// `Value`, version 0.
    pub value: &'a str,
}

impl<'a> KeyValue<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.key = d.string(true)?;
        message.value = d.string(true)?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.key, true);
        e.string(self.value, true);
        e.no_tags();
    }
}
