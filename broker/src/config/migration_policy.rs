//! `group.consumer.migration.policy`: which way a group may go between the two protocols while its members work (KIP-848).

use super::setting::Value;
use super::typed::FromValue;

/// Which way a group may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MigrationPolicy {
    /// Neither.
    Disabled,
    /// From the classic protocol to the consumer protocol.
    Upgrade,
    /// From the consumer protocol to the classic protocol.
    Downgrade,
    /// Both ways.
    Bidirectional,
}

impl MigrationPolicy {
    /// Reads a policy's name, in whatever case, as Kafka does.
    pub(super) fn parse(text: &str) -> Result<MigrationPolicy, String> {
        match text.to_ascii_lowercase().as_str() {
            "disabled" => Ok(MigrationPolicy::Disabled),
            "upgrade" => Ok(MigrationPolicy::Upgrade),
            "downgrade" => Ok(MigrationPolicy::Downgrade),
            "bidirectional" => Ok(MigrationPolicy::Bidirectional),
            _ => Err("one of disabled, upgrade, downgrade, bidirectional".to_string()),
        }
    }

    /// Whether a classic group may become a consumer group.
    pub fn can_upgrade(self) -> bool {
        matches!(self, MigrationPolicy::Upgrade | MigrationPolicy::Bidirectional)
    }

    /// Whether a consumer group may become a classic group.
    pub fn can_downgrade(self) -> bool {
        matches!(self, MigrationPolicy::Downgrade | MigrationPolicy::Bidirectional)
    }
}

impl FromValue for MigrationPolicy {
    fn from_value(value: &Value) -> MigrationPolicy {
        MigrationPolicy::parse(&value.to_string()).unwrap_or_else(|_| panic!("not a policy: {value}"))
    }
}
