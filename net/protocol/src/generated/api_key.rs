//! The API keys and their facts. Generated from `schema/`, not to be edited.

use std::ops::RangeInclusive;

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i16)]
pub enum ApiKey {
    /// Key 0.
    Produce = 0,
    /// Key 1.
    Fetch = 1,
    /// Key 2.
    ListOffsets = 2,
    /// Key 3.
    Metadata = 3,
    /// Key 4.
    LeaderAndIsr = 4,
    /// Key 5.
    StopReplica = 5,
    /// Key 6.
    UpdateMetadata = 6,
    /// Key 7.
    ControlledShutdown = 7,
    /// Key 8.
    OffsetCommit = 8,
    /// Key 9.
    OffsetFetch = 9,
    /// Key 10.
    FindCoordinator = 10,
    /// Key 11.
    JoinGroup = 11,
    /// Key 12.
    Heartbeat = 12,
    /// Key 13.
    LeaveGroup = 13,
    /// Key 14.
    SyncGroup = 14,
    /// Key 15.
    DescribeGroups = 15,
    /// Key 16.
    ListGroups = 16,
    /// Key 17.
    SaslHandshake = 17,
    /// Key 18.
    ApiVersions = 18,
    /// Key 19.
    CreateTopics = 19,
    /// Key 20.
    DeleteTopics = 20,
    /// Key 21.
    DeleteRecords = 21,
    /// Key 22.
    InitProducerId = 22,
    /// Key 23.
    OffsetForLeaderEpoch = 23,
    /// Key 24.
    AddPartitionsToTxn = 24,
    /// Key 25.
    AddOffsetsToTxn = 25,
    /// Key 26.
    EndTxn = 26,
    /// Key 27.
    WriteTxnMarkers = 27,
    /// Key 28.
    TxnOffsetCommit = 28,
    /// Key 29.
    DescribeAcls = 29,
    /// Key 30.
    CreateAcls = 30,
    /// Key 31.
    DeleteAcls = 31,
    /// Key 32.
    DescribeConfigs = 32,
    /// Key 33.
    AlterConfigs = 33,
    /// Key 34.
    AlterReplicaLogDirs = 34,
    /// Key 35.
    DescribeLogDirs = 35,
    /// Key 36.
    SaslAuthenticate = 36,
    /// Key 37.
    CreatePartitions = 37,
    /// Key 38.
    CreateDelegationToken = 38,
    /// Key 39.
    RenewDelegationToken = 39,
    /// Key 40.
    ExpireDelegationToken = 40,
    /// Key 41.
    DescribeDelegationToken = 41,
    /// Key 42.
    DeleteGroups = 42,
    /// Key 43.
    ElectLeaders = 43,
    /// Key 44.
    IncrementalAlterConfigs = 44,
    /// Key 45.
    AlterPartitionReassignments = 45,
    /// Key 46.
    ListPartitionReassignments = 46,
    /// Key 47.
    OffsetDelete = 47,
    /// Key 48.
    DescribeClientQuotas = 48,
    /// Key 49.
    AlterClientQuotas = 49,
    /// Key 50.
    DescribeUserScramCredentials = 50,
    /// Key 51.
    AlterUserScramCredentials = 51,
    /// Key 52.
    Vote = 52,
    /// Key 53.
    BeginQuorumEpoch = 53,
    /// Key 54.
    EndQuorumEpoch = 54,
    /// Key 55.
    DescribeQuorum = 55,
    /// Key 56.
    AlterPartition = 56,
    /// Key 57.
    UpdateFeatures = 57,
    /// Key 58.
    Envelope = 58,
    /// Key 59.
    FetchSnapshot = 59,
    /// Key 60.
    DescribeCluster = 60,
    /// Key 61.
    DescribeProducers = 61,
    /// Key 62.
    BrokerRegistration = 62,
    /// Key 63.
    BrokerHeartbeat = 63,
    /// Key 64.
    UnregisterBroker = 64,
    /// Key 65.
    DescribeTransactions = 65,
    /// Key 66.
    ListTransactions = 66,
    /// Key 67.
    AllocateProducerIds = 67,
    /// Key 68.
    ConsumerGroupHeartbeat = 68,
    /// Key 69.
    ConsumerGroupDescribe = 69,
    /// Key 70.
    ControllerRegistration = 70,
    /// Key 71.
    GetTelemetrySubscriptions = 71,
    /// Key 72.
    PushTelemetry = 72,
    /// Key 73.
    AssignReplicasToDirs = 73,
    /// Key 74.
    ListConfigResources = 74,
    /// Key 75.
    DescribeTopicPartitions = 75,
    /// Key 76.
    ShareGroupHeartbeat = 76,
    /// Key 77.
    ShareGroupDescribe = 77,
    /// Key 78.
    ShareFetch = 78,
    /// Key 79.
    ShareAcknowledge = 79,
    /// Key 80.
    AddRaftVoter = 80,
    /// Key 81.
    RemoveRaftVoter = 81,
    /// Key 82.
    UpdateRaftVoter = 82,
    /// Key 83.
    InitializeShareGroupState = 83,
    /// Key 84.
    ReadShareGroupState = 84,
    /// Key 85.
    WriteShareGroupState = 85,
    /// Key 86.
    DeleteShareGroupState = 86,
    /// Key 87.
    ReadShareGroupStateSummary = 87,
    /// Key 88.
    StreamsGroupHeartbeat = 88,
    /// Key 89.
    StreamsGroupDescribe = 89,
    /// Key 90.
    DescribeShareGroupOffsets = 90,
    /// Key 91.
    AlterShareGroupOffsets = 91,
    /// Key 92.
    DeleteShareGroupOffsets = 92,
}

