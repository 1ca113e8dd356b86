//! UpdateFeaturesRequest, key 57. Generated from `schema/`, not to be edited.

use crate::{DecodeError, Decoder, Encoder, Message};

/// Kafka's `UpdateFeaturesRequest`, versions 0–2, flexible from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateFeaturesRequest<'a> {
    /// `timeoutMs`, versions 0–2.
    pub timeout_ms: i32,
    /// `FeatureUpdates`, versions 0–2.
    pub feature_updates: Vec<FeatureUpdateKey<'a>>,
    /// `ValidateOnly`, versions 1–2.
    pub validate_only: bool,
}

impl Default for UpdateFeaturesRequest<'_> {
    fn default() -> Self {
        UpdateFeaturesRequest { timeout_ms: 60000, feature_updates: Vec::new(), validate_only: false }
    }
}

impl<'a> Message<'a> for UpdateFeaturesRequest<'a> {
    const NAME: &'static str = "UpdateFeaturesRequest";
    const API_KEY: Option<i16> = Some(57);
    const VERSIONS: std::ops::RangeInclusive<i16> = 0..=2;
    const FLEXIBLE_FROM: i16 = 0;

    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        if !Self::VERSIONS.contains(&version) {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut message = Self::default();
        message.timeout_ms = d.i32()?;
        message.feature_updates = d.array(true, |d| FeatureUpdateKey::decode(d, version))?;
        if version >= 1 {
            message.validate_only = d.bool()?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    fn encode(&self, e: &mut Encoder, version: i16) {
        e.i32(self.timeout_ms);
        e.array(&self.feature_updates, true, |e, item| item.encode(e, version));
        if version >= 1 {
            e.bool(self.validate_only);
        }
        e.no_tags();
    }
}

/// `FeatureUpdateKey` of [`UpdateFeaturesRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureUpdateKey<'a> {
    /// `Feature`, versions 0–2.
    pub feature: &'a str,
    /// `MaxVersionLevel`, versions 0–2.
    pub max_version_level: i16,
    /// `AllowDowngrade`, version 0.
    pub allow_downgrade: bool,
    /// `UpgradeType`, versions 1–2.
    pub upgrade_type: i8,
}

impl Default for FeatureUpdateKey<'_> {
    fn default() -> Self {
        FeatureUpdateKey { feature: "", max_version_level: 0, allow_downgrade: false, upgrade_type: 1 }
    }
}

impl<'a> FeatureUpdateKey<'a> {
    /// Reads it as part of its message.
    pub fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.feature = d.string(true)?;
        message.max_version_level = d.i16()?;
        if version <= 0 {
            message.allow_downgrade = d.bool()?;
        }
        if version >= 1 {
            message.upgrade_type = d.i8()?;
        }
        d.skip_tags()?;
        Ok(message)
    }

    /// Writes it as part of its message.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        e.string(self.feature, true);
        e.i16(self.max_version_level);
        if version <= 0 {
            e.bool(self.allow_downgrade);
        }
        if version >= 1 {
            e.i8(self.upgrade_type);
        }
        e.no_tags();
    }
}
