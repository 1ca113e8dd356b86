//! What the metadata says of one broker: where it listens, what it can, and whether it takes part.

use std::sync::Arc;

use protocol::messages::register_broker_record::{BrokerEndpoint, BrokerFeature, RegisterBrokerRecord};
use protocol::{Encoder, Uuid, record::encode_metadata};

/// The version of RegisterBrokerRecord that is written: the newest that Kafka 4.0's metadata knows.
const VERSION: i16 = 3;

/// Where a broker listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The listener's name, the same on all brokers of a cluster.
    pub listener: Arc<str>,
    /// What to connect to.
    pub host: Arc<str>,
    /// The port.
    pub port: u16,
    /// Kafka's number of the security protocol; 0 is PLAINTEXT.
    pub security_protocol: i16,
}

/// The levels of a feature that a broker can work with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureRange {
    /// The feature.
    pub name: Arc<str>,
    /// The lowest level.
    pub min: i16,
    /// The highest level.
    pub max: i16,
}

/// A broker as it has registered (KIP-631).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// Its number.
    pub id: i32,
    /// Which registration of this broker it is: the offset of the record, so that a later one is larger.
    pub epoch: i64,
    /// Which process it is: drawn at its start.
    pub incarnation: Uuid,
    /// Where it listens, by listener.
    pub endpoints: Vec<Endpoint>,
    /// What it can work with.
    pub features: Vec<FeatureRange>,
    /// Where it stands.
    pub rack: Option<Arc<str>>,
    /// Its data directories.
    pub log_dirs: Vec<Uuid>,
    /// Whether clients are kept away from it, because it is not known to live or not up to date.
    pub is_fenced: bool,
    /// Whether it is about to stop and gives its partitions away.
    pub is_shutting_down: bool,
}

/// What of a registration changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegistrationChange {
    /// Fenced from now on, or no longer.
    pub is_fenced: Option<bool>,
    /// About to stop.
    pub begins_shutdown: bool,
}

impl Registration {
    /// Where it listens by this listener's name.
    pub fn endpoint(&self, listener: &str) -> Option<&Endpoint> {
        self.endpoints.iter().find(|endpoint| &*endpoint.listener == listener)
    }

    /// The same but for what changes.
    pub fn changed(&self, change: RegistrationChange) -> Registration {
        Registration {
            is_fenced: change.is_fenced.unwrap_or(self.is_fenced),
            is_shutting_down: self.is_shutting_down || change.begins_shutdown,
            ..self.clone()
        }
    }

    /// The highest level of a feature that it can work with; 0 for one that it does not know.
    pub fn feature_max(&self, name: &str) -> i16 {
        self.features.iter().find(|feature| &*feature.name == name).map_or(0, |feature| feature.max)
    }

    pub(super) fn encode(&self, e: &mut Encoder) {
        let record = RegisterBrokerRecord {
            broker_id: self.id,
            incarnation_id: self.incarnation,
            broker_epoch: self.epoch,
            end_points: self.endpoints.iter().map(Endpoint::to_record).collect(),
            features: self.features.iter().map(FeatureRange::to_record).collect(),
            rack: self.rack.as_deref(),
            fenced: self.is_fenced,
            in_controlled_shutdown: self.is_shutting_down,
            log_dirs: self.log_dirs.clone(),
            ..RegisterBrokerRecord::default()
        };
        encode_metadata(e, &record, VERSION);
    }

    pub(super) fn from_record(record: &RegisterBrokerRecord<'_>) -> Registration {
        let endpoints = record.end_points.iter().map(|endpoint| Endpoint {
            listener: endpoint.name.into(),
            host: endpoint.host.into(),
            port: endpoint.port,
            security_protocol: endpoint.security_protocol,
        });
        let features = record.features.iter().map(|feature| FeatureRange {
            name: feature.name.into(),
            min: feature.min_supported_version,
            max: feature.max_supported_version,
        });
        Registration {
            id: record.broker_id,
            epoch: record.broker_epoch,
            incarnation: record.incarnation_id,
            endpoints: endpoints.collect(),
            features: features.collect(),
            rack: record.rack.map(Arc::from),
            log_dirs: record.log_dirs.clone(),
            is_fenced: record.fenced,
            is_shutting_down: record.in_controlled_shutdown,
        }
    }
}

impl Endpoint {
    fn to_record(&self) -> BrokerEndpoint<'_> {
        BrokerEndpoint {
            name: &self.listener,
            host: &self.host,
            port: self.port,
            security_protocol: self.security_protocol,
        }
    }
}

impl FeatureRange {
    fn to_record(&self) -> BrokerFeature<'_> {
        BrokerFeature { name: &self.name, min_supported_version: self.min, max_supported_version: self.max }
    }
}
