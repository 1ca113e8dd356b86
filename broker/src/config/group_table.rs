//! The settings of the broker that are about groups and their offsets, and those that a group has itself.

use super::absent::reason_absent;
use super::migration_policy::MigrationPolicy;
use super::nearest::nearest;
use super::setting::{Effect, InvalidSetting, Kind, Setting, Valid, excerpt};

/// The settings of groups, sorted by name.
pub(super) static GROUP_SETTINGS: &[Setting] = &[
    Setting::new("group.consumer.heartbeat.interval.ms", Kind::Int, "5000", Valid::AtLeast(1))
        .at_start()
        .about("How often members of consumer groups (KIP-848) are to send heartbeats."),
    Setting::new("group.consumer.max.heartbeat.interval.ms", Kind::Int, "15000", Valid::AtLeast(1))
        .at_start()
        .about("The longest time between heartbeats that a group may ask of its members."),
    Setting::new("group.consumer.max.session.timeout.ms", Kind::Int, "60000", Valid::AtLeast(1))
        .at_start()
        .about("The longest session timeout that a consumer group may have for itself."),
    Setting::new("group.consumer.max.size", Kind::Int, "2147483647", Valid::AtLeast(1))
        .at_start()
        .about("The most members that a consumer group (KIP-848) may have."),
    Setting::new(
        "group.consumer.migration.policy",
        Kind::String,
        "bidirectional",
        Valid::Syntax(|text| MigrationPolicy::parse(text).map(|_| ())),
    )
    .at_start()
    .about(
        "Which way a group may go between the classic and the consumer protocol (KIP-848) while its members \
         work: disabled, upgrade, downgrade or bidirectional.",
    ),
    Setting::new("group.consumer.min.heartbeat.interval.ms", Kind::Int, "5000", Valid::AtLeast(1))
        .at_start()
        .about("The shortest time between heartbeats that a group may ask of its members."),
    Setting::new("group.consumer.min.session.timeout.ms", Kind::Int, "45000", Valid::AtLeast(1))
        .at_start()
        .about("The shortest session timeout that a consumer group may have for itself."),
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

/// The settings that a group has itself, sorted by name.
pub(super) static GROUP_OWN_SETTINGS: &[Setting] = &[
    Setting::new("consumer.heartbeat.interval.ms", Kind::Int, "5000", Valid::AtLeast(1))
        .server(&["group.consumer.heartbeat.interval.ms"])
        .about("How often members of this consumer group (KIP-848) are to send heartbeats."),
    Setting::new("consumer.session.timeout.ms", Kind::Int, "45000", Valid::AtLeast(1))
        .server(&["group.consumer.session.timeout.ms"])
        .about("How long a member of this consumer group (KIP-848) may be silent before it is taken out."),
];

/// The setting of a group with this name; else why Kafka's setting of that name is not here, or which name is nearest.
pub(super) fn find_group_setting(name: &str) -> Result<&'static Setting, InvalidSetting> {
    if let Some(setting) = GROUP_OWN_SETTINGS.iter().find(|setting| setting.name == name) {
        return Ok(setting);
    }
    // What a group may set is what the broker may set for all, without the first word.
    let of_broker = format!("group.{name}");
    let is_another = ["share.", "streams."].iter().any(|kind| name.starts_with(kind))
        || name == "consumer.assignment.interval.ms";
    match reason_absent(&of_broker).filter(|_| is_another) {
        Some(reason) => Err(InvalidSetting::Absent { name: excerpt(name), reason }),
        None => {
            let nearest = nearest(name, GROUP_OWN_SETTINGS.iter().map(|setting| setting.name));
            Err(InvalidSetting::Unknown { name: excerpt(name), nearest })
        }
    }
}
