//! CreateTopicsResponse, key 19. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message, Uuid};

/// Kafka's `CreateTopicsResponse`, versions 2–7, flexible from 5.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreateTopicsResponse<'a> {
    /// `ThrottleTimeMs`, versions 2–7.
    pub throttle_time_ms: i32,
    /// `Topics`, versions 2–7.
    pub topics: Vec<CreatableTopicResult<'a>>,
}

impl<'a> Message<'a> for CreateTopicsResponse<'a> {
    const NAME: &'static str = "CreateTopicsResponse";
    const API_KEY: Option<i16> = Some(19);
    const VERSIONS: std::ops::RangeInclusive<i16> = 2..=7;
    const FLEXIBLE_FROM: i16 = 5;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 5;
        let mut message = Self::default();
        message.throttle_time_ms = d.i32()?;
        message.topics = d.array(flexible, |d| CreatableTopicResult::decode(d, version))?;
        if version >= 5 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 5;
        e.i32(self.throttle_time_ms);
        e.array(&self.topics, flexible, |e, item| item.encode(e, version));
        if version >= 5 {
            e.no_tags();
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        for one in &self.topics {
            one.each_error(on);
        }
    }
}

/// `CreatableTopicResult` of [`CreateTopicsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct CreatableTopicResult<'a> {
    /// `Name`, versions 2–7.
    pub name: &'a str,
    /// `TopicId`, version 7.
    pub topic_id: Uuid,
    /// `ErrorCode`, versions 2–7.
    pub error_code: i16,
    /// `ErrorMessage`, versions 2–7.
    pub error_message: Option<&'a str>,
    /// `TopicConfigErrorCode`, versions 5–7, tag 0.
    pub topic_config_error_code: i16,
    /// `NumPartitions`, versions 5–7.
    pub num_partitions: i32,
    /// `ReplicationFactor`, versions 5–7.
    pub replication_factor: i16,
    /// `Configs`, versions 5–7.
    pub configs: Option<Vec<CreatableTopicConfigs<'a>>>,
}

impl Default for CreatableTopicResult<'_> {
    fn default() -> Self {
        CreatableTopicResult {
            name: "",
            topic_id: Uuid::ZERO,
            error_code: 0,
            error_message: Some(""),
            topic_config_error_code: 0,
            num_partitions: -1,
            replication_factor: -1,
            configs: Some(Vec::new()),
        }
    }
}

impl<'a> CreatableTopicResult<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let flexible = version >= 5;
        let mut message = Self::default();
        message.name = d.string(flexible)?;
        if version >= 7 {
            message.topic_id = d.uuid()?;
        }
        message.error_code = d.i16()?;
        message.error_message = d.nullable_string(flexible)?;
        if version >= 5 {
            message.num_partitions = d.i32()?;
            message.replication_factor = d.i16()?;
            message.configs = d.nullable_array(true, |d| CreatableTopicConfigs::decode(d, version))?;
            d.tags(|d, tag| {
                match tag {
                    0 => message.topic_config_error_code = d.i16()?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 5;
        e.string(self.name, flexible);
        if version >= 7 {
            e.uuid(self.topic_id);
        }
        e.i16(self.error_code);
        e.nullable_string(self.error_message, flexible);
        if version >= 5 {
            e.i32(self.num_partitions);
            e.i16(self.replication_factor);
            e.nullable_array(self.configs.as_deref(), true, |e, item| item.encode(e, version));
            let mut tags = e.tags();
            if self.topic_config_error_code != 0 {
                tags.put(e, 0, |e| e.i16(self.topic_config_error_code));
            }
        }
    }

    /// Shows every error code in it, 0 for none among them.
    pub fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `CreatableTopicConfigs` of [`CreateTopicsResponse`].
#[derive(Debug, Clone, PartialEq)]
pub struct CreatableTopicConfigs<'a> {
    /// `Name`, versions 5–7.
    pub name: &'a str,
    /// `Value`, versions 5–7.
    pub value: Option<&'a str>,
    /// `ReadOnly`, versions 5–7.
    pub read_only: bool,
    /// `ConfigSource`, versions 5–7.
    pub config_source: i8,
    /// `IsSensitive`, versions 5–7.
    pub is_sensitive: bool,
}

impl Default for CreatableTopicConfigs<'_> {
    fn default() -> Self {
        CreatableTopicConfigs {
            name: "",
            value: Some(""),
            read_only: false,
            config_source: -1,
            is_sensitive: false,
        }
    }
}

impl<'a> CreatableTopicConfigs<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.value = d.nullable_string(true)?;
        message.read_only = d.bool()?;
        message.config_source = d.i8()?;
        message.is_sensitive = d.bool()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.nullable_string(self.value, true);
        e.bool(self.read_only);
        e.i8(self.config_source);
        e.bool(self.is_sensitive);
        e.no_tags();
    }
}
