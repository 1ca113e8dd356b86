//! What consumers put into the classic protocol: their subscription in JoinGroup, their assignment in SyncGroup. To the classic
//! protocol these are bytes; a consumer group that classic members take part in reads and writes them (KIP-848).

use std::collections::{BTreeMap, BTreeSet};

use protocol::messages::consumer_protocol_assignment::{ConsumerProtocolAssignment, TopicPartition};
pub use protocol::messages::consumer_protocol_subscription::ConsumerProtocolSubscription as Subscription;
use protocol::{Decoder, Encoder, Message};

use super::record::{Assignment, Bytes};
use crate::metadata::Image;

/// Reads what a consumer tells of itself.
pub fn subscription(bytes: &[u8]) -> Option<Subscription<'_>> {
    let mut d = Decoder::new(bytes);
    let version = version_of(&mut d)?;
    Subscription::decode(&mut d, version).ok()
}

/// A version from the future begins as the newest one that is known.
fn version_of(d: &mut Decoder<'_>) -> Option<i16> {
    Some(d.i16().ok()?.clamp(0, *Subscription::VERSIONS.end()))
}

/// The topics that a consumer reads, sorted.
pub fn topics(told: &Subscription<'_>) -> Vec<String> {
    let sorted: BTreeSet<&str> = told.topics.iter().copied().collect();
    sorted.into_iter().map(str::to_owned).collect()
}

/// The partitions that a consumer says it has.
pub fn owned_partitions(told: &Subscription<'_>, image: &Image) -> Assignment {
    known(told.owned_partitions.iter().map(|one| (one.topic, &one.partitions[..])), image)
}

/// Reads what a member was given; `None` if it cannot be read. No bytes are no partitions: it has not synced yet.
pub fn read_assignment(bytes: &[u8], image: &Image) -> Option<Assignment> {
    if bytes.is_empty() {
        return Some(Assignment::new());
    }
    let mut d = Decoder::new(bytes);
    let version = version_of(&mut d)?;
    let given = ConsumerProtocolAssignment::decode(&mut d, version).ok()?;
    Some(known(given.assigned_partitions.iter().map(|one| (one.topic, &one.partitions[..])), image))
}

/// Those of the partitions that are there: a client may name any.
fn known<'a>(named: impl Iterator<Item = (&'a str, &'a [i32])>, image: &Image) -> Assignment {
    let mut found = Assignment::new();
    for (name, partitions) in named {
        let Some(topic) = image.topic(name) else { continue };
        let there = partitions.iter().copied().filter(|&partition| topic.partition(partition).is_some());
        found.entry(topic.id).or_default().extend(there);
    }
    found.retain(|_, partitions| !partitions.is_empty());
    found
}

/// An assignment for a member that tells of itself in these bytes, whose version it understands.
pub fn write_assignment(assignment: &Assignment, told: &[u8], image: &Image) -> Bytes {
    let topics: BTreeMap<&str, Vec<i32>> = assignment
        .iter()
        .filter_map(|(id, partitions)| {
            Some((&*image.topic_by_id(*id)?.name, partitions.iter().copied().collect()))
        })
        .collect();
    let assigned_partitions =
        topics.into_iter().map(|(topic, partitions)| TopicPartition { topic, partitions }).collect();
    let version = version_of(&mut Decoder::new(told)).unwrap_or(0);
    let mut e = Encoder::new();
    e.i16(version);
    ConsumerProtocolAssignment { assigned_partitions, user_data: None }.encode(&mut e, version);
    e.into_vec().into()
}
