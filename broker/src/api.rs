//! The requests that are served, one file each, named by API key (the three of ACLs share one). This table is what ApiVersions tells,
//! to clients of theirs and to other nodes of theirs. Messages among controllers have a key that is none of Kafka's, and stand in
//! [`peers`](crate::broker).
//!
//! A key that is not here is refused as Kafka refuses it: the connection is closed with a reason (Q3).

use std::ops::RangeInclusive;

use protocol::ApiKey;

use crate::broker::Broker;
use crate::mail::{PendingId, Turn};
use crate::node::Audience;
use crate::request::Request;

#[path = "api/29_describe_acls.rs"]
pub mod acls;
#[path = "api/80_add_raft_voter.rs"]
pub mod add_raft_voter;
#[path = "api/67_allocate_producer_ids.rs"]
pub mod allocate_producer_ids;
#[path = "api/33_alter_configs.rs"]
pub mod alter_configs;
#[path = "api/45_alter_partition_reassignments.rs"]
pub mod alter_partition_reassignments;
#[path = "api/34_alter_replica_log_dirs.rs"]
pub mod alter_replica_log_dirs;
#[path = "api/18_api_versions.rs"]
pub mod api_versions;
#[path = "api/63_broker_heartbeat.rs"]
pub mod broker_heartbeat;
#[path = "api/62_broker_registration.rs"]
pub mod broker_registration;
#[path = "api/37_create_partitions.rs"]
pub mod create_partitions;
#[path = "api/19_create_topics.rs"]
pub mod create_topics;
#[path = "api/21_delete_records.rs"]
pub mod delete_records;
#[path = "api/20_delete_topics.rs"]
pub mod delete_topics;
#[path = "api/48_describe_client_quotas.rs"]
pub mod describe_client_quotas;
#[path = "api/60_describe_cluster.rs"]
pub mod describe_cluster;
#[path = "api/32_describe_configs.rs"]
pub mod describe_configs;
#[path = "api/35_describe_log_dirs.rs"]
pub mod describe_log_dirs;
#[path = "api/55_describe_quorum.rs"]
pub mod describe_quorum;
#[path = "api/75_describe_topic_partitions.rs"]
pub mod describe_topic_partitions;
#[path = "api/43_elect_leaders.rs"]
pub mod elect_leaders;
#[path = "api/58_envelope.rs"]
pub mod envelope;
#[path = "api/01_fetch.rs"]
pub mod fetch;
#[path = "api/44_incremental_alter_configs.rs"]
pub mod incremental_alter_configs;
#[path = "api/22_init_producer_id.rs"]
pub mod init_producer_id;
#[path = "api/74_list_config_resources.rs"]
pub mod list_config_resources;
#[path = "api/02_list_offsets.rs"]
pub mod list_offsets;
#[path = "api/46_list_partition_reassignments.rs"]
pub mod list_partition_reassignments;
#[path = "api/03_metadata.rs"]
pub mod metadata;
#[path = "api/23_offset_for_leader_epoch.rs"]
pub mod offset_for_leader_epoch;
#[path = "api/00_produce.rs"]
pub mod produce;
mod produce_verification;
pub(crate) mod raft_voters;
#[path = "api/81_remove_raft_voter.rs"]
pub mod remove_raft_voter;

#[path = "api/25_add_offsets_to_txn.rs"]
pub mod add_offsets_to_txn;
#[path = "api/24_add_partitions_to_txn.rs"]
pub mod add_partitions_to_txn;
mod addresses;
#[path = "api/69_consumer_group_describe.rs"]
pub mod consumer_group_describe;
#[path = "api/68_consumer_group_heartbeat.rs"]
pub mod consumer_group_heartbeat;
#[path = "api/42_delete_groups.rs"]
pub mod delete_groups;
#[path = "api/15_describe_groups.rs"]
pub mod describe_groups;
#[path = "api/61_describe_producers.rs"]
pub mod describe_producers;
#[path = "api/65_describe_transactions.rs"]
pub mod describe_transactions;
#[path = "api/26_end_txn.rs"]
pub mod end_txn;
#[path = "api/10_find_coordinator.rs"]
pub mod find_coordinator;
mod group_history;
mod groups;
#[path = "api/12_heartbeat.rs"]
pub mod heartbeat;
#[path = "api/11_join_group.rs"]
pub mod join_group;
#[path = "api/13_leave_group.rs"]
pub mod leave_group;
#[path = "api/16_list_groups.rs"]
pub mod list_groups;
#[path = "api/66_list_transactions.rs"]
pub mod list_transactions;
#[path = "api/08_offset_commit.rs"]
pub mod offset_commit;
#[path = "api/47_offset_delete.rs"]
pub mod offset_delete;
#[path = "api/09_offset_fetch.rs"]
pub mod offset_fetch;
#[path = "api/14_sync_group.rs"]
pub mod sync_group;
mod transactions;
#[path = "api/28_txn_offset_commit.rs"]
pub mod txn_offset_commit;
#[path = "api/64_unregister_broker.rs"]
pub mod unregister_broker;
#[path = "api/27_write_txn_markers.rs"]
pub mod write_txn_markers;

