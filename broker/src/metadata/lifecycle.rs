//! What becomes of brokers: registered, unfenced, fenced, gone (KIP-631). Pure: the image, a request, and the records that
//! follow.
//!
//! ```text
//!              registration          heartbeat, caught up
//!   unknown ───────────────► fenced ─────────────────────► live
//!                              ▲     no heartbeat for a      │
//!                              └──── session, or it stops ◄──┘
//! ```
//! A broker that is fenced leads nothing: its partitions are without a leader until it is back, for nobody else has them.

use super::Image;
use super::features::SUPPORTED;
use super::partition_state::{NO_LEADER, PartitionChange};
use super::record::Record;
use super::registration::{Registration, RegistrationChange};

/// Why a registration is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistrationRefusal {
    /// Another process of that number is alive.
    Duplicate,
    /// It cannot work with a feature as it is; the text says which.
    Feature(String),
}

/// Why a heartbeat is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeartbeatRefusal {
    /// No broker of this number has registered.
    NotRegistered,
    /// It is of an earlier registration.
    StaleEpoch,
}

/// What a heartbeat says.
#[derive(Debug, Clone, Copy)]
pub struct Heartbeat {
    /// Who says it.
    pub id: i32,
    /// Its registration.
    pub epoch: i64,
    /// The last offset of the metadata that it has applied.
    pub metadata_offset: i64,
    /// Whether it does not want to take part at the moment.
    pub wants_fence: bool,
    /// Whether it wants to stop.
    pub wants_shutdown: bool,
}

/// What a heartbeat is answered with, once the records are in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeartbeatAnswer {
    /// Whether it has all metadata that there was when it registered.
    pub is_caught_up: bool,
    /// Whether it is fenced.
    pub is_fenced: bool,
    /// Whether it may stop now.
    pub should_shut_down: bool,
}

/// The records that register a broker, whose epoch is the offset of the next record. `is_alive` tells whether the process that
/// has the number now was heard of within its session.
pub fn plan_registration(
    image: &Image,
    wanted: &Registration,
    next_offset: i64,
    is_alive: bool,
) -> Result<Vec<Record>, RegistrationRefusal> {
    if let Some(why) = unsupported_feature(image, wanted) {
        return Err(RegistrationRefusal::Feature(why));
    }
    let known = image.broker(wanted.id);
    let is_same = known.is_some_and(|known| known.incarnation == wanted.incarnation);
    if known.is_some() && !is_same && is_alive {
        return Err(RegistrationRefusal::Duplicate);
    }
    // The same process that asks again keeps its epoch: its first answer may have been lost.
    let epoch = known.filter(|_| is_same).map_or(next_offset, |known| known.epoch);
    let registration = Registration { epoch, is_fenced: true, is_shutting_down: false, ..wanted.clone() };
    let mut records = vec![Record::RegisterBroker(registration)];
    records.extend(take_leaderships(image, wanted.id));
    Ok(records)
}

/// What a heartbeat changes, and its answer.
pub fn plan_heartbeat(
    image: &Image,
    heartbeat: &Heartbeat,
) -> Result<(Vec<Record>, HeartbeatAnswer), HeartbeatRefusal> {
    let broker = image.broker(heartbeat.id).ok_or(HeartbeatRefusal::NotRegistered)?;
    if broker.epoch != heartbeat.epoch {
        return Err(HeartbeatRefusal::StaleEpoch);
    }
    let is_caught_up = heartbeat.metadata_offset >= broker.epoch;
    let is_leaving = heartbeat.wants_shutdown || heartbeat.wants_fence;
    let records = match (broker.is_fenced, is_leaving) {
        (true, false) if is_caught_up => unfence(image, broker),
        (false, true) => fence(image, broker, heartbeat.wants_shutdown),
        (true, _) | (false, false) => Vec::new(),
    };
    let is_fenced = is_leaving || (broker.is_fenced && !is_caught_up);
    let should_shut_down = heartbeat.wants_shutdown;
    Ok((records, HeartbeatAnswer { is_caught_up, is_fenced, should_shut_down }))
}

/// The records that fence brokers which are not heard of any more.
pub fn plan_fencing(image: &Image, ids: &[i32]) -> Vec<Record> {
    let live = ids.iter().filter_map(|&id| image.broker(id)).filter(|broker| !broker.is_fenced);
    live.flat_map(|broker| fence(image, broker, false)).collect()
}

/// The records that take a broker out for good; nothing if it is not known.
pub fn plan_unregistration(image: &Image, id: i32) -> Option<Vec<Record>> {
    let broker = image.broker(id)?;
    let mut records = take_leaderships(image, id);
    records.push(Record::UnregisterBroker { id, epoch: broker.epoch });
    Some(records)
}

fn fence(image: &Image, broker: &Registration, begins_shutdown: bool) -> Vec<Record> {
    let change = RegistrationChange { is_fenced: Some(true), begins_shutdown };
    let mut records = vec![Record::BrokerChange { id: broker.id, epoch: broker.epoch, change }];
    records.extend(take_leaderships(image, broker.id));
    records
}

fn unfence(image: &Image, broker: &Registration) -> Vec<Record> {
    let change = RegistrationChange { is_fenced: Some(false), begins_shutdown: false };
    let mut records = vec![Record::BrokerChange { id: broker.id, epoch: broker.epoch, change }];
    records.extend(changes(image, NO_LEADER, broker.id, broker.id));
    records
}

/// Whoever leads partitions and is not alive leads them no more.
fn take_leaderships(image: &Image, id: i32) -> Vec<Record> {
    changes(image, id, id, NO_LEADER)
}

/// Another leader for the partitions that have `leader` now and that `replica` has all records of.
fn changes(image: &Image, leader: i32, replica: i32, next: i32) -> Vec<Record> {
    let mut records = Vec::new();
    for topic in image.topics() {
        for (meta, partition) in topic.partitions.iter().zip(0..) {
            if meta.state.leader == leader && meta.state.isr.contains(&replica) {
                let change = PartitionChange { leader: Some(next), isr: None };
                records.push(Record::PartitionChange { topic_id: topic.id, partition, change });
            }
        }
    }
    records
}

/// A feature of the cluster whose level a broker cannot work with (KIP-584).
fn unsupported_feature(image: &Image, wanted: &Registration) -> Option<String> {
    let ours = |name: &str| SUPPORTED.iter().find(|(known, ..)| *known == name);
    image.features.iter().find_map(|(name, &level)| {
        let range = wanted.features.iter().find(|feature| *feature.name == **name);
        let is_fine = match range {
            Some(range) => (range.min..=range.max).contains(&level),
            // A broker that does not name a feature can do without it.
            None => level == 0 || ours(name).is_none(),
        };
        (!is_fine).then(|| format!("{name} is at level {level}, which broker {} cannot work with", wanted.id))
    })
}

#[cfg(test)]
mod tests;
