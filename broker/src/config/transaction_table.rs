//! The settings of the broker that are about transactions.

use super::setting::{Effect, Kind, Setting, Valid};

/// The settings of transactions, sorted by name.
pub(super) static TRANSACTION_SETTINGS: &[Setting] = &[
    Setting::new("transaction.max.timeout.ms", Kind::Int, "900000", Valid::AtLeast(1))
        .at_start()
        .about("The longest transaction timeout that a producer may ask for."),
    Setting::new("transaction.partition.verification.enable", Kind::Boolean, "true", Valid::Any)
        .at_start()
        .effect(Effect::Refused { reason: "a partition is always verified to be in the transaction (KIP-890)" })
        .about("Whether a batch of a transaction is refused that the transaction does not know the partition of."),
    Setting::new(
        "transaction.remove.expired.transaction.cleanup.interval.ms",
        Kind::Int,
        "3600000",
        Valid::AtLeast(1),
    )
    .at_start()
    .about("How often transactional ids that have expired are looked for."),
    Setting::new("transaction.state.log.min.isr", Kind::Int, "1", Valid::AtLeast(1))
        .at_start()
        .effect(Effect::Refused { reason: "one broker keeps one replica" })
        .about("Replicas in sync that the topic that transactions are kept in needs."),
    Setting::new("transaction.state.log.num.partitions", Kind::Int, "50", Valid::Between(1, 10_000))
        .at_start()
        .about("Partitions of the topic that transactions are kept in, when it is made; fixed from then on."),
    Setting::new("transaction.state.log.replication.factor", Kind::Short, "1", Valid::AtLeast(1))
        .at_start()
        .effect(Effect::Refused { reason: "one broker keeps one replica" })
        .about("Replicas of the topic that transactions are kept in."),
    Setting::new("transaction.state.log.segment.bytes", Kind::Int, "104857600", Valid::AtLeast(1_048_576))
        .at_start()
        .about("The segment size of the topic that transactions are kept in, when it is made."),
    Setting::new("transactional.id.expiration.ms", Kind::Int, "604800000", Valid::AtLeast(1))
        .at_start()
        .about("How long a transactional id is remembered that begins no transaction."),
];
