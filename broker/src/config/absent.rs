//! Settings of Kafka that Ringlog does not have, and what to do about each.
//!
//! A `server.properties` written for Kafka is a good start for Ringlog, so its author learns for every line
//! that has no meaning here why it has none. Accepting such a line and doing nothing would be a promise
//! that is not kept.

const ONE_NODE: &str = "this version runs as one node that is broker and controller; remove the line";
const ONE_REPLICA: &str =
    "this version keeps one replica and copies nothing between brokers; remove the line";
const CORES: &str = "one thread a core does all the work; set ringlog.cores instead";
const KERNEL_SIZES: &str = "the kernel sizes socket buffers and queues; remove the line";
const SECURITY: &str = "this version has PLAINTEXT listeners only, without authentication; remove the line";
const GROUPS: &str = "this setting of groups is not here; remove the line";
const SHARE_GROUPS: &str = "this version has no share groups and no streams groups; remove the line";
const OFFSETS_TOPIC: &str = "offsets are loaded and committed without tuning; remove the line";
const TRANSACTIONS: &str =
    "transactions need no tuning of their log, and time out to the ms; remove the line";
const TIERED: &str = "there is no tiered storage; remove the line";
const CLASSES: &str = "Ringlog loads no Java classes; remove the line";
const QUOTAS: &str = "this version has no quotas yet; remove the line";
const METRICS: &str = "metrics are not configured this way; remove the line";
const CLEANER: &str = "compaction needs no tuning of threads and buffers; remove the line";
const METADATA: &str = "the metadata log looks after itself; remove the line";
const NO_QUEUES: &str = "requests do not wait in queues that could be sized; remove the line";
const FLUSH: &str = "there is no flush schedule apart from log.flush.interval.ms; set that instead";
const RETENTION_CHECK: &str = "retention is not checked at intervals; remove the line";
const RECOVERY: &str = "log directories need no tuning of recovery and failure; remove the line";
const LOCAL_ADMIN: &str = "this switch is not here yet; remove the line";
const ZOOKEEPER: &str = "there is no ZooKeeper; remove the line";
const RELEASE: &str = "formats and protocols are not chosen by version; remove the line";

/// Names, or beginnings of names where they end in `*`; the first that fits is taken.
const REASONS: &[(&str, &str)] = &[
    ("process.roles", ONE_NODE),
    ("controller.quota.*", QUOTAS),
    ("controller.*", ONE_NODE),
    ("controlled.shutdown.*", ONE_NODE),
    ("initial.broker.registration.timeout.ms", ONE_NODE),
    ("early.start.listeners", ONE_NODE),
    ("inter.broker.protocol.version", RELEASE),
    ("log.message.format.version", RELEASE),
    ("unstable.*", RELEASE),
    ("inter.broker.*", ONE_REPLICA),
    ("security.inter.broker.protocol", ONE_REPLICA),
    ("replica.*", ONE_REPLICA),
    ("replication.*", ONE_REPLICA),
    ("num.replica.*", ONE_REPLICA),
    ("leader.imbalance.*", ONE_REPLICA),
    ("auto.leader.rebalance.enable", ONE_REPLICA),
    ("unclean.leader.election.interval.ms", ONE_REPLICA),
    ("alter.log.dirs.*", ONE_REPLICA),
    ("num.network.threads", CORES),
    ("num.io.threads", CORES),
    ("background.threads", CORES),
    ("num.recovery.threads.per.data.dir", CORES),
    ("socket.send.buffer.bytes", KERNEL_SIZES),
    ("socket.receive.buffer.bytes", KERNEL_SIZES),
    ("socket.listen.backlog.size", KERNEL_SIZES),
    ("socket.connection.setup.*", ONE_NODE),
    ("request.timeout.ms", ONE_NODE),
    ("queued.max.*", NO_QUEUES),
    ("producer.purgatory.*", NO_QUEUES),
    ("fetch.purgatory.*", NO_QUEUES),
    ("share.fetch.purgatory.*", NO_QUEUES),
    ("delete.records.purgatory.*", NO_QUEUES),
    ("sasl.*", SECURITY),
    ("ssl.*", SECURITY),
    ("listener.name.*", SECURITY),
    ("delegation.token.*", SECURITY),
    ("principal.builder.class", SECURITY),
    ("authorizer.class.name", SECURITY),
    ("super.users", SECURITY),
    ("allow.everyone.if.no.acl.found", SECURITY),
    ("security.providers", SECURITY),
    ("connection.failed.authentication.delay.ms", SECURITY),
    ("group.share.*", SHARE_GROUPS),
    ("group.streams.*", SHARE_GROUPS),
    ("group.*", GROUPS),
    ("offsets.*", OFFSETS_TOPIC),
    ("share.*", SHARE_GROUPS),
    ("transaction.*", TRANSACTIONS),
    ("transactional.*", TRANSACTIONS),
    ("add.partitions.to.txn.*", TRANSACTIONS),
    ("producer.id.expiration.check.interval.ms", TRANSACTIONS),
    ("remote.*", TIERED),
    ("follower.fetch.last.tiered.offset.enable", TIERED),
    ("alter.config.policy.class.name", CLASSES),
    ("create.topic.policy.class.name", CLASSES),
    ("config.providers*", CLASSES),
    ("client.quota.callback.class", CLASSES),
    ("quota.*", QUOTAS),
    ("max.connection.creation.rate", QUOTAS),
    ("max.connections.per.ip.overrides", QUOTAS),
    ("metric.*", METRICS),
    ("metrics.*", METRICS),
    ("kafka.metrics.*", METRICS),
    ("telemetry.*", METRICS),
    ("log.cleaner.*", CLEANER),
    ("metadata.*", METADATA),
    ("internal.metadata.*", METADATA),
    ("log.flush.*", FLUSH),
    ("log.retention.check.interval.ms", RETENTION_CHECK),
    ("log.dir.failure.timeout.ms", RECOVERY),
    ("log.initial.task.delay.ms", RECOVERY),
    ("cordoned.log.dirs", RECOVERY),
    ("server.max.startup.time.ms", RECOVERY),
    ("max.request.partition.size.limit", LOCAL_ADMIN),
    ("zookeeper.*", ZOOKEEPER),
];

/// Why Kafka's setting `name` is not here; `None` if Kafka has none of that name either, as far as is
/// known.
///
/// Asked only about names that are not in the table of settings, so a pattern may cover some that are.
pub(super) fn reason_absent(name: &str) -> Option<&'static str> {
    let fits = |pattern: &str| match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    };
    REASONS.iter().find(|(pattern, _)| fits(pattern)).map(|(_, reason)| *reason)
}
