//! The metadata records that mean something here, as owned values: what the log holds and the image is made of.

use protocol::messages::broker_registration_change_record::BrokerRegistrationChangeRecord;
use protocol::messages::config_record::ConfigRecord;
use protocol::messages::feature_level_record::FeatureLevelRecord;
use protocol::messages::partition_change_record::PartitionChangeRecord;
use protocol::messages::partition_record::PartitionRecord;
use protocol::messages::producer_ids_record::ProducerIdsRecord;
use protocol::messages::register_broker_record::RegisterBrokerRecord;
use protocol::messages::remove_topic_record::RemoveTopicRecord;
use protocol::messages::topic_record::TopicRecord;
use protocol::messages::unregister_broker_record::UnregisterBrokerRecord;
use protocol::record::{decode_metadata_head, encode_metadata};
use protocol::{DecodeError, Decoder, Encoder, Message, Uuid};

use super::partition_state::{PartitionChange, PartitionState};
use super::registration::{Registration, RegistrationChange};

/// The resource types of a ConfigRecord.
const TOPIC_RESOURCE: i8 = 2;
const BROKER_RESOURCE: i8 = 4;
const GROUP_RESOURCE: i8 = 32;

/// The leader in a PartitionChangeRecord that leaves the leader as it is.
const LEADER_UNCHANGED: i32 = -2;

/// One change of the metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A feature is at this level from now on.
    FeatureLevel {
        /// The feature.
        name: String,
        /// Its level.
        level: i16,
    },
    /// A topic exists.
    Topic {
        /// Its name.
        name: String,
        /// Its id, never used before or again.
        id: Uuid,
    },
    /// A topic has one more partition.
    Partition {
        /// Whose.
        topic_id: Uuid,
        /// Its number.
        partition: i32,
        /// Who has it and who leads it.
        state: PartitionState,
    },
    /// A partition has another leader, or another in-sync set.
    PartitionChange {
        /// Whose.
        topic_id: Uuid,
        /// Its number.
        partition: i32,
        /// What changes.
        change: PartitionChange,
    },
    /// A broker takes part from now on, or does so anew.
    RegisterBroker(Registration),
    /// A broker is fenced, is so no longer, or is about to stop.
    BrokerChange {
        /// Which.
        id: i32,
        /// Which registration of it.
        epoch: i64,
        /// What changes.
        change: RegistrationChange,
    },
    /// A broker is gone for good.
    UnregisterBroker {
        /// Which.
        id: i32,
        /// Which registration of it.
        epoch: i64,
    },
    /// A topic's setting has this value from now on, or its default again.
    TopicConfig {
        /// The topic's name.
        topic: String,
        /// The setting.
        name: String,
        /// Its value; `None` for the default.
        value: Option<String>,
    },
    /// A setting of brokers, set at run time, has this value from now on, or its earlier one again.
    BrokerConfig {
        /// Whose: a node's number, or empty for all brokers.
        broker: String,
        /// The setting.
        name: String,
        /// Its value; `None` if it is no longer set.
        value: Option<String>,
    },
    /// A group's setting has this value from now on, or the broker's again.
    GroupConfig {
        /// The group.
        group: String,
        /// The setting.
        name: String,
        /// Its value; `None` for the broker's.
        value: Option<String>,
    },
    /// A topic and all of its partitions are gone.
    RemoveTopic {
        /// Which.
        id: Uuid,
    },
    /// Producer ids below this one are given out.
    ProducerIds {
        /// The next to be given out.
        next: i64,
    },
}

/// Why a record of the log cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordError {
    /// Its bytes make no sense.
    Damaged(DecodeError),
    /// Its type is not one that this version writes.
    UnknownType(i16),
    /// It is about something that this version does not do; the text says what.
    Foreign(&'static str),
}

impl std::fmt::Display for RecordError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RecordError::Damaged(error) => write!(f, "a metadata record is damaged: {error}"),
            RecordError::UnknownType(key) => {
                write!(f, "a metadata record of type {key} is not known to this version of Ringlog")
            }
            RecordError::Foreign(what) => {
                write!(f, "a metadata record is about {what}, which this version does not do")
            }
        }
    }
}

impl From<DecodeError> for RecordError {
    fn from(error: DecodeError) -> RecordError {
        RecordError::Damaged(error)
    }
}

