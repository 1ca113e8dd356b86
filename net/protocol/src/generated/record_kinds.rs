//! The records of each log, told apart. Generated from `schema/`, not to be edited.

use crate::record::{self, MetadataHead};
use crate::{DecodeError, Decoder, Encoder, Message};

/// A record of the metadata log.
#[derive(Debug, Clone, PartialEq)]
pub enum MetadataRecord<'a> {
    /// Type 0.
    RegisterBroker(crate::messages::register_broker_record::RegisterBrokerRecord<'a>),
    /// Type 1.
    UnregisterBroker(crate::messages::unregister_broker_record::UnregisterBrokerRecord),
    /// Type 2.
    Topic(crate::messages::topic_record::TopicRecord<'a>),
    /// Type 3.
    Partition(crate::messages::partition_record::PartitionRecord),
    /// Type 4.
    Config(crate::messages::config_record::ConfigRecord<'a>),
    /// Type 5.
    PartitionChange(crate::messages::partition_change_record::PartitionChangeRecord),
    /// Type 7.
    FenceBroker(crate::messages::fence_broker_record::FenceBrokerRecord),
    /// Type 8.
    UnfenceBroker(crate::messages::unfence_broker_record::UnfenceBrokerRecord),
    /// Type 9.
    RemoveTopic(crate::messages::remove_topic_record::RemoveTopicRecord),
    /// Type 10.
    DelegationToken(crate::messages::delegation_token_record::DelegationTokenRecord<'a>),
    /// Type 11.
    UserScramCredential(crate::messages::user_scram_credential_record::UserScramCredentialRecord<'a>),
    /// Type 12.
    FeatureLevel(crate::messages::feature_level_record::FeatureLevelRecord<'a>),
    /// Type 14.
    ClientQuota(crate::messages::client_quota_record::ClientQuotaRecord<'a>),
    /// Type 15.
    ProducerIds(crate::messages::producer_ids_record::ProducerIdsRecord),
    /// Type 17.
    BrokerRegistrationChange(
        crate::messages::broker_registration_change_record::BrokerRegistrationChangeRecord,
    ),
    /// Type 18.
    AccessControlEntry(crate::messages::access_control_entry_record::AccessControlEntryRecord<'a>),
    /// Type 19.
    RemoveAccessControlEntry(
        crate::messages::remove_access_control_entry_record::RemoveAccessControlEntryRecord,
    ),
    /// Type 20.
    NoOp(crate::messages::no_op_record::NoOpRecord),
    /// Type 21.
    ZkMigrationState(crate::messages::zk_migration_state_record::ZkMigrationStateRecord),
    /// Type 22.
    RemoveUserScramCredential(
        crate::messages::remove_user_scram_credential_record::RemoveUserScramCredentialRecord<'a>,
    ),
    /// Type 23.
    BeginTransaction(crate::messages::begin_transaction_record::BeginTransactionRecord<'a>),
    /// Type 24.
    EndTransaction(crate::messages::end_transaction_record::EndTransactionRecord),
    /// Type 25.
    AbortTransaction(crate::messages::abort_transaction_record::AbortTransactionRecord<'a>),
    /// Type 26.
    RemoveDelegationToken(crate::messages::remove_delegation_token_record::RemoveDelegationTokenRecord<'a>),
    /// Type 27.
    RegisterController(crate::messages::register_controller_record::RegisterControllerRecord<'a>),
    /// Type 28.
    ClearElr(crate::messages::clear_elr_record::ClearElrRecord<'a>),
}

impl<'a> MetadataRecord<'a> {
    /// Reads a record's value, head and body; `None` for a type that is not known.
    pub fn decode(d: &mut Decoder<'a>) -> Result<Option<Self>, DecodeError> {
        let MetadataHead { key, version } = record::decode_metadata_head(d)?;
        Ok(Some(match key {
            0 => Self::RegisterBroker(Message::decode(d, version)?),
            1 => Self::UnregisterBroker(Message::decode(d, version)?),
            2 => Self::Topic(Message::decode(d, version)?),
            3 => Self::Partition(Message::decode(d, version)?),
            4 => Self::Config(Message::decode(d, version)?),
            5 => Self::PartitionChange(Message::decode(d, version)?),
            7 => Self::FenceBroker(Message::decode(d, version)?),
            8 => Self::UnfenceBroker(Message::decode(d, version)?),
            9 => Self::RemoveTopic(Message::decode(d, version)?),
            10 => Self::DelegationToken(Message::decode(d, version)?),
            11 => Self::UserScramCredential(Message::decode(d, version)?),
            12 => Self::FeatureLevel(Message::decode(d, version)?),
            14 => Self::ClientQuota(Message::decode(d, version)?),
            15 => Self::ProducerIds(Message::decode(d, version)?),
            17 => Self::BrokerRegistrationChange(Message::decode(d, version)?),
            18 => Self::AccessControlEntry(Message::decode(d, version)?),
            19 => Self::RemoveAccessControlEntry(Message::decode(d, version)?),
            20 => Self::NoOp(Message::decode(d, version)?),
            21 => Self::ZkMigrationState(Message::decode(d, version)?),
            22 => Self::RemoveUserScramCredential(Message::decode(d, version)?),
            23 => Self::BeginTransaction(Message::decode(d, version)?),
            24 => Self::EndTransaction(Message::decode(d, version)?),
            25 => Self::AbortTransaction(Message::decode(d, version)?),
            26 => Self::RemoveDelegationToken(Message::decode(d, version)?),
            27 => Self::RegisterController(Message::decode(d, version)?),
            28 => Self::ClearElr(Message::decode(d, version)?),
            _ => return Ok(None),
        }))
    }

    /// Writes a record's value, head and body.
    pub fn encode(&self, e: &mut Encoder, version: i16) {
        match self {
            Self::RegisterBroker(record) => record::encode_metadata(e, record, version),
            Self::UnregisterBroker(record) => record::encode_metadata(e, record, version),
            Self::Topic(record) => record::encode_metadata(e, record, version),
            Self::Partition(record) => record::encode_metadata(e, record, version),
            Self::Config(record) => record::encode_metadata(e, record, version),
            Self::PartitionChange(record) => record::encode_metadata(e, record, version),
            Self::FenceBroker(record) => record::encode_metadata(e, record, version),
            Self::UnfenceBroker(record) => record::encode_metadata(e, record, version),
            Self::RemoveTopic(record) => record::encode_metadata(e, record, version),
            Self::DelegationToken(record) => record::encode_metadata(e, record, version),
            Self::UserScramCredential(record) => record::encode_metadata(e, record, version),
            Self::FeatureLevel(record) => record::encode_metadata(e, record, version),
            Self::ClientQuota(record) => record::encode_metadata(e, record, version),
            Self::ProducerIds(record) => record::encode_metadata(e, record, version),
            Self::BrokerRegistrationChange(record) => record::encode_metadata(e, record, version),
            Self::AccessControlEntry(record) => record::encode_metadata(e, record, version),
            Self::RemoveAccessControlEntry(record) => record::encode_metadata(e, record, version),
            Self::NoOp(record) => record::encode_metadata(e, record, version),
            Self::ZkMigrationState(record) => record::encode_metadata(e, record, version),
            Self::RemoveUserScramCredential(record) => record::encode_metadata(e, record, version),
            Self::BeginTransaction(record) => record::encode_metadata(e, record, version),
            Self::EndTransaction(record) => record::encode_metadata(e, record, version),
            Self::AbortTransaction(record) => record::encode_metadata(e, record, version),
            Self::RemoveDelegationToken(record) => record::encode_metadata(e, record, version),
            Self::RegisterController(record) => record::encode_metadata(e, record, version),
            Self::ClearElr(record) => record::encode_metadata(e, record, version),
        }
    }

    /// The newest version of the record's body.
    pub fn latest_version(&self) -> i16 {
        match self {
            Self::RegisterBroker(_) => 4,
            Self::UnregisterBroker(_) => 0,
            Self::Topic(_) => 0,
            Self::Partition(_) => 2,
            Self::Config(_) => 0,
            Self::PartitionChange(_) => 2,
            Self::FenceBroker(_) => 0,
            Self::UnfenceBroker(_) => 0,
            Self::RemoveTopic(_) => 0,
            Self::DelegationToken(_) => 0,
            Self::UserScramCredential(_) => 0,
            Self::FeatureLevel(_) => 0,
            Self::ClientQuota(_) => 0,
            Self::ProducerIds(_) => 0,
            Self::BrokerRegistrationChange(_) => 3,
            Self::AccessControlEntry(_) => 0,
            Self::RemoveAccessControlEntry(_) => 0,
            Self::NoOp(_) => 0,
            Self::ZkMigrationState(_) => 0,
            Self::RemoveUserScramCredential(_) => 0,
            Self::BeginTransaction(_) => 0,
            Self::EndTransaction(_) => 0,
            Self::AbortTransaction(_) => 0,
            Self::RemoveDelegationToken(_) => 0,
            Self::RegisterController(_) => 0,
            Self::ClearElr(_) => 0,
        }
    }
}

impl<'a> From<crate::messages::register_broker_record::RegisterBrokerRecord<'a>> for MetadataRecord<'a> {
    fn from(record: crate::messages::register_broker_record::RegisterBrokerRecord<'a>) -> Self {
        Self::RegisterBroker(record)
    }
}
impl<'a> From<crate::messages::unregister_broker_record::UnregisterBrokerRecord> for MetadataRecord<'a> {
    fn from(record: crate::messages::unregister_broker_record::UnregisterBrokerRecord) -> Self {
        Self::UnregisterBroker(record)
    }
}
impl<'a> From<crate::messages::topic_record::TopicRecord<'a>> for MetadataRecord<'a> {
    fn from(record: crate::messages::topic_record::TopicRecord<'a>) -> Self {
        Self::Topic(record)
    }
}
impl<'a> From<crate::messages::partition_record::PartitionRecord> for MetadataRecord<'a> {
    fn from(record: crate::messages::partition_record::PartitionRecord) -> Self {
        Self::Partition(record)
    }
}
impl<'a> From<crate::messages::config_record::ConfigRecord<'a>> for MetadataRecord<'a> {
    fn from(record: crate::messages::config_record::ConfigRecord<'a>) -> Self {
        Self::Config(record)
    }
}
impl<'a> From<crate::messages::partition_change_record::PartitionChangeRecord> for MetadataRecord<'a> {
    fn from(record: crate::messages::partition_change_record::PartitionChangeRecord) -> Self {
        Self::PartitionChange(record)
    }
}
impl<'a> From<crate::messages::fence_broker_record::FenceBrokerRecord> for MetadataRecord<'a> {
    fn from(record: crate::messages::fence_broker_record::FenceBrokerRecord) -> Self {
        Self::FenceBroker(record)
    }
}
impl<'a> From<crate::messages::unfence_broker_record::UnfenceBrokerRecord> for MetadataRecord<'a> {
    fn from(record: crate::messages::unfence_broker_record::UnfenceBrokerRecord) -> Self {
        Self::UnfenceBroker(record)
    }
}
impl<'a> From<crate::messages::remove_topic_record::RemoveTopicRecord> for MetadataRecord<'a> {
    fn from(record: crate::messages::remove_topic_record::RemoveTopicRecord) -> Self {
        Self::RemoveTopic(record)
    }
}
impl<'a> From<crate::messages::delegation_token_record::DelegationTokenRecord<'a>> for MetadataRecord<'a> {
    fn from(record: crate::messages::delegation_token_record::DelegationTokenRecord<'a>) -> Self {
        Self::DelegationToken(record)
    }
}
impl<'a> From<crate::messages::user_scram_credential_record::UserScramCredentialRecord<'a>>
    for MetadataRecord<'a>
{
    fn from(record: crate::messages::user_scram_credential_record::UserScramCredentialRecord<'a>) -> Self {
        Self::UserScramCredential(record)
    }
}
impl<'a> From<crate::messages::feature_level_record::FeatureLevelRecord<'a>> for MetadataRecord<'a> {
    fn from(record: crate::messages::feature_level_record::FeatureLevelRecord<'a>) -> Self {
        Self::FeatureLevel(record)
    }
}
impl<'a> From<crate::messages::client_quota_record::ClientQuotaRecord<'a>> for MetadataRecord<'a> {
    fn from(record: crate::messages::client_quota_record::ClientQuotaRecord<'a>) -> Self {
        Self::ClientQuota(record)
    }
}
impl<'a> From<crate::messages::producer_ids_record::ProducerIdsRecord> for MetadataRecord<'a> {
    fn from(record: crate::messages::producer_ids_record::ProducerIdsRecord) -> Self {
        Self::ProducerIds(record)
    }
}
impl<'a> From<crate::messages::broker_registration_change_record::BrokerRegistrationChangeRecord>
    for MetadataRecord<'a>
{
    fn from(
        record: crate::messages::broker_registration_change_record::BrokerRegistrationChangeRecord,
    ) -> Self {
        Self::BrokerRegistrationChange(record)
    }
}
impl<'a> From<crate::messages::access_control_entry_record::AccessControlEntryRecord<'a>>
    for MetadataRecord<'a>
{
    fn from(record: crate::messages::access_control_entry_record::AccessControlEntryRecord<'a>) -> Self {
        Self::AccessControlEntry(record)
    }
}
impl<'a> From<crate::messages::remove_access_control_entry_record::RemoveAccessControlEntryRecord>
    for MetadataRecord<'a>
{
    fn from(
        record: crate::messages::remove_access_control_entry_record::RemoveAccessControlEntryRecord,
    ) -> Self {
        Self::RemoveAccessControlEntry(record)
    }
}
impl<'a> From<crate::messages::no_op_record::NoOpRecord> for MetadataRecord<'a> {
    fn from(record: crate::messages::no_op_record::NoOpRecord) -> Self {
        Self::NoOp(record)
    }
}
impl<'a> From<crate::messages::zk_migration_state_record::ZkMigrationStateRecord> for MetadataRecord<'a> {
    fn from(record: crate::messages::zk_migration_state_record::ZkMigrationStateRecord) -> Self {
        Self::ZkMigrationState(record)
    }
}
impl<'a> From<crate::messages::remove_user_scram_credential_record::RemoveUserScramCredentialRecord<'a>>
    for MetadataRecord<'a>
{
    fn from(
        record: crate::messages::remove_user_scram_credential_record::RemoveUserScramCredentialRecord<'a>,
    ) -> Self {
        Self::RemoveUserScramCredential(record)
    }
}
impl<'a> From<crate::messages::begin_transaction_record::BeginTransactionRecord<'a>> for MetadataRecord<'a> {
    fn from(record: crate::messages::begin_transaction_record::BeginTransactionRecord<'a>) -> Self {
        Self::BeginTransaction(record)
    }
}
impl<'a> From<crate::messages::end_transaction_record::EndTransactionRecord> for MetadataRecord<'a> {
    fn from(record: crate::messages::end_transaction_record::EndTransactionRecord) -> Self {
        Self::EndTransaction(record)
    }
}
impl<'a> From<crate::messages::abort_transaction_record::AbortTransactionRecord<'a>> for MetadataRecord<'a> {
    fn from(record: crate::messages::abort_transaction_record::AbortTransactionRecord<'a>) -> Self {
        Self::AbortTransaction(record)
    }
}
impl<'a> From<crate::messages::remove_delegation_token_record::RemoveDelegationTokenRecord<'a>>
    for MetadataRecord<'a>
{
    fn from(
        record: crate::messages::remove_delegation_token_record::RemoveDelegationTokenRecord<'a>,
    ) -> Self {
        Self::RemoveDelegationToken(record)
    }
}
impl<'a> From<crate::messages::register_controller_record::RegisterControllerRecord<'a>>
    for MetadataRecord<'a>
{
    fn from(record: crate::messages::register_controller_record::RegisterControllerRecord<'a>) -> Self {
        Self::RegisterController(record)
    }
}
impl<'a> From<crate::messages::clear_elr_record::ClearElrRecord<'a>> for MetadataRecord<'a> {
    fn from(record: crate::messages::clear_elr_record::ClearElrRecord<'a>) -> Self {
        Self::ClearElr(record)
    }
}

/// The key of a record of `__consumer_offsets`.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupKey<'a> {
    /// Type 0.
LegacyOffsetCommit(crate::messages::legacy_offset_commit_key::LegacyOffsetCommitKey<'a>),
/// Type 1.
OffsetCommit(crate::messages::offset_commit_key::OffsetCommitKey<'a>),
/// Type 2.
GroupMetadata(crate::messages::group_metadata_key::GroupMetadataKey<'a>),
/// Type 3.
ConsumerGroupMetadata(crate::messages::consumer_group_metadata_key::ConsumerGroupMetadataKey<'a>),
/// Type 4.
ConsumerGroupPartitionMetadata(crate::messages::consumer_group_partition_metadata_key::ConsumerGroupPartitionMetadataKey<'a>),
/// Type 5.
ConsumerGroupMemberMetadata(crate::messages::consumer_group_member_metadata_key::ConsumerGroupMemberMetadataKey<'a>),
/// Type 6.
ConsumerGroupTargetAssignmentMetadata(crate::messages::consumer_group_target_assignment_metadata_key::ConsumerGroupTargetAssignmentMetadataKey<'a>),
/// Type 7.
ConsumerGroupTargetAssignmentMember(crate::messages::consumer_group_target_assignment_member_key::ConsumerGroupTargetAssignmentMemberKey<'a>),
/// Type 8.
ConsumerGroupCurrentMemberAssignment(crate::messages::consumer_group_current_member_assignment_key::ConsumerGroupCurrentMemberAssignmentKey<'a>),
/// Type 10.
ShareGroupMemberMetadata(crate::messages::share_group_member_metadata_key::ShareGroupMemberMetadataKey<'a>),
/// Type 11.
ShareGroupMetadata(crate::messages::share_group_metadata_key::ShareGroupMetadataKey<'a>),
/// Type 12.
ShareGroupTargetAssignmentMetadata(crate::messages::share_group_target_assignment_metadata_key::ShareGroupTargetAssignmentMetadataKey<'a>),
/// Type 13.
ShareGroupTargetAssignmentMember(crate::messages::share_group_target_assignment_member_key::ShareGroupTargetAssignmentMemberKey<'a>),
/// Type 14.
ShareGroupCurrentMemberAssignment(crate::messages::share_group_current_member_assignment_key::ShareGroupCurrentMemberAssignmentKey<'a>),
/// Type 15.
ShareGroupStatePartitionMetadata(crate::messages::share_group_state_partition_metadata_key::ShareGroupStatePartitionMetadataKey<'a>),
/// Type 16.
ConsumerGroupRegularExpression(crate::messages::consumer_group_regular_expression_key::ConsumerGroupRegularExpressionKey<'a>),
/// Type 17.
StreamsGroupMetadata(crate::messages::streams_group_metadata_key::StreamsGroupMetadataKey<'a>),
/// Type 19.
StreamsGroupMemberMetadata(crate::messages::streams_group_member_metadata_key::StreamsGroupMemberMetadataKey<'a>),
/// Type 20.
StreamsGroupTargetAssignmentMetadata(crate::messages::streams_group_target_assignment_metadata_key::StreamsGroupTargetAssignmentMetadataKey<'a>),
/// Type 21.
StreamsGroupTargetAssignmentMember(crate::messages::streams_group_target_assignment_member_key::StreamsGroupTargetAssignmentMemberKey<'a>),
/// Type 22.
StreamsGroupCurrentMemberAssignment(crate::messages::streams_group_current_member_assignment_key::StreamsGroupCurrentMemberAssignmentKey<'a>),
/// Type 23.
StreamsGroupTopology(crate::messages::streams_group_topology_key::StreamsGroupTopologyKey<'a>),
}

impl<'a> GroupKey<'a> {
    /// Reads a key, type and body; `None` for a type that is not known.
    pub fn decode(d: &mut Decoder<'a>) -> Result<Option<Self>, DecodeError> {
        Ok(Some(match record::decode_key_type(d)? {
            0 => Self::LegacyOffsetCommit(Message::decode(d, 0)?),
            1 => Self::OffsetCommit(Message::decode(d, 0)?),
            2 => Self::GroupMetadata(Message::decode(d, 0)?),
            3 => Self::ConsumerGroupMetadata(Message::decode(d, 0)?),
            4 => Self::ConsumerGroupPartitionMetadata(Message::decode(d, 0)?),
            5 => Self::ConsumerGroupMemberMetadata(Message::decode(d, 0)?),
            6 => Self::ConsumerGroupTargetAssignmentMetadata(Message::decode(d, 0)?),
            7 => Self::ConsumerGroupTargetAssignmentMember(Message::decode(d, 0)?),
            8 => Self::ConsumerGroupCurrentMemberAssignment(Message::decode(d, 0)?),
            10 => Self::ShareGroupMemberMetadata(Message::decode(d, 0)?),
            11 => Self::ShareGroupMetadata(Message::decode(d, 0)?),
            12 => Self::ShareGroupTargetAssignmentMetadata(Message::decode(d, 0)?),
            13 => Self::ShareGroupTargetAssignmentMember(Message::decode(d, 0)?),
            14 => Self::ShareGroupCurrentMemberAssignment(Message::decode(d, 0)?),
            15 => Self::ShareGroupStatePartitionMetadata(Message::decode(d, 0)?),
            16 => Self::ConsumerGroupRegularExpression(Message::decode(d, 0)?),
            17 => Self::StreamsGroupMetadata(Message::decode(d, 0)?),
            19 => Self::StreamsGroupMemberMetadata(Message::decode(d, 0)?),
            20 => Self::StreamsGroupTargetAssignmentMetadata(Message::decode(d, 0)?),
            21 => Self::StreamsGroupTargetAssignmentMember(Message::decode(d, 0)?),
            22 => Self::StreamsGroupCurrentMemberAssignment(Message::decode(d, 0)?),
            23 => Self::StreamsGroupTopology(Message::decode(d, 0)?),
            _ => return Ok(None),
        }))
    }

    /// Writes a key, type and body.
    pub fn encode(&self, e: &mut Encoder) {
        match self {
            Self::LegacyOffsetCommit(key) => record::encode_key(e, key),
            Self::OffsetCommit(key) => record::encode_key(e, key),
            Self::GroupMetadata(key) => record::encode_key(e, key),
            Self::ConsumerGroupMetadata(key) => record::encode_key(e, key),
            Self::ConsumerGroupPartitionMetadata(key) => record::encode_key(e, key),
            Self::ConsumerGroupMemberMetadata(key) => record::encode_key(e, key),
            Self::ConsumerGroupTargetAssignmentMetadata(key) => record::encode_key(e, key),
            Self::ConsumerGroupTargetAssignmentMember(key) => record::encode_key(e, key),
            Self::ConsumerGroupCurrentMemberAssignment(key) => record::encode_key(e, key),
            Self::ShareGroupMemberMetadata(key) => record::encode_key(e, key),
            Self::ShareGroupMetadata(key) => record::encode_key(e, key),
            Self::ShareGroupTargetAssignmentMetadata(key) => record::encode_key(e, key),
            Self::ShareGroupTargetAssignmentMember(key) => record::encode_key(e, key),
            Self::ShareGroupCurrentMemberAssignment(key) => record::encode_key(e, key),
            Self::ShareGroupStatePartitionMetadata(key) => record::encode_key(e, key),
            Self::ConsumerGroupRegularExpression(key) => record::encode_key(e, key),
            Self::StreamsGroupMetadata(key) => record::encode_key(e, key),
            Self::StreamsGroupMemberMetadata(key) => record::encode_key(e, key),
            Self::StreamsGroupTargetAssignmentMetadata(key) => record::encode_key(e, key),
            Self::StreamsGroupTargetAssignmentMember(key) => record::encode_key(e, key),
            Self::StreamsGroupCurrentMemberAssignment(key) => record::encode_key(e, key),
            Self::StreamsGroupTopology(key) => record::encode_key(e, key),
        }
    }
}

impl<'a> From<crate::messages::legacy_offset_commit_key::LegacyOffsetCommitKey<'a>> for GroupKey<'a> {
    fn from(record: crate::messages::legacy_offset_commit_key::LegacyOffsetCommitKey<'a>) -> Self {
        Self::LegacyOffsetCommit(record)
    }
}
impl<'a> From<crate::messages::offset_commit_key::OffsetCommitKey<'a>> for GroupKey<'a> {
    fn from(record: crate::messages::offset_commit_key::OffsetCommitKey<'a>) -> Self {
        Self::OffsetCommit(record)
    }
}
impl<'a> From<crate::messages::group_metadata_key::GroupMetadataKey<'a>> for GroupKey<'a> {
    fn from(record: crate::messages::group_metadata_key::GroupMetadataKey<'a>) -> Self {
        Self::GroupMetadata(record)
    }
}
impl<'a> From<crate::messages::consumer_group_metadata_key::ConsumerGroupMetadataKey<'a>> for GroupKey<'a> {
    fn from(record: crate::messages::consumer_group_metadata_key::ConsumerGroupMetadataKey<'a>) -> Self {
        Self::ConsumerGroupMetadata(record)
    }
}
impl<'a> From<crate::messages::consumer_group_partition_metadata_key::ConsumerGroupPartitionMetadataKey<'a>>
    for GroupKey<'a>
{
    fn from(
        record: crate::messages::consumer_group_partition_metadata_key::ConsumerGroupPartitionMetadataKey<'a>,
    ) -> Self {
        Self::ConsumerGroupPartitionMetadata(record)
    }
}
impl<'a> From<crate::messages::consumer_group_member_metadata_key::ConsumerGroupMemberMetadataKey<'a>>
    for GroupKey<'a>
{
    fn from(
        record: crate::messages::consumer_group_member_metadata_key::ConsumerGroupMemberMetadataKey<'a>,
    ) -> Self {
        Self::ConsumerGroupMemberMetadata(record)
    }
}
impl<'a> From<crate::messages::consumer_group_target_assignment_metadata_key::ConsumerGroupTargetAssignmentMetadataKey<'a>> for GroupKey<'a> { fn from(record: crate::messages::consumer_group_target_assignment_metadata_key::ConsumerGroupTargetAssignmentMetadataKey<'a>) -> Self { Self::ConsumerGroupTargetAssignmentMetadata(record) } }
impl<'a>
    From<
        crate::messages::consumer_group_target_assignment_member_key::ConsumerGroupTargetAssignmentMemberKey<
            'a,
        >,
    > for GroupKey<'a>
{
    fn from(
        record: crate::messages::consumer_group_target_assignment_member_key::ConsumerGroupTargetAssignmentMemberKey<'a>,
    ) -> Self {
        Self::ConsumerGroupTargetAssignmentMember(record)
    }
}
impl<'a> From<crate::messages::consumer_group_current_member_assignment_key::ConsumerGroupCurrentMemberAssignmentKey<'a>> for GroupKey<'a> { fn from(record: crate::messages::consumer_group_current_member_assignment_key::ConsumerGroupCurrentMemberAssignmentKey<'a>) -> Self { Self::ConsumerGroupCurrentMemberAssignment(record) } }
impl<'a> From<crate::messages::share_group_member_metadata_key::ShareGroupMemberMetadataKey<'a>>
    for GroupKey<'a>
{
    fn from(
        record: crate::messages::share_group_member_metadata_key::ShareGroupMemberMetadataKey<'a>,
    ) -> Self {
        Self::ShareGroupMemberMetadata(record)
    }
}
impl<'a> From<crate::messages::share_group_metadata_key::ShareGroupMetadataKey<'a>> for GroupKey<'a> {
    fn from(record: crate::messages::share_group_metadata_key::ShareGroupMetadataKey<'a>) -> Self {
        Self::ShareGroupMetadata(record)
    }
}
impl<'a>
    From<
        crate::messages::share_group_target_assignment_metadata_key::ShareGroupTargetAssignmentMetadataKey<
            'a,
        >,
    > for GroupKey<'a>
{
    fn from(
        record: crate::messages::share_group_target_assignment_metadata_key::ShareGroupTargetAssignmentMetadataKey<'a>,
    ) -> Self {
        Self::ShareGroupTargetAssignmentMetadata(record)
    }
}
impl<'a>
    From<crate::messages::share_group_target_assignment_member_key::ShareGroupTargetAssignmentMemberKey<'a>>
    for GroupKey<'a>
{
    fn from(
        record: crate::messages::share_group_target_assignment_member_key::ShareGroupTargetAssignmentMemberKey<'a>,
    ) -> Self {
        Self::ShareGroupTargetAssignmentMember(record)
    }
}
impl<'a>
    From<crate::messages::share_group_current_member_assignment_key::ShareGroupCurrentMemberAssignmentKey<'a>>
    for GroupKey<'a>
{
    fn from(
        record: crate::messages::share_group_current_member_assignment_key::ShareGroupCurrentMemberAssignmentKey<'a>,
    ) -> Self {
        Self::ShareGroupCurrentMemberAssignment(record)
    }
}
impl<'a>
    From<crate::messages::share_group_state_partition_metadata_key::ShareGroupStatePartitionMetadataKey<'a>>
    for GroupKey<'a>
{
    fn from(
        record: crate::messages::share_group_state_partition_metadata_key::ShareGroupStatePartitionMetadataKey<'a>,
    ) -> Self {
        Self::ShareGroupStatePartitionMetadata(record)
    }
}
impl<'a> From<crate::messages::consumer_group_regular_expression_key::ConsumerGroupRegularExpressionKey<'a>>
    for GroupKey<'a>
{
    fn from(
        record: crate::messages::consumer_group_regular_expression_key::ConsumerGroupRegularExpressionKey<'a>,
    ) -> Self {
        Self::ConsumerGroupRegularExpression(record)
    }
}
impl<'a> From<crate::messages::streams_group_metadata_key::StreamsGroupMetadataKey<'a>> for GroupKey<'a> {
    fn from(record: crate::messages::streams_group_metadata_key::StreamsGroupMetadataKey<'a>) -> Self {
        Self::StreamsGroupMetadata(record)
    }
}
impl<'a> From<crate::messages::streams_group_member_metadata_key::StreamsGroupMemberMetadataKey<'a>>
    for GroupKey<'a>
{
    fn from(
        record: crate::messages::streams_group_member_metadata_key::StreamsGroupMemberMetadataKey<'a>,
    ) -> Self {
        Self::StreamsGroupMemberMetadata(record)
    }
}
impl<'a> From<crate::messages::streams_group_target_assignment_metadata_key::StreamsGroupTargetAssignmentMetadataKey<'a>> for GroupKey<'a> { fn from(record: crate::messages::streams_group_target_assignment_metadata_key::StreamsGroupTargetAssignmentMetadataKey<'a>) -> Self { Self::StreamsGroupTargetAssignmentMetadata(record) } }
impl<'a>
    From<
        crate::messages::streams_group_target_assignment_member_key::StreamsGroupTargetAssignmentMemberKey<
            'a,
        >,
    > for GroupKey<'a>
{
    fn from(
        record: crate::messages::streams_group_target_assignment_member_key::StreamsGroupTargetAssignmentMemberKey<'a>,
    ) -> Self {
        Self::StreamsGroupTargetAssignmentMember(record)
    }
}
impl<'a>
    From<
        crate::messages::streams_group_current_member_assignment_key::StreamsGroupCurrentMemberAssignmentKey<
            'a,
        >,
    > for GroupKey<'a>
{
    fn from(
        record: crate::messages::streams_group_current_member_assignment_key::StreamsGroupCurrentMemberAssignmentKey<'a>,
    ) -> Self {
        Self::StreamsGroupCurrentMemberAssignment(record)
    }
}
impl<'a> From<crate::messages::streams_group_topology_key::StreamsGroupTopologyKey<'a>> for GroupKey<'a> {
    fn from(record: crate::messages::streams_group_topology_key::StreamsGroupTopologyKey<'a>) -> Self {
        Self::StreamsGroupTopology(record)
    }
}

/// The key of a record of `__transaction_state`.
#[derive(Debug, Clone, PartialEq)]
pub enum TransactionKey<'a> {
    /// Type 0.
    TransactionLog(crate::messages::transaction_log_key::TransactionLogKey<'a>),
}

impl<'a> TransactionKey<'a> {
    /// Reads a key, type and body; `None` for a type that is not known.
    pub fn decode(d: &mut Decoder<'a>) -> Result<Option<Self>, DecodeError> {
        Ok(Some(match record::decode_key_type(d)? {
            0 => Self::TransactionLog(Message::decode(d, 0)?),
            _ => return Ok(None),
        }))
    }

    /// Writes a key, type and body.
    pub fn encode(&self, e: &mut Encoder) {
        match self {
            Self::TransactionLog(key) => record::encode_key(e, key),
        }
    }
}

impl<'a> From<crate::messages::transaction_log_key::TransactionLogKey<'a>> for TransactionKey<'a> {
    fn from(record: crate::messages::transaction_log_key::TransactionLogKey<'a>) -> Self {
        Self::TransactionLog(record)
    }
}

/// The key of a record of `__share_group_state`.
#[derive(Debug, Clone, PartialEq)]
pub enum ShareKey<'a> {
    /// Type 0.
    ShareSnapshot(crate::messages::share_snapshot_key::ShareSnapshotKey<'a>),
    /// Type 1.
    ShareUpdate(crate::messages::share_update_key::ShareUpdateKey<'a>),
}

impl<'a> ShareKey<'a> {
    /// Reads a key, type and body; `None` for a type that is not known.
    pub fn decode(d: &mut Decoder<'a>) -> Result<Option<Self>, DecodeError> {
        Ok(Some(match record::decode_key_type(d)? {
            0 => Self::ShareSnapshot(Message::decode(d, 0)?),
            1 => Self::ShareUpdate(Message::decode(d, 0)?),
            _ => return Ok(None),
        }))
    }

    /// Writes a key, type and body.
    pub fn encode(&self, e: &mut Encoder) {
        match self {
            Self::ShareSnapshot(key) => record::encode_key(e, key),
            Self::ShareUpdate(key) => record::encode_key(e, key),
        }
    }
}

impl<'a> From<crate::messages::share_snapshot_key::ShareSnapshotKey<'a>> for ShareKey<'a> {
    fn from(record: crate::messages::share_snapshot_key::ShareSnapshotKey<'a>) -> Self {
        Self::ShareSnapshot(record)
    }
}
impl<'a> From<crate::messages::share_update_key::ShareUpdateKey<'a>> for ShareKey<'a> {
    fn from(record: crate::messages::share_update_key::ShareUpdateKey<'a>) -> Self {
        Self::ShareUpdate(record)
    }
}
