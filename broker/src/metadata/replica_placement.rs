//! Which brokers get the partitions of a topic: one after another, from a broker on that the topic's id chooses.

use protocol::Uuid;

use super::Image;
use super::partition_state::PartitionState;

/// States for `count` new partitions of a topic, the first of which is number `first`; nothing if no broker can take any.
/// A topic that grows goes on where it left off.
pub fn place_new(image: &Image, topic_id: Uuid, first: i32, count: i32) -> Option<Vec<PartitionState>> {
    let brokers: Vec<i32> = candidates(image).collect();
    let from = topic_id.as_u128() % brokers.len().max(1) as u128;
    let broker_of = |partition: i32| {
        let index = (from + u128::from(partition.unsigned_abs())) % brokers.len() as u128;
        brokers[index as usize]
    };
    let states = || (first..first + count).map(|partition| PartitionState::of_one(broker_of(partition)));
    (!brokers.is_empty()).then(|| states().collect())
}

/// The brokers that can take partitions: alive, and not about to stop.
pub fn candidates(image: &Image) -> impl Iterator<Item = i32> {
    image.live_brokers().filter(|broker| !broker.is_shutting_down).map(|broker| broker.id)
}