impl Record {
    /// The record as it stands in the log.
    pub fn encode(&self) -> Vec<u8> {
        let mut e = Encoder::new();
        match self {
            Record::FeatureLevel { name, level } => {
                encode_metadata(&mut e, &FeatureLevelRecord { name, feature_level: *level }, 0);
            }
            Record::Topic { name, id } => encode_metadata(&mut e, &TopicRecord { name, topic_id: *id }, 0),
            Record::Partition { topic_id, partition, state } => {
                encode_partition(&mut e, *topic_id, *partition, state)
            }
            Record::PartitionChange { topic_id, partition, change } => {
                let record = PartitionChangeRecord {
                    partition_id: *partition,
                    topic_id: *topic_id,
                    isr: change.isr.as_ref().map(|isr| isr.to_vec()),
                    leader: change.leader.unwrap_or(LEADER_UNCHANGED),
                    ..PartitionChangeRecord::default()
                };
                encode_metadata(&mut e, &record, 0);
            }
            Record::RegisterBroker(registration) => registration.encode(&mut e),
            Record::BrokerChange { id, epoch, change } => {
                let record = BrokerRegistrationChangeRecord {
                    broker_id: *id,
                    broker_epoch: *epoch,
                    fenced: change.is_fenced.map_or(0, |is_fenced| if is_fenced { 1 } else { -1 }),
                    in_controlled_shutdown: i8::from(change.begins_shutdown),
                    ..BrokerRegistrationChangeRecord::default()
                };
                encode_metadata(&mut e, &record, 1);
            }
            Record::UnregisterBroker { id, epoch } => {
                encode_metadata(&mut e, &UnregisterBrokerRecord { broker_id: *id, broker_epoch: *epoch }, 0);
            }
            Record::TopicConfig { topic, name, value } => {
                encode_config(&mut e, TOPIC_RESOURCE, topic, name, value.as_deref());
            }
            Record::BrokerConfig { broker, name, value } => {
                encode_config(&mut e, BROKER_RESOURCE, broker, name, value.as_deref());
            }
            Record::GroupConfig { group, name, value } => {
                encode_config(&mut e, GROUP_RESOURCE, group, name, value.as_deref());
            }
            Record::RemoveTopic { id } => encode_metadata(&mut e, &RemoveTopicRecord { topic_id: *id }, 0),
            Record::ProducerIds { next } => {
                let record = ProducerIdsRecord {
                    next_producer_id: *next,
                    broker_epoch: -1,
                    ..ProducerIdsRecord::default()
                };
                encode_metadata(&mut e, &record, 0);
            }
        }
        e.into_vec()
    }

    /// Reads a record of the log.
    pub fn decode(bytes: &[u8]) -> Result<Record, RecordError> {
        let mut d = Decoder::new(bytes);
        let head = decode_metadata_head(&mut d)?;
        let is = |key: Option<i16>| key == Some(head.key);
        let record = if is(FeatureLevelRecord::API_KEY) {
            let record = FeatureLevelRecord::decode(&mut d, head.version)?;
            Record::FeatureLevel { name: record.name.to_owned(), level: record.feature_level }
        } else if is(TopicRecord::API_KEY) {
            let record = TopicRecord::decode(&mut d, head.version)?;
            Record::Topic { name: record.name.to_owned(), id: record.topic_id }
        } else if is(PartitionRecord::API_KEY) {
            let record = PartitionRecord::decode(&mut d, head.version)?;
            if !record.adding_replicas.is_empty() || !record.removing_replicas.is_empty() {
                return Err(RecordError::Foreign("a partition that is being moved"));
            }
            let state = PartitionState {
                replicas: record.replicas.into(),
                isr: record.isr.into(),
                leader: record.leader,
                leader_epoch: record.leader_epoch,
                partition_epoch: record.partition_epoch,
            };
            Record::Partition { topic_id: record.topic_id, partition: record.partition_id, state }
        } else if is(PartitionChangeRecord::API_KEY) {
            decode_partition_change(&PartitionChangeRecord::decode(&mut d, head.version)?)?
        } else if is(RegisterBrokerRecord::API_KEY) {
            let record = RegisterBrokerRecord::decode(&mut d, head.version)?;
            Record::RegisterBroker(Registration::from_record(&record))
        } else if is(BrokerRegistrationChangeRecord::API_KEY) {
            let record = BrokerRegistrationChangeRecord::decode(&mut d, head.version)?;
            let change = RegistrationChange {
                is_fenced: (record.fenced != 0).then_some(record.fenced > 0),
                begins_shutdown: record.in_controlled_shutdown > 0,
            };
            Record::BrokerChange { id: record.broker_id, epoch: record.broker_epoch, change }
        } else if is(UnregisterBrokerRecord::API_KEY) {
            let record = UnregisterBrokerRecord::decode(&mut d, head.version)?;
            Record::UnregisterBroker { id: record.broker_id, epoch: record.broker_epoch }
        } else if is(ConfigRecord::API_KEY) {
            let record = ConfigRecord::decode(&mut d, head.version)?;
            let (owner, name) = (record.resource_name.to_owned(), record.name.to_owned());
            let value = record.value.map(str::to_owned);
            match record.resource_type {
                TOPIC_RESOURCE => Record::TopicConfig { topic: owner, name, value },
                BROKER_RESOURCE => Record::BrokerConfig { broker: owner, name, value },
                GROUP_RESOURCE => Record::GroupConfig { group: owner, name, value },
                _ => {
                    return Err(RecordError::Foreign(
                        "settings of something other than a topic, a broker or a group",
                    ));
                }
            }
        } else if is(RemoveTopicRecord::API_KEY) {
            Record::RemoveTopic { id: RemoveTopicRecord::decode(&mut d, head.version)?.topic_id }
        } else if is(ProducerIdsRecord::API_KEY) {
            Record::ProducerIds { next: ProducerIdsRecord::decode(&mut d, head.version)?.next_producer_id }
        } else {
            return Err(RecordError::UnknownType(head.key));
        };
        Ok(record)
    }
}

