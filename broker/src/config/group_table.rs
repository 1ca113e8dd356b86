//! The settings of the broker that are about groups and their offsets.

use super::setting::{Effect, Kind, Setting, Valid};

/// The settings of groups, sorted by name.
pub(super) static GROUP_SETTINGS: &[Setting] = &[
    Setting::new("group.consumer.heartbeat.interval.ms", Kind::Int, "5000", Valid::AtLeast(1))
        .at_start()
        .about("How often members of consumer groups (KIP-848) are to send heartbeats."),
    Setting::new("group.consumer.max.size", Kind::Int, "2147483647", Valid::AtLeast(1))
        .at_start()
        .about("The most members that a consumer group (KIP-848) may have."),
    Setting::new("group.consumer.session.timeout.ms", Kind::Int, "45000", Valid::AtLeast(1))
        .at_start()
        .about("How long a member of a consumer group (KIP-848) may be silent before it is taken out."),
    Setting::new("group.initial.rebalance.delay.ms", Kind::Int, "200", Valid::AtLeast(0)).at_start().about(
        "How long a group that was empty waits for more members after one has joined; prolonged while \
             members come. Kafka's default is 3000.",
    ),
    Setting::new("group.max.session.timeout.ms", Kind::Int, "1800000", Valid::AtLeast(1))
        .at_start()
        .about("The longest session timeout that a member of a classic group may ask for."),
    Setting::new("group.max.size", Kind::Int, "2147483647", Valid::AtLeast(1))
        .at_start()
        .about("The most members that a classic group may have."),
    Setting::new("group.min.session.timeout.ms", Kind::Int, "6000", Valid::AtLeast(1))
        .at_start()
        .about("The shortest session timeout that a member of a classic group may ask for."),
    Setting::new("offset.metadata.max.bytes", Kind::Int, "4096", Valid::AtLeast(0))
        .at_start()
        .about("The most bytes of text that a client may commit with an offset."),
    Setting::new("offsets.retention.check.interval.ms", Kind::Long, "600000", Valid::AtLeast(1))
        .at_start()
        .about("How often offsets and groups that have expired are looked for."),
    Setting::new("offsets.retention.minutes", Kind::Int, "10080", Valid::AtLeast(1)).at_start().about(
        "How long offsets are kept after their group has become empty, or after the commit where there are \
             no members.",
    ),
    Setting::new("offsets.topic.num.partitions", Kind::Int, "50", Valid::Between(1, 10_000))
        .at_start()
        .about("Partitions of the topic that groups are kept in, when it is made; fixed from then on."),
    Setting::new("offsets.topic.replication.factor", Kind::Short, "1", Valid::AtLeast(1))
        .at_start()
        .effect(Effect::Refused { reason: "one broker keeps one replica" })
        .about("Replicas of the topic that groups are kept in."),
    Setting::new("offsets.topic.segment.bytes", Kind::Int, "104857600", Valid::AtLeast(1_048_576))
        .at_start()
        .about("The segment size of the topic that groups are kept in, when it is made."),
];
