//! ControllerRegistrationRequest, key 70. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `ControllerRegistrationRequest`, version 0, flexible from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ControllerRegistrationRequest<'a> {
    /// `ControllerId`, version 0.
    pub controller_id: i32,
    /// `IncarnationId`, version 0.
    pub incarnation_id: Uuid,
    /// `ZkMigrationReady`, version 0.
    pub zk_migration_ready: bool,
    /// `Listeners`, version 0.
    pub listeners: Vec<Listener<'a>>,
    /// `Features`, version 0.
    pub features: Vec<Feature<'a>>,
}

impl<'a> Message<'a> for ControllerRegistrationRequest<'a> {
    const NAME: &'static str = "ControllerRegistrationRequest";
    const API_KEY: Option<i16> = Some(70);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=0;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.controller_id = d.i32()?;
        message.incarnation_id = d.uuid()?;
        message.zk_migration_ready = d.bool()?;
        message.listeners = d.array(true, |d| Listener::decode(d, version))?;
        message.features = d.array(true, |d| Feature::decode(d, version))?;
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.controller_id);
        e.uuid(self.incarnation_id);
        e.bool(self.zk_migration_ready);
        e.array(&self.listeners, true, |e, item| item.encode(e, version));
        e.array(&self.features, true, |e, item| item.encode(e, version));
        e.no_tags();
    }
}

/// `Listener` of [`ControllerRegistrationRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listener<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `Host`, version 0.
    pub host: &'a str,
    /// `Port`, version 0.
    pub port: u16,
    /// `SecurityProtocol`, version 0.
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

/// `Feature` of [`ControllerRegistrationRequest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Feature<'a> {
    /// `Name`, version 0.
    pub name: &'a str,
    /// `MinSupportedVersion`, version 0.
    pub min_supported_version: i16,
    /// `MaxSupportedVersion`, version 0.
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