fn encode_partition(e: &mut Encoder, topic_id: Uuid, partition: i32, state: &PartitionState) {
    let record = PartitionRecord {
        partition_id: partition,
        topic_id,
        replicas: state.replicas.to_vec(),
        isr: state.isr.to_vec(),
        leader: state.leader,
        leader_epoch: state.leader_epoch,
        partition_epoch: state.partition_epoch,
        ..PartitionRecord::default()
    };
    encode_metadata(e, &record, 0);
}

fn decode_partition_change(record: &PartitionChangeRecord) -> Result<Record, RecordError> {
    let moves = [&record.replicas, &record.adding_replicas, &record.removing_replicas];
    if moves.iter().any(|replicas| replicas.is_some()) {
        return Err(RecordError::Foreign("a partition that is being moved"));
    }
    let change = PartitionChange {
        leader: (record.leader != LEADER_UNCHANGED).then_some(record.leader),
        isr: record.isr.as_deref().map(Into::into),
    };
    Ok(Record::PartitionChange { topic_id: record.topic_id, partition: record.partition_id, change })
}

fn encode_config(e: &mut Encoder, resource_type: i8, resource_name: &str, name: &str, value: Option<&str>) {
    encode_metadata(e, &ConfigRecord { resource_type, resource_name, name, value }, 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::features::METADATA_VERSION_LEVEL;
    use crate::metadata::registration::Endpoint;

    #[test]
    fn records_come_back_as_they_were_written() {
        let id = Uuid::from_u128(77);
        for record in [
            Record::FeatureLevel { name: "metadata.version".into(), level: METADATA_VERSION_LEVEL },
            Record::Topic { name: "t".into(), id },
            Record::Partition { topic_id: id, partition: 3, state: PartitionState::of_one(7) },
            Record::PartitionChange {
                topic_id: id,
                partition: 3,
                change: PartitionChange { leader: Some(-1), isr: None },
            },
            Record::PartitionChange {
                topic_id: id,
                partition: 3,
                change: PartitionChange { leader: None, isr: Some([1, 2].into()) },
            },
            Record::RegisterBroker(Registration {
                id: 4,
                epoch: 77,
                incarnation: id,
                endpoints: vec![Endpoint {
                    listener: "PLAINTEXT".into(),
                    host: "h".into(),
                    port: 9092,
                    security_protocol: 0,
                }],
                features: crate::metadata::features::ranges(),
                rack: Some("r".into()),
                log_dirs: vec![id],
                is_fenced: true,
                is_shutting_down: false,
            }),
            Record::BrokerChange {
                id: 4,
                epoch: 77,
                change: RegistrationChange { is_fenced: Some(false), begins_shutdown: false },
            },
            Record::BrokerChange {
                id: 4,
                epoch: 77,
                change: RegistrationChange { is_fenced: None, begins_shutdown: true },
            },
            Record::UnregisterBroker { id: 4, epoch: 77 },
            Record::TopicConfig { topic: "t".into(), name: "retention.ms".into(), value: Some("5".into()) },
            Record::TopicConfig { topic: "t".into(), name: "retention.ms".into(), value: None },
            Record::GroupConfig {
                group: "g".into(),
                name: "consumer.session.timeout.ms".into(),
                value: Some("50000".into()),
            },
            Record::BrokerConfig {
                broker: String::new(),
                name: "log.retention.ms".into(),
                value: Some("5".into()),
            },
            Record::RemoveTopic { id },
            Record::ProducerIds { next: 4000 },
        ] {
            assert_eq!(Record::decode(&record.encode()), Ok(record));
        }
    }

    #[test]
    fn damaged_and_foreign_records_are_refused() {
        assert!(matches!(Record::decode(b""), Err(RecordError::Damaged(_))));
        assert!(matches!(Record::decode(b"\x01\x63\x00"), Err(RecordError::UnknownType(99))));
    }
}