impl ApiKey {
    /// Every key, in order.
    pub const ALL: &'static [ApiKey] = &[
        ApiKey::Produce,
        ApiKey::Fetch,
        ApiKey::ListOffsets,
        ApiKey::Metadata,
        ApiKey::LeaderAndIsr,
        ApiKey::StopReplica,
        ApiKey::UpdateMetadata,
        ApiKey::ControlledShutdown,
        ApiKey::OffsetCommit,
        ApiKey::OffsetFetch,
        ApiKey::FindCoordinator,
        ApiKey::JoinGroup,
        ApiKey::Heartbeat,
        ApiKey::LeaveGroup,
        ApiKey::SyncGroup,
        ApiKey::DescribeGroups,
        ApiKey::ListGroups,
        ApiKey::SaslHandshake,
        ApiKey::ApiVersions,
        ApiKey::CreateTopics,
        ApiKey::DeleteTopics,
        ApiKey::DeleteRecords,
        ApiKey::InitProducerId,
        ApiKey::OffsetForLeaderEpoch,
        ApiKey::AddPartitionsToTxn,
        ApiKey::AddOffsetsToTxn,
        ApiKey::EndTxn,
        ApiKey::WriteTxnMarkers,
        ApiKey::TxnOffsetCommit,
        ApiKey::DescribeAcls,
        ApiKey::CreateAcls,
        ApiKey::DeleteAcls,
        ApiKey::DescribeConfigs,
        ApiKey::AlterConfigs,
        ApiKey::AlterReplicaLogDirs,
        ApiKey::DescribeLogDirs,
        ApiKey::SaslAuthenticate,
        ApiKey::CreatePartitions,
        ApiKey::CreateDelegationToken,
        ApiKey::RenewDelegationToken,
        ApiKey::ExpireDelegationToken,
        ApiKey::DescribeDelegationToken,
        ApiKey::DeleteGroups,
        ApiKey::ElectLeaders,
        ApiKey::IncrementalAlterConfigs,
        ApiKey::AlterPartitionReassignments,
        ApiKey::ListPartitionReassignments,
        ApiKey::OffsetDelete,
        ApiKey::DescribeClientQuotas,
        ApiKey::AlterClientQuotas,
        ApiKey::DescribeUserScramCredentials,
        ApiKey::AlterUserScramCredentials,
        ApiKey::Vote,
        ApiKey::BeginQuorumEpoch,
        ApiKey::EndQuorumEpoch,
        ApiKey::DescribeQuorum,
        ApiKey::AlterPartition,
        ApiKey::UpdateFeatures,
        ApiKey::Envelope,
        ApiKey::FetchSnapshot,
        ApiKey::DescribeCluster,
        ApiKey::DescribeProducers,
        ApiKey::BrokerRegistration,
        ApiKey::BrokerHeartbeat,
        ApiKey::UnregisterBroker,
        ApiKey::DescribeTransactions,
        ApiKey::ListTransactions,
        ApiKey::AllocateProducerIds,
        ApiKey::ConsumerGroupHeartbeat,
        ApiKey::ConsumerGroupDescribe,
        ApiKey::ControllerRegistration,
        ApiKey::GetTelemetrySubscriptions,
        ApiKey::PushTelemetry,
        ApiKey::AssignReplicasToDirs,
        ApiKey::ListConfigResources,
        ApiKey::DescribeTopicPartitions,
        ApiKey::ShareGroupHeartbeat,
        ApiKey::ShareGroupDescribe,
        ApiKey::ShareFetch,
        ApiKey::ShareAcknowledge,
        ApiKey::AddRaftVoter,
        ApiKey::RemoveRaftVoter,
        ApiKey::UpdateRaftVoter,
        ApiKey::InitializeShareGroupState,
        ApiKey::ReadShareGroupState,
        ApiKey::WriteShareGroupState,
        ApiKey::DeleteShareGroupState,
        ApiKey::ReadShareGroupStateSummary,
        ApiKey::StreamsGroupHeartbeat,
        ApiKey::StreamsGroupDescribe,
        ApiKey::DescribeShareGroupOffsets,
        ApiKey::AlterShareGroupOffsets,
        ApiKey::DeleteShareGroupOffsets,
    ];

    /// Kafka's name.
    pub const fn name(self) -> &'static str {
        match self {
            ApiKey::Produce => "Produce",
            ApiKey::Fetch => "Fetch",
            ApiKey::ListOffsets => "ListOffsets",
            ApiKey::Metadata => "Metadata",
            ApiKey::LeaderAndIsr => "LeaderAndIsr",
            ApiKey::StopReplica => "StopReplica",
            ApiKey::UpdateMetadata => "UpdateMetadata",
            ApiKey::ControlledShutdown => "ControlledShutdown",
            ApiKey::OffsetCommit => "OffsetCommit",
            ApiKey::OffsetFetch => "OffsetFetch",
            ApiKey::FindCoordinator => "FindCoordinator",
            ApiKey::JoinGroup => "JoinGroup",
            ApiKey::Heartbeat => "Heartbeat",
            ApiKey::LeaveGroup => "LeaveGroup",
            ApiKey::SyncGroup => "SyncGroup",
            ApiKey::DescribeGroups => "DescribeGroups",
            ApiKey::ListGroups => "ListGroups",
            ApiKey::SaslHandshake => "SaslHandshake",
            ApiKey::ApiVersions => "ApiVersions",
            ApiKey::CreateTopics => "CreateTopics",
            ApiKey::DeleteTopics => "DeleteTopics",
            ApiKey::DeleteRecords => "DeleteRecords",
            ApiKey::InitProducerId => "InitProducerId",
            ApiKey::OffsetForLeaderEpoch => "OffsetForLeaderEpoch",
            ApiKey::AddPartitionsToTxn => "AddPartitionsToTxn",
            ApiKey::AddOffsetsToTxn => "AddOffsetsToTxn",
            ApiKey::EndTxn => "EndTxn",
            ApiKey::WriteTxnMarkers => "WriteTxnMarkers",
            ApiKey::TxnOffsetCommit => "TxnOffsetCommit",
            ApiKey::DescribeAcls => "DescribeAcls",
            ApiKey::CreateAcls => "CreateAcls",
            ApiKey::DeleteAcls => "DeleteAcls",
            ApiKey::DescribeConfigs => "DescribeConfigs",
            ApiKey::AlterConfigs => "AlterConfigs",
            ApiKey::AlterReplicaLogDirs => "AlterReplicaLogDirs",
            ApiKey::DescribeLogDirs => "DescribeLogDirs",
            ApiKey::SaslAuthenticate => "SaslAuthenticate",
            ApiKey::CreatePartitions => "CreatePartitions",
            ApiKey::CreateDelegationToken => "CreateDelegationToken",
            ApiKey::RenewDelegationToken => "RenewDelegationToken",
            ApiKey::ExpireDelegationToken => "ExpireDelegationToken",
            ApiKey::DescribeDelegationToken => "DescribeDelegationToken",
            ApiKey::DeleteGroups => "DeleteGroups",
            ApiKey::ElectLeaders => "ElectLeaders",
            ApiKey::IncrementalAlterConfigs => "IncrementalAlterConfigs",
            ApiKey::AlterPartitionReassignments => "AlterPartitionReassignments",
            ApiKey::ListPartitionReassignments => "ListPartitionReassignments",
            ApiKey::OffsetDelete => "OffsetDelete",
            ApiKey::DescribeClientQuotas => "DescribeClientQuotas",
            ApiKey::AlterClientQuotas => "AlterClientQuotas",
            ApiKey::DescribeUserScramCredentials => "DescribeUserScramCredentials",
            ApiKey::AlterUserScramCredentials => "AlterUserScramCredentials",
            ApiKey::Vote => "Vote",
            ApiKey::BeginQuorumEpoch => "BeginQuorumEpoch",
            ApiKey::EndQuorumEpoch => "EndQuorumEpoch",
            ApiKey::DescribeQuorum => "DescribeQuorum",
            ApiKey::AlterPartition => "AlterPartition",
            ApiKey::UpdateFeatures => "UpdateFeatures",
            ApiKey::Envelope => "Envelope",
            ApiKey::FetchSnapshot => "FetchSnapshot",
            ApiKey::DescribeCluster => "DescribeCluster",
            ApiKey::DescribeProducers => "DescribeProducers",
            ApiKey::BrokerRegistration => "BrokerRegistration",
            ApiKey::BrokerHeartbeat => "BrokerHeartbeat",
            ApiKey::UnregisterBroker => "UnregisterBroker",
            ApiKey::DescribeTransactions => "DescribeTransactions",
            ApiKey::ListTransactions => "ListTransactions",
            ApiKey::AllocateProducerIds => "AllocateProducerIds",
            ApiKey::ConsumerGroupHeartbeat => "ConsumerGroupHeartbeat",
            ApiKey::ConsumerGroupDescribe => "ConsumerGroupDescribe",
            ApiKey::ControllerRegistration => "ControllerRegistration",
            ApiKey::GetTelemetrySubscriptions => "GetTelemetrySubscriptions",
            ApiKey::PushTelemetry => "PushTelemetry",
            ApiKey::AssignReplicasToDirs => "AssignReplicasToDirs",
            ApiKey::ListConfigResources => "ListConfigResources",
            ApiKey::DescribeTopicPartitions => "DescribeTopicPartitions",
            ApiKey::ShareGroupHeartbeat => "ShareGroupHeartbeat",
            ApiKey::ShareGroupDescribe => "ShareGroupDescribe",
            ApiKey::ShareFetch => "ShareFetch",
            ApiKey::ShareAcknowledge => "ShareAcknowledge",
            ApiKey::AddRaftVoter => "AddRaftVoter",
            ApiKey::RemoveRaftVoter => "RemoveRaftVoter",
            ApiKey::UpdateRaftVoter => "UpdateRaftVoter",
            ApiKey::InitializeShareGroupState => "InitializeShareGroupState",
            ApiKey::ReadShareGroupState => "ReadShareGroupState",
            ApiKey::WriteShareGroupState => "WriteShareGroupState",
            ApiKey::DeleteShareGroupState => "DeleteShareGroupState",
            ApiKey::ReadShareGroupStateSummary => "ReadShareGroupStateSummary",
            ApiKey::StreamsGroupHeartbeat => "StreamsGroupHeartbeat",
            ApiKey::StreamsGroupDescribe => "StreamsGroupDescribe",
            ApiKey::DescribeShareGroupOffsets => "DescribeShareGroupOffsets",
            ApiKey::AlterShareGroupOffsets => "AlterShareGroupOffsets",
            ApiKey::DeleteShareGroupOffsets => "DeleteShareGroupOffsets",
        }
    }

    /// The versions whose layout is known, an unstable newest one included; `None` for keys that are gone.
    pub const fn versions(self) -> Option<RangeInclusive<i16>> {
        match self {
            ApiKey::Produce => Some(3..=13),
            ApiKey::Fetch => Some(4..=18),
            ApiKey::ListOffsets => Some(1..=11),
            ApiKey::Metadata => Some(0..=13),
            ApiKey::OffsetCommit => Some(2..=10),
            ApiKey::OffsetFetch => Some(1..=10),
            ApiKey::FindCoordinator | ApiKey::DescribeGroups | ApiKey::InitProducerId => Some(0..=6),
            ApiKey::JoinGroup => Some(0..=9),
            ApiKey::Heartbeat
            | ApiKey::ApiVersions
            | ApiKey::AddOffsetsToTxn
            | ApiKey::BrokerRegistration => Some(0..=4),
            ApiKey::LeaveGroup
            | ApiKey::SyncGroup
            | ApiKey::ListGroups
            | ApiKey::AddPartitionsToTxn
            | ApiKey::EndTxn
            | ApiKey::TxnOffsetCommit => Some(0..=5),
            ApiKey::SaslHandshake
            | ApiKey::IncrementalAlterConfigs
            | ApiKey::AlterPartitionReassignments
            | ApiKey::DescribeClientQuotas
            | ApiKey::AlterClientQuotas
            | ApiKey::BeginQuorumEpoch
            | ApiKey::EndQuorumEpoch
            | ApiKey::FetchSnapshot
            | ApiKey::ConsumerGroupHeartbeat
            | ApiKey::ConsumerGroupDescribe
            | ApiKey::ListConfigResources
            | ApiKey::AddRaftVoter
            | ApiKey::WriteShareGroupState
            | ApiKey::ReadShareGroupStateSummary
            | ApiKey::DescribeShareGroupOffsets => Some(0..=1),
            ApiKey::CreateTopics => Some(2..=7),
            ApiKey::DeleteTopics => Some(1..=6),
            ApiKey::DeleteRecords
            | ApiKey::AlterConfigs
            | ApiKey::SaslAuthenticate
            | ApiKey::DeleteGroups
            | ApiKey::ElectLeaders
            | ApiKey::Vote
            | ApiKey::DescribeQuorum
            | ApiKey::UpdateFeatures
            | ApiKey::DescribeCluster
            | ApiKey::BrokerHeartbeat
            | ApiKey::ListTransactions => Some(0..=2),
            ApiKey::OffsetForLeaderEpoch => Some(2..=4),
            ApiKey::WriteTxnMarkers
            | ApiKey::AlterReplicaLogDirs
            | ApiKey::RenewDelegationToken
            | ApiKey::ExpireDelegationToken
            | ApiKey::ShareFetch
            | ApiKey::ShareAcknowledge => Some(1..=2),
            ApiKey::DescribeAcls
            | ApiKey::CreateAcls
            | ApiKey::DeleteAcls
            | ApiKey::CreateDelegationToken
            | ApiKey::DescribeDelegationToken => Some(1..=3),
            ApiKey::DescribeConfigs => Some(1..=4),
            ApiKey::DescribeLogDirs => Some(1..=5),
            ApiKey::CreatePartitions => Some(0..=3),
            ApiKey::ListPartitionReassignments
            | ApiKey::OffsetDelete
            | ApiKey::DescribeUserScramCredentials
            | ApiKey::AlterUserScramCredentials
            | ApiKey::Envelope
            | ApiKey::DescribeProducers
            | ApiKey::UnregisterBroker
            | ApiKey::DescribeTransactions
            | ApiKey::AllocateProducerIds
            | ApiKey::ControllerRegistration
            | ApiKey::GetTelemetrySubscriptions
            | ApiKey::PushTelemetry
            | ApiKey::AssignReplicasToDirs
            | ApiKey::DescribeTopicPartitions
            | ApiKey::RemoveRaftVoter
            | ApiKey::UpdateRaftVoter
            | ApiKey::InitializeShareGroupState
            | ApiKey::ReadShareGroupState
            | ApiKey::DeleteShareGroupState
            | ApiKey::StreamsGroupHeartbeat
            | ApiKey::StreamsGroupDescribe
            | ApiKey::AlterShareGroupOffsets
            | ApiKey::DeleteShareGroupOffsets => Some(0..=0),
            ApiKey::AlterPartition => Some(2..=3),
            ApiKey::ShareGroupHeartbeat | ApiKey::ShareGroupDescribe => Some(1..=1),
            ApiKey::LeaderAndIsr
            | ApiKey::StopReplica
            | ApiKey::UpdateMetadata
            | ApiKey::ControlledShutdown => None,
        }
    }

    /// The newest version that will not change any more.
    pub const fn latest_stable_version(self) -> Option<i16> {
        match self {
            ApiKey::Produce | ApiKey::Metadata => Some(13),
            ApiKey::Fetch => Some(18),
            ApiKey::ListOffsets => Some(11),
            ApiKey::OffsetCommit | ApiKey::OffsetFetch => Some(10),
            ApiKey::FindCoordinator | ApiKey::DescribeGroups | ApiKey::DeleteTopics => Some(6),
            ApiKey::JoinGroup => Some(9),
            ApiKey::Heartbeat
            | ApiKey::ApiVersions
            | ApiKey::OffsetForLeaderEpoch
            | ApiKey::AddOffsetsToTxn
            | ApiKey::DescribeConfigs
            | ApiKey::BrokerRegistration => Some(4),
            ApiKey::LeaveGroup
            | ApiKey::SyncGroup
            | ApiKey::ListGroups
            | ApiKey::InitProducerId
            | ApiKey::AddPartitionsToTxn
            | ApiKey::EndTxn
            | ApiKey::TxnOffsetCommit
            | ApiKey::DescribeLogDirs => Some(5),
            ApiKey::SaslHandshake
            | ApiKey::IncrementalAlterConfigs
            | ApiKey::AlterPartitionReassignments
            | ApiKey::DescribeClientQuotas
            | ApiKey::AlterClientQuotas
            | ApiKey::BeginQuorumEpoch
            | ApiKey::EndQuorumEpoch
            | ApiKey::FetchSnapshot
            | ApiKey::ConsumerGroupHeartbeat
            | ApiKey::ConsumerGroupDescribe
            | ApiKey::ListConfigResources
            | ApiKey::ShareGroupHeartbeat
            | ApiKey::ShareGroupDescribe
            | ApiKey::AddRaftVoter
            | ApiKey::WriteShareGroupState
            | ApiKey::ReadShareGroupStateSummary
            | ApiKey::DescribeShareGroupOffsets => Some(1),
            ApiKey::CreateTopics => Some(7),
            ApiKey::DeleteRecords
            | ApiKey::WriteTxnMarkers
            | ApiKey::AlterConfigs
            | ApiKey::AlterReplicaLogDirs
            | ApiKey::SaslAuthenticate
            | ApiKey::RenewDelegationToken
            | ApiKey::ExpireDelegationToken
            | ApiKey::DeleteGroups
            | ApiKey::ElectLeaders
            | ApiKey::Vote
            | ApiKey::DescribeQuorum
            | ApiKey::UpdateFeatures
            | ApiKey::DescribeCluster
            | ApiKey::BrokerHeartbeat
            | ApiKey::ListTransactions
            | ApiKey::ShareFetch
            | ApiKey::ShareAcknowledge => Some(2),
            ApiKey::DescribeAcls
            | ApiKey::CreateAcls
            | ApiKey::DeleteAcls
            | ApiKey::CreatePartitions
            | ApiKey::CreateDelegationToken
            | ApiKey::DescribeDelegationToken
            | ApiKey::AlterPartition => Some(3),
            ApiKey::ListPartitionReassignments
            | ApiKey::OffsetDelete
            | ApiKey::DescribeUserScramCredentials
            | ApiKey::AlterUserScramCredentials
            | ApiKey::Envelope
            | ApiKey::DescribeProducers
            | ApiKey::UnregisterBroker
            | ApiKey::DescribeTransactions
            | ApiKey::AllocateProducerIds
            | ApiKey::ControllerRegistration
            | ApiKey::GetTelemetrySubscriptions
            | ApiKey::PushTelemetry
            | ApiKey::AssignReplicasToDirs
            | ApiKey::DescribeTopicPartitions
            | ApiKey::RemoveRaftVoter
            | ApiKey::UpdateRaftVoter
            | ApiKey::InitializeShareGroupState
            | ApiKey::ReadShareGroupState
            | ApiKey::DeleteShareGroupState
            | ApiKey::StreamsGroupHeartbeat
            | ApiKey::StreamsGroupDescribe
            | ApiKey::AlterShareGroupOffsets
            | ApiKey::DeleteShareGroupOffsets => Some(0),
            ApiKey::LeaderAndIsr
            | ApiKey::StopReplica
            | ApiKey::UpdateMetadata
            | ApiKey::ControlledShutdown => None,
        }
    }

    /// The first version with compact lengths and tagged fields, `i16::MAX` if there is none.
    pub const fn flexible_from(self) -> i16 {
        match self {
            ApiKey::Produce | ApiKey::Metadata => 9,
            ApiKey::Fetch => 12,
            ApiKey::ListOffsets | ApiKey::OffsetFetch | ApiKey::JoinGroup => 6,
            ApiKey::OffsetCommit => 8,
            ApiKey::FindCoordinator
            | ApiKey::ListGroups
            | ApiKey::ApiVersions
            | ApiKey::AddPartitionsToTxn
            | ApiKey::AddOffsetsToTxn
            | ApiKey::EndTxn
            | ApiKey::TxnOffsetCommit => 3,
            ApiKey::Heartbeat
            | ApiKey::LeaveGroup
            | ApiKey::SyncGroup
            | ApiKey::DeleteTopics
            | ApiKey::OffsetForLeaderEpoch
            | ApiKey::DescribeConfigs => 4,
            ApiKey::DescribeGroups | ApiKey::CreateTopics => 5,
            ApiKey::SaslHandshake
            | ApiKey::OffsetDelete
            | ApiKey::LeaderAndIsr
            | ApiKey::StopReplica
            | ApiKey::UpdateMetadata
            | ApiKey::ControlledShutdown => i16::MAX,
            ApiKey::DeleteRecords
            | ApiKey::InitProducerId
            | ApiKey::DescribeAcls
            | ApiKey::CreateAcls
            | ApiKey::DeleteAcls
            | ApiKey::AlterConfigs
            | ApiKey::AlterReplicaLogDirs
            | ApiKey::DescribeLogDirs
            | ApiKey::SaslAuthenticate
            | ApiKey::CreatePartitions
            | ApiKey::CreateDelegationToken
            | ApiKey::RenewDelegationToken
            | ApiKey::ExpireDelegationToken
            | ApiKey::DescribeDelegationToken
            | ApiKey::DeleteGroups
            | ApiKey::ElectLeaders => 2,
            ApiKey::WriteTxnMarkers
            | ApiKey::IncrementalAlterConfigs
            | ApiKey::DescribeClientQuotas
            | ApiKey::AlterClientQuotas
            | ApiKey::BeginQuorumEpoch
            | ApiKey::EndQuorumEpoch => 1,
            ApiKey::AlterPartitionReassignments
            | ApiKey::ListPartitionReassignments
            | ApiKey::DescribeUserScramCredentials
            | ApiKey::AlterUserScramCredentials
            | ApiKey::Vote
            | ApiKey::DescribeQuorum
            | ApiKey::AlterPartition
            | ApiKey::UpdateFeatures
            | ApiKey::Envelope
            | ApiKey::FetchSnapshot
            | ApiKey::DescribeCluster
            | ApiKey::DescribeProducers
            | ApiKey::BrokerRegistration
            | ApiKey::BrokerHeartbeat
            | ApiKey::UnregisterBroker
            | ApiKey::DescribeTransactions
            | ApiKey::ListTransactions
            | ApiKey::AllocateProducerIds
            | ApiKey::ConsumerGroupHeartbeat
            | ApiKey::ConsumerGroupDescribe
            | ApiKey::ControllerRegistration
            | ApiKey::GetTelemetrySubscriptions
            | ApiKey::PushTelemetry
            | ApiKey::AssignReplicasToDirs
            | ApiKey::ListConfigResources
            | ApiKey::DescribeTopicPartitions
            | ApiKey::ShareGroupHeartbeat
            | ApiKey::ShareGroupDescribe
            | ApiKey::ShareFetch
            | ApiKey::ShareAcknowledge
            | ApiKey::AddRaftVoter
            | ApiKey::RemoveRaftVoter
            | ApiKey::UpdateRaftVoter
            | ApiKey::InitializeShareGroupState
            | ApiKey::ReadShareGroupState
            | ApiKey::WriteShareGroupState
            | ApiKey::DeleteShareGroupState
            | ApiKey::ReadShareGroupStateSummary
            | ApiKey::StreamsGroupHeartbeat
            | ApiKey::StreamsGroupDescribe
            | ApiKey::DescribeShareGroupOffsets
            | ApiKey::AlterShareGroupOffsets
            | ApiKey::DeleteShareGroupOffsets => 0,
        }
    }

    /// True if Kafka answers it on a broker's listener.
    pub const fn on_broker(self) -> bool {
        match self {
            ApiKey::Produce
            | ApiKey::Fetch
            | ApiKey::ListOffsets
            | ApiKey::Metadata
            | ApiKey::OffsetCommit
            | ApiKey::OffsetFetch
            | ApiKey::FindCoordinator
            | ApiKey::JoinGroup
            | ApiKey::Heartbeat
            | ApiKey::LeaveGroup
            | ApiKey::SyncGroup
            | ApiKey::DescribeGroups
            | ApiKey::ListGroups
            | ApiKey::SaslHandshake
            | ApiKey::ApiVersions
            | ApiKey::CreateTopics
            | ApiKey::DeleteTopics
            | ApiKey::DeleteRecords
            | ApiKey::InitProducerId
            | ApiKey::OffsetForLeaderEpoch
            | ApiKey::AddPartitionsToTxn
            | ApiKey::AddOffsetsToTxn
            | ApiKey::EndTxn
            | ApiKey::WriteTxnMarkers
            | ApiKey::TxnOffsetCommit
            | ApiKey::DescribeAcls
            | ApiKey::CreateAcls
            | ApiKey::DeleteAcls
            | ApiKey::DescribeConfigs
            | ApiKey::AlterConfigs
            | ApiKey::AlterReplicaLogDirs
            | ApiKey::DescribeLogDirs
            | ApiKey::SaslAuthenticate
            | ApiKey::CreatePartitions
            | ApiKey::CreateDelegationToken
            | ApiKey::RenewDelegationToken
            | ApiKey::ExpireDelegationToken
            | ApiKey::DescribeDelegationToken
            | ApiKey::DeleteGroups
            | ApiKey::ElectLeaders
            | ApiKey::IncrementalAlterConfigs
            | ApiKey::AlterPartitionReassignments
            | ApiKey::ListPartitionReassignments
            | ApiKey::OffsetDelete
            | ApiKey::DescribeClientQuotas
            | ApiKey::AlterClientQuotas
            | ApiKey::DescribeUserScramCredentials
            | ApiKey::AlterUserScramCredentials
            | ApiKey::DescribeQuorum
            | ApiKey::UpdateFeatures
            | ApiKey::DescribeCluster
            | ApiKey::DescribeProducers
            | ApiKey::UnregisterBroker
            | ApiKey::DescribeTransactions
            | ApiKey::ListTransactions
            | ApiKey::ConsumerGroupHeartbeat
            | ApiKey::ConsumerGroupDescribe
            | ApiKey::GetTelemetrySubscriptions
            | ApiKey::PushTelemetry
            | ApiKey::ListConfigResources
            | ApiKey::DescribeTopicPartitions
            | ApiKey::ShareGroupHeartbeat
            | ApiKey::ShareGroupDescribe
            | ApiKey::ShareFetch
            | ApiKey::ShareAcknowledge
            | ApiKey::AddRaftVoter
            | ApiKey::RemoveRaftVoter
            | ApiKey::InitializeShareGroupState
            | ApiKey::ReadShareGroupState
            | ApiKey::WriteShareGroupState
            | ApiKey::DeleteShareGroupState
            | ApiKey::ReadShareGroupStateSummary
            | ApiKey::StreamsGroupHeartbeat
            | ApiKey::StreamsGroupDescribe
            | ApiKey::DescribeShareGroupOffsets
            | ApiKey::AlterShareGroupOffsets
            | ApiKey::DeleteShareGroupOffsets => true,
            ApiKey::Vote
            | ApiKey::BeginQuorumEpoch
            | ApiKey::EndQuorumEpoch
            | ApiKey::AlterPartition
            | ApiKey::Envelope
            | ApiKey::FetchSnapshot
            | ApiKey::BrokerRegistration
            | ApiKey::BrokerHeartbeat
            | ApiKey::AllocateProducerIds
            | ApiKey::ControllerRegistration
            | ApiKey::AssignReplicasToDirs
            | ApiKey::UpdateRaftVoter
            | ApiKey::LeaderAndIsr
            | ApiKey::StopReplica
            | ApiKey::UpdateMetadata
            | ApiKey::ControlledShutdown => false,
        }
    }

    /// True if Kafka answers it on a controller's listener.
    pub const fn on_controller(self) -> bool {
        match self {
            ApiKey::Produce
            | ApiKey::ListOffsets
            | ApiKey::Metadata
            | ApiKey::OffsetCommit
            | ApiKey::OffsetFetch
            | ApiKey::FindCoordinator
            | ApiKey::JoinGroup
            | ApiKey::Heartbeat
            | ApiKey::LeaveGroup
            | ApiKey::SyncGroup
            | ApiKey::DescribeGroups
            | ApiKey::ListGroups
            | ApiKey::DeleteRecords
            | ApiKey::InitProducerId
            | ApiKey::OffsetForLeaderEpoch
            | ApiKey::AddPartitionsToTxn
            | ApiKey::AddOffsetsToTxn
            | ApiKey::EndTxn
            | ApiKey::WriteTxnMarkers
            | ApiKey::TxnOffsetCommit
            | ApiKey::AlterReplicaLogDirs
            | ApiKey::DescribeLogDirs
            | ApiKey::DeleteGroups
            | ApiKey::OffsetDelete
            | ApiKey::DescribeClientQuotas
            | ApiKey::DescribeProducers
            | ApiKey::DescribeTransactions
            | ApiKey::ListTransactions
            | ApiKey::ConsumerGroupHeartbeat
            | ApiKey::ConsumerGroupDescribe
            | ApiKey::GetTelemetrySubscriptions
            | ApiKey::PushTelemetry
            | ApiKey::ListConfigResources
            | ApiKey::DescribeTopicPartitions
            | ApiKey::ShareGroupHeartbeat
            | ApiKey::ShareGroupDescribe
            | ApiKey::ShareFetch
            | ApiKey::ShareAcknowledge
            | ApiKey::InitializeShareGroupState
            | ApiKey::ReadShareGroupState
            | ApiKey::WriteShareGroupState
            | ApiKey::DeleteShareGroupState
            | ApiKey::ReadShareGroupStateSummary
            | ApiKey::StreamsGroupHeartbeat
            | ApiKey::StreamsGroupDescribe
            | ApiKey::DescribeShareGroupOffsets
            | ApiKey::AlterShareGroupOffsets
            | ApiKey::DeleteShareGroupOffsets
            | ApiKey::LeaderAndIsr
            | ApiKey::StopReplica
            | ApiKey::UpdateMetadata
            | ApiKey::ControlledShutdown => false,
            ApiKey::Fetch
            | ApiKey::SaslHandshake
            | ApiKey::ApiVersions
            | ApiKey::CreateTopics
            | ApiKey::DeleteTopics
            | ApiKey::DescribeAcls
            | ApiKey::CreateAcls
            | ApiKey::DeleteAcls
            | ApiKey::DescribeConfigs
            | ApiKey::AlterConfigs
            | ApiKey::SaslAuthenticate
            | ApiKey::CreatePartitions
            | ApiKey::CreateDelegationToken
            | ApiKey::RenewDelegationToken
            | ApiKey::ExpireDelegationToken
            | ApiKey::DescribeDelegationToken
            | ApiKey::ElectLeaders
            | ApiKey::IncrementalAlterConfigs
            | ApiKey::AlterPartitionReassignments
            | ApiKey::ListPartitionReassignments
            | ApiKey::AlterClientQuotas
            | ApiKey::DescribeUserScramCredentials
            | ApiKey::AlterUserScramCredentials
            | ApiKey::Vote
            | ApiKey::BeginQuorumEpoch
            | ApiKey::EndQuorumEpoch
            | ApiKey::DescribeQuorum
            | ApiKey::AlterPartition
            | ApiKey::UpdateFeatures
            | ApiKey::Envelope
            | ApiKey::FetchSnapshot
            | ApiKey::DescribeCluster
            | ApiKey::BrokerRegistration
            | ApiKey::BrokerHeartbeat
            | ApiKey::UnregisterBroker
            | ApiKey::AllocateProducerIds
            | ApiKey::ControllerRegistration
            | ApiKey::AssignReplicasToDirs
            | ApiKey::AddRaftVoter
            | ApiKey::RemoveRaftVoter
            | ApiKey::UpdateRaftVoter => true,
        }
    }
}
