//! The features of a cluster that this version knows, with the levels that it works with (KIP-584).

use super::registration::FeatureRange;

/// The level of `metadata.version` that the records here belong to: Kafka 4.0's.
pub const METADATA_VERSION_LEVEL: i16 = 25;

/// The lowest `metadata.version` that this version reads: Kafka 3.3's, as Kafka 4 has it.
const METADATA_VERSION_MIN: i16 = 7;

/// The level of `transaction.version` from which on clients leave adding partitions to the broker, and every transaction
/// has an epoch of its own (KIP-890).
pub const TRANSACTION_VERSION_LEVEL: i16 = 2;

/// The level of `group.version` from which on consumer groups (KIP-848) are served.
pub const GROUP_VERSION_LEVEL: i16 = 1;

/// Each feature with its lowest and its highest level, by name. A new cluster has the highest of each.
pub const SUPPORTED: [(&str, i16, i16); 3] = [
    ("group.version", 0, GROUP_VERSION_LEVEL),
    ("metadata.version", METADATA_VERSION_MIN, METADATA_VERSION_LEVEL),
    ("transaction.version", 0, TRANSACTION_VERSION_LEVEL),
];

/// The same as a broker registers it.
pub fn ranges() -> Vec<FeatureRange> {
    SUPPORTED.iter().map(|&(name, min, max)| FeatureRange { name: name.into(), min, max }).collect()
}
