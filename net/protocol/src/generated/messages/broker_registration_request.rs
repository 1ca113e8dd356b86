//! BrokerRegistrationRequest, key 62. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `BrokerRegistrationRequest`, versions 0–4, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokerRegistrationRequest<'a> {
    /// `BrokerId`, versions 0–4.
    pub broker_id: i32,
    /// `ClusterId`, versions 0–4.
    pub cluster_id: &'a str,
    /// `IncarnationId`, versions 0–4.
    pub incarnation_id: Uuid,
    /// `Listeners`, versions 0–4.
    pub listeners: Vec<Listener<'a>>,
    /// `Features`, versions 0–4.
    pub features: Vec<Feature<'a>>,
    /// `Rack`, versions 0–4.
    pub rack: Option<&'a str>,
    /// `IsMigratingZkBroker`, versions 1–4.
    pub is_migrating_zk_broker: bool,
    /// `LogDirs`, versions 2–4.
    pub log_dirs: Vec<Uuid>,
    /// `PreviousBrokerEpoch`, versions 3–4.
    pub previous_broker_epoch: i64,
}

impl Default for BrokerRegistrationRequest<'_> {
    fn default() -> Self {
        BrokerRegistrationRequest {
            broker_id: 0,
            cluster_id: "",
            incarnation_id: Uuid::ZERO,
            listeners: Vec::new(),
            features: Vec::new(),
            rack: Some(""),
            is_migrating_zk_broker: false,
            log_dirs: Vec::new(),
            previous_broker_epoch: -1,
        }
    }
}

impl<'a> Message<'a> for BrokerRegistrationRequest<'a> {
    const NAME: &'static str = "BrokerRegistrationRequest";
    const API_KEY: Option<i16> = Some(62);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=4;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.broker_id = d.i32()?;
        message.cluster_id = d.string(true)?;
        message.incarnation_id = d.uuid()?;
        message.listeners = d.array(true, |d| Listener::decode(d, version))?;
        message.features = d.array(true, |d| Feature::decode(d, version))?;
        message.rack = d.nullable_string(true)?;
        if version >= 1 {
            message.is_migrating_zk_broker = d.bool()?;
        }
        if version >= 2 {
            message.log_dirs = d.array(true, Decoder::uuid)?;
        }
        if version >= 3 {
            message.previous_broker_epoch = d.i64()?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.broker_id);
        e.string(self.cluster_id, true);
        e.uuid(self.incarnation_id);
        e.array(&self.listeners, true, |e, item| item.encode(e, version));
        e.array(&self.features, true, |e, item| item.encode(e, version));
        e.nullable_string(self.rack, true);
        if version >= 1 {
            e.bool(self.is_migrating_zk_broker);
        }
        if version >= 2 {
            e.array(&self.log_dirs, true, |e, item| e.uuid(*item));
        }
        if version >= 3 {
            e.i64(self.previous_broker_epoch);
        }
        e.no_tags();
    }
}

/// `Listener` of [`BrokerRegistrationRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listener<'a> {
    /// `Name`, versions 0–4.
    pub name: &'a str,
    /// `Host`, versions 0–4.
    pub host: &'a str,
    /// `Port`, versions 0–4.
    pub port: u16,
    /// `SecurityProtocol`, versions 0–4.
    pub security_protocol: i16,
}

impl<'a> Listener<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.host = d.string(true)?;
        message.port = d.u16()?;
        message.security_protocol = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.string(self.host, true);
        e.u16(self.port);
        e.i16(self.security_protocol);
        e.no_tags();
    }
}

/// `Feature` of [`BrokerRegistrationRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Feature<'a> {
    /// `Name`, versions 0–4.
    pub name: &'a str,
    /// `MinSupportedVersion`, versions 0–4.
    pub min_supported_version: i16,
    /// `MaxSupportedVersion`, versions 0–4.
    pub max_supported_version: i16,
}

impl<'a> Feature<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.min_supported_version = d.i16()?;
        message.max_supported_version = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.i16(self.min_supported_version);
        e.i16(self.max_supported_version);
        e.no_tags();
    }
}