/// One request that is served.
#[derive(Debug)]
pub struct Api {
    /// Its key.
    pub key: ApiKey,
    /// The versions that are served.
    pub versions: RangeInclusive<i16>,
    /// The lowest version that is advertised; below the served ones for Produce alone (Q5).
    pub advertised_from: i16,
    /// Whose listeners serve it.
    pub served_to: ServedTo,
    /// Whether it is carried out on the controller's core.
    pub is_controllers: bool,
    /// Carries a request out, or begins to.
    pub handle: fn(&mut Broker, &mut Turn<'_>, Request),
    /// Goes on when all questions that the request asked are answered.
    pub finish: Option<fn(&mut Broker, &mut Turn<'_>, PendingId)>,
}

impl Api {
    /// A request that is answered by the core that took it in.
    pub const fn local(
        key: ApiKey,
        versions: RangeInclusive<i16>,
        handle: fn(&mut Broker, &mut Turn<'_>, Request),
    ) -> Api {
        let advertised_from = *versions.start();
        let served_to = ServedTo::Clients;
        Api { key, versions, advertised_from, served_to, is_controllers: false, handle, finish: None }
    }

    /// A request that asks partitions, and is answered when they have.
    pub const fn asking(
        key: ApiKey,
        versions: RangeInclusive<i16>,
        handle: fn(&mut Broker, &mut Turn<'_>, Request),
        finish: fn(&mut Broker, &mut Turn<'_>, PendingId),
    ) -> Api {
        let advertised_from = *versions.start();
        let served_to = ServedTo::Clients;
        Api { key, versions, advertised_from, served_to, is_controllers: false, handle, finish: Some(finish) }
    }

    /// A request that changes metadata.
    pub const fn changing(
        key: ApiKey,
        versions: RangeInclusive<i16>,
        handle: fn(&mut Broker, &mut Turn<'_>, Request),
    ) -> Api {
        let advertised_from = *versions.start();
        let served_to = ServedTo::Clients;
        Api { key, versions, advertised_from, served_to, is_controllers: true, handle, finish: None }
    }
}

impl Api {
    /// The same, but served to whom it is said.
    pub const fn to(mut self, served_to: ServedTo) -> Api {
        self.served_to = served_to;
        self
    }
}

/// Whose listeners serve a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServedTo {
    /// Those of clients.
    Clients,
    /// Those of other nodes.
    Peers,
    /// Both.
    All,
}

impl ServedTo {
    /// Whether a listener for these serves it.
    pub fn includes(self, audience: Audience) -> bool {
        match self {
            ServedTo::Clients => audience == Audience::Clients,
            ServedTo::Peers => audience == Audience::Peers,
            ServedTo::All => true,
        }
    }
}

/// Everything that is served, by key.
pub const ALL: &[Api] = &[
    produce::API,
    fetch::API,
    list_offsets::API,
    metadata::API,
    offset_commit::API,
    offset_fetch::API,
    find_coordinator::API,
    join_group::API,
    heartbeat::API,
    leave_group::API,
    sync_group::API,
    describe_groups::API,
    list_groups::API,
    api_versions::API,
    create_topics::API,
    delete_topics::API,
    delete_records::API,
    init_producer_id::API,
    offset_for_leader_epoch::API,
    add_partitions_to_txn::API,
    add_offsets_to_txn::API,
    end_txn::API,
    write_txn_markers::API,
    txn_offset_commit::API,
    acls::DESCRIBE,
    acls::CREATE,
    acls::DELETE,
    describe_configs::API,
    alter_configs::API,
    alter_replica_log_dirs::API,
    describe_log_dirs::API,
    create_partitions::API,
    delete_groups::API,
    elect_leaders::API,
    incremental_alter_configs::API,
    alter_partition_reassignments::API,
    list_partition_reassignments::API,
    offset_delete::API,
    describe_client_quotas::API,
    describe_quorum::API,
    envelope::API,
    describe_cluster::API,
    describe_producers::API,
    broker_registration::API,
    broker_heartbeat::API,
    unregister_broker::API,
    describe_transactions::API,
    list_transactions::API,
    allocate_producer_ids::API,
    consumer_group_heartbeat::API,
    consumer_group_describe::API,
    list_config_resources::API,
    describe_topic_partitions::API,
    add_raft_voter::API,
    remove_raft_voter::API,
];

/// The entry of a key, if it is served to these.
pub fn find_for(key: ApiKey, audience: Audience) -> Option<&'static Api> {
    find(key).filter(|api| api.served_to.includes(audience))
}

/// The entry of a key, if it is served.
pub fn find(key: ApiKey) -> Option<&'static Api> {
    ALL.iter().find(|api| api.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newest(key: ApiKey) -> i16 {
        find(key).map_or(-1, |api| *api.versions.end())
    }

    #[test]
    fn the_table_is_in_order_and_within_the_schemas() {
        assert!(ALL.is_sorted_by_key(|api| api.key.code()));
        for api in ALL {
            let known = api.key.versions().unwrap();
            assert!(known.contains(api.versions.start()), "{:?}", api.key);
            assert!(known.contains(api.versions.end()), "{:?}", api.key);
        }
    }

    #[test]
    fn c5_versions_with_topic_ids_come_with_metadata_that_tells_them() {
        assert!(newest(ApiKey::Fetch) >= 13);
        assert!(newest(ApiKey::Produce) >= 13);
        assert!(newest(ApiKey::DeleteTopics) >= 6);
        assert!(newest(ApiKey::Metadata) >= 12);
    }

    #[test]
    fn q5_produce_is_advertised_from_0_and_served_from_3() {
        let api = find(ApiKey::Produce).unwrap();
        assert_eq!((api.advertised_from, api.versions.clone()), (0, 3..=13));
    }

    #[test]
    fn q8_telemetry_is_not_advertised() {
        assert!(find(ApiKey::GetTelemetrySubscriptions).is_none());
        assert!(find(ApiKey::PushTelemetry).is_none());
    }
}
