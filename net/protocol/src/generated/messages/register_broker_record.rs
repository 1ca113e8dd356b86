//! RegisterBrokerRecord, key 0. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `RegisterBrokerRecord`, versions 0–4, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct RegisterBrokerRecord<'a> {
    /// `BrokerId`, versions 0–4.
    pub broker_id: i32,
    /// `IsMigratingZkBroker`, versions 2–4.
    pub is_migrating_zk_broker: bool,
    /// `IncarnationId`, versions 0–4.
    pub incarnation_id: Uuid,
    /// `BrokerEpoch`, versions 0–4.
    pub broker_epoch: i64,
    /// `EndPoints`, versions 0–4.
    pub end_points: Vec<BrokerEndpoint<'a>>,
    /// `Features`, versions 0–4.
    pub features: Vec<BrokerFeature<'a>>,
    /// `Rack`, versions 0–4.
    pub rack: Option<&'a str>,
    /// `Fenced`, versions 0–4.
    pub fenced: bool,
    /// `InControlledShutdown`, versions 1–4.
    pub in_controlled_shutdown: bool,
    /// `LogDirs`, versions 3–4, tag 0.
    pub log_dirs: Vec<Uuid>,
    /// `CordonedLogDirs`, version 4, tag 1.
    pub cordoned_log_dirs: Option<Vec<Uuid>>,
}

impl Default for RegisterBrokerRecord<'_> {
    fn default() -> Self {
        RegisterBrokerRecord {
            broker_id: 0,
            is_migrating_zk_broker: false,
            incarnation_id: Uuid::ZERO,
            broker_epoch: 0,
            end_points: Vec::new(),
            features: Vec::new(),
            rack: Some(""),
            fenced: true,
            in_controlled_shutdown: false,
            log_dirs: Vec::new(),
            cordoned_log_dirs: None,
        }
    }
}

impl<'a> Message<'a> for RegisterBrokerRecord<'a> {
    const NAME: &'static str = "RegisterBrokerRecord";
    const API_KEY: Option<i16> = Some(0);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=4;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.broker_id = d.i32()?;
        if version >= 2 {
            message.is_migrating_zk_broker = d.bool()?;
        }
        message.incarnation_id = d.uuid()?;
        message.broker_epoch = d.i64()?;
        message.end_points = d.array(true, |d| BrokerEndpoint::decode(d, version))?;
        message.features = d.array(true, |d| BrokerFeature::decode(d, version))?;
        message.rack = d.nullable_string(true)?;
        message.fenced = d.bool()?;
        if version >= 1 {
            message.in_controlled_shutdown = d.bool()?;
        }
        d.tags(|d, tag| {
            match tag {
                0 if version >= 3 => message.log_dirs = d.array(true, Decoder::uuid)?,
                1 if version >= 4 => message.cordoned_log_dirs = d.nullable_array(true, Decoder::uuid)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.broker_id);
        if version >= 2 {
            e.bool(self.is_migrating_zk_broker);
        }
        e.uuid(self.incarnation_id);
        e.i64(self.broker_epoch);
        e.array(&self.end_points, true, |e, item| item.encode(e, version));
        e.array(&self.features, true, |e, item| item.encode(e, version));
        e.nullable_string(self.rack, true);
        e.bool(self.fenced);
        if version >= 1 {
            e.bool(self.in_controlled_shutdown);
        }
        let mut tags = e.tags();
        if version >= 3 && !self.log_dirs.is_empty() {
            tags.put(e, 0, |e| e.array(&self.log_dirs, true, |e, item| e.uuid(*item)));
        }
        if version >= 4 && self.cordoned_log_dirs.is_some() {
            tags.put(e, 1, |e| {
                e.nullable_array(self.cordoned_log_dirs.as_deref(), true, |e, item| e.uuid(*item))
            });
        }
    }
}

/// `BrokerEndpoint` of [`RegisterBrokerRecord`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BrokerEndpoint<'a> {
    /// `Name`, versions 0–4.
    pub name: &'a str,
    /// `Host`, versions 0–4.
    pub host: &'a str,
    /// `Port`, versions 0–4.
    pub port: u16,
    /// `SecurityProtocol`, versions 0–4.
    pub security_protocol: i16,
}

impl<'a> BrokerEndpoint<'a> {
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

/// `BrokerFeature` of [`RegisterBrokerRecord`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BrokerFeature<'a> {
    /// `Name`, versions 0–4.
    pub name: &'a str,
    /// `MinSupportedVersion`, versions 0–4.
    pub min_supported_version: i16,
    /// `MaxSupportedVersion`, versions 0–4.
    pub max_supported_version: i16,
}

impl<'a> BrokerFeature<'a> {
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
