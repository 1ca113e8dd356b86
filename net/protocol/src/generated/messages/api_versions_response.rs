//! ApiVersionsResponse, key 18. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `ApiVersionsResponse`, versions 0–4, flexible from 3.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiVersionsResponse<'a> {
    /// `ErrorCode`, versions 0–4.
    pub error_code: i16,
    /// `ApiKeys`, versions 0–4.
    pub api_keys: Vec<ApiVersion>,
    /// `ThrottleTimeMs`, versions 1–4.
    pub throttle_time_ms: i32,
    /// `SupportedFeatures`, versions 3–4, tag 0.
    pub supported_features: Vec<SupportedFeatureKey<'a>>,
    /// `FinalizedFeaturesEpoch`, versions 3–4, tag 1.
    pub finalized_features_epoch: i64,
    /// `FinalizedFeatures`, versions 3–4, tag 2.
    pub finalized_features: Vec<FinalizedFeatureKey<'a>>,
    /// `ZkMigrationReady`, versions 3–4, tag 3.
    pub zk_migration_ready: bool,
}

impl Default for ApiVersionsResponse<'_> {
    fn default() -> Self {
        ApiVersionsResponse {
            error_code: 0,
            api_keys: Vec::new(),
            throttle_time_ms: 0,
            supported_features: Vec::new(),
            finalized_features_epoch: -1,
            finalized_features: Vec::new(),
            zk_migration_ready: false,
        }
    }
}

impl<'a> Message<'a> for ApiVersionsResponse<'a> {
    const NAME: &'static str = "ApiVersionsResponse";
    const API_KEY: Option<i16> = Some(18);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=4;
    const FLEXIBLE_FROM: i16 = 3;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let flexible = version >= 3;
        let mut message = Self::default();
        message.error_code = d.i16()?;
        message.api_keys = d.array(flexible, |d| ApiVersion::decode(d, version))?;
        if version >= 1 {
            message.throttle_time_ms = d.i32()?;
        }
        if version >= 3 {
            d.tags(|d, tag| {
                match tag {
                    0 => {
                        message.supported_features =
                            d.array(true, |d| SupportedFeatureKey::decode(d, version))?
                    }
                    1 => message.finalized_features_epoch = d.i64()?,
                    2 => {
                        message.finalized_features =
                            d.array(true, |d| FinalizedFeatureKey::decode(d, version))?
                    }
                    3 => message.zk_migration_ready = d.bool()?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        let flexible = version >= 3;
        e.i16(self.error_code);
        e.array(&self.api_keys, flexible, |e, item| item.encode(e, version));
        if version >= 1 {
            e.i32(self.throttle_time_ms);
        }
        if version >= 3 {
            let mut tags = e.tags();
            if !self.supported_features.is_empty() {
                tags.put(e, 0, |e| {
                    e.array(&self.supported_features, true, |e, item| item.encode(e, version))
                });
            }
            if self.finalized_features_epoch != -1 {
                tags.put(e, 1, |e| e.i64(self.finalized_features_epoch));
            }
            if !self.finalized_features.is_empty() {
                tags.put(e, 2, |e| {
                    e.array(&self.finalized_features, true, |e, item| item.encode(e, version))
                });
            }
            if self.zk_migration_ready {
                tags.put(e, 3, |e| e.bool(self.zk_migration_ready));
            }
        }
    }

    fn each_error(&self, on: &mut dyn FnMut(i16)) {
        on(self.error_code);
    }
}

/// `ApiVersion` of [`ApiVersionsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ApiVersion {
    /// `ApiKey`, versions 0–4.
    pub api_key: i16,
    /// `MinVersion`, versions 0–4.
    pub min_version: i16,
    /// `MaxVersion`, versions 0–4.
    pub max_version: i16,
}

impl ApiVersion {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'_>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.api_key = d.i16()?;
        message.min_version = d.i16()?;
        message.max_version = d.i16()?;
        if version >= 3 {
            d.skip_tags()?;
        }
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.i16(self.api_key);
        e.i16(self.min_version);
        e.i16(self.max_version);
        if version >= 3 {
            e.no_tags();
        }
    }
}

/// `SupportedFeatureKey` of [`ApiVersionsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SupportedFeatureKey<'a> {
    /// `Name`, versions 3–4.
    pub name: &'a str,
    /// `MinVersion`, versions 3–4.
    pub min_version: i16,
    /// `MaxVersion`, versions 3–4.
    pub max_version: i16,
}

impl<'a> SupportedFeatureKey<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.min_version = d.i16()?;
        message.max_version = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.i16(self.min_version);
        e.i16(self.max_version);
        e.no_tags();
    }
}

/// `FinalizedFeatureKey` of [`ApiVersionsResponse`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FinalizedFeatureKey<'a> {
    /// `Name`, versions 3–4.
    pub name: &'a str,
    /// `MaxVersionLevel`, versions 3–4.
    pub max_version_level: i16,
    /// `MinVersionLevel`, versions 3–4.
    pub min_version_level: i16,
}

impl<'a> FinalizedFeatureKey<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, _version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.name = d.string(true)?;
        message.max_version_level = d.i16()?;
        message.min_version_level = d.i16()?;
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, _version: i16) {
        e.string(self.name, true);
        e.i16(self.max_version_level);
        e.i16(self.min_version_level);
        e.no_tags();
    }
}
