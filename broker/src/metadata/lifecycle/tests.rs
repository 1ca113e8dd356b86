//! Brokers come and go, on an image of the tests' own.

use std::sync::Arc;

use protocol::Uuid;

use super::*;
use crate::config::{Given, Origin, ServerConfig};
use crate::metadata::sessions::BrokerSessions;
use crate::metadata::{PartitionState, features};

const TOPIC: Uuid = Uuid::from_u128(9);

fn empty() -> Image {
    let given = Given { name: "node.id".to_owned(), value: "1".to_owned(), origin: Origin::Set };
    Image::empty(Arc::new(ServerConfig::new(vec![given], "machine").unwrap()), "c")
}

fn registration(id: i32, incarnation: u128) -> Registration {
    Registration {
        id,
        epoch: 0,
        incarnation: Uuid::from_u128(incarnation),
        endpoints: Vec::new(),
        features: features::ranges(),
        rack: None,
        log_dirs: Vec::new(),
        is_fenced: false,
        is_shutting_down: false,
    }
}

fn apply(image: &mut Image, records: &[Record]) {
    records.iter().for_each(|record| image.apply(record));
}

fn register(image: &mut Image, id: i32, incarnation: u128) -> i64 {
    let epoch = image.version;
    let records = plan_registration(image, &registration(id, incarnation), epoch, false).unwrap();
    apply(image, &records);
    image.broker(id).unwrap().epoch
}

fn beat(image: &mut Image, id: i32, epoch: i64, wants_shutdown: bool) -> HeartbeatAnswer {
    let heartbeat =
        Heartbeat { id, epoch, metadata_offset: image.version, wants_fence: false, wants_shutdown };
    let (records, answer) = plan_heartbeat(image, &heartbeat).unwrap();
    apply(image, &records);
    answer
}

/// Brokers 1 and 2 are live and lead a partition each.
fn pair() -> (Image, i64, i64) {
    let mut image = empty();
    let (one, two) = (register(&mut image, 1, 11), register(&mut image, 2, 22));
    beat(&mut image, 1, one, false);
    beat(&mut image, 2, two, false);
    image.apply(&Record::Topic { name: "t".to_owned(), id: TOPIC });
    for broker in [1, 2] {
        let state = PartitionState::of_one(broker);
        image.apply(&Record::Partition { topic_id: TOPIC, partition: broker - 1, state });
    }
    (image, one, two)
}

fn leaders(image: &Image) -> Vec<(i32, i32)> {
    let topic = image.topic("t").unwrap();
    topic.partitions.iter().map(|meta| (meta.state.leader, meta.state.leader_epoch)).collect()
}

#[test]
fn kip631_a_broker_is_fenced_until_it_has_the_metadata_of_its_registration() {
    let mut image = empty();
    apply(&mut image, &[Record::ProducerIds { next: 1000 }]);
    let epoch = register(&mut image, 1, 11);
    assert_eq!(image.live_brokers().count(), 0);
    let behind =
        Heartbeat { id: 1, epoch, metadata_offset: epoch - 1, wants_fence: false, wants_shutdown: false };
    let (records, answer) = plan_heartbeat(&image, &behind).unwrap();
    assert!(records.is_empty());
    assert_eq!((answer.is_caught_up, answer.is_fenced), (false, true));
    assert!(!beat(&mut image, 1, epoch, false).is_fenced);
    assert_eq!(image.live_brokers().count(), 1);
}

#[test]
fn a_second_process_of_a_number_is_refused_while_the_first_is_alive() {
    let (image, ..) = pair();
    let other = registration(1, 99);
    assert_eq!(plan_registration(&image, &other, 50, true), Err(RegistrationRefusal::Duplicate));
    assert!(plan_registration(&image, &other, 50, false).is_ok());
    // The same process may ask again, and keeps its epoch.
    let again = plan_registration(&image, &registration(1, 11), 50, true).unwrap();
    let Record::RegisterBroker(again) = &again[0] else { panic!("{again:?}") };
    assert_eq!(again.epoch, image.broker(1).unwrap().epoch);
}

#[test]
fn an_earlier_registration_is_told_that_it_is_stale() {
    let (image, one, _) = pair();
    let stale =
        Heartbeat { id: 1, epoch: one - 1, metadata_offset: 99, wants_fence: false, wants_shutdown: false };
    assert_eq!(plan_heartbeat(&image, &stale).unwrap_err(), HeartbeatRefusal::StaleEpoch);
    let unknown = Heartbeat { id: 7, ..stale };
    assert_eq!(plan_heartbeat(&image, &unknown).unwrap_err(), HeartbeatRefusal::NotRegistered);
}

#[test]
fn who_is_not_heard_of_leads_nothing_until_it_is_back() {
    let (mut image, one, _) = pair();
    let mut sessions = BrokerSessions::default();
    sessions.begin(&image, 0);
    sessions.on_heard(2, 8_000);
    assert_eq!(sessions.expired(&image, 9_000, 9_000), [1]);
    let records = plan_fencing(&image, &[1]);
    apply(&mut image, &records);
    assert_eq!(leaders(&image), [(NO_LEADER, 1), (2, 0)]);
    assert_eq!(sessions.expired(&image, 9_000, 9_000), [] as [i32; 0]);
    assert!(plan_fencing(&image, &[1]).is_empty());
    assert!(!beat(&mut image, 1, one, false).is_fenced);
    assert_eq!(leaders(&image), [(1, 2), (2, 0)]);
}

#[test]
fn who_wants_to_stop_gives_its_leaderships_away_and_may_go() {
    let (mut image, one, _) = pair();
    let answer = beat(&mut image, 1, one, true);
    assert!(answer.should_shut_down && answer.is_fenced);
    assert_eq!(leaders(&image), [(NO_LEADER, 1), (2, 0)]);
    assert!(image.broker(1).unwrap().is_shutting_down);
    // Its next process comes back as a new registration.
    let epoch = register(&mut image, 1, 12);
    assert!(epoch > one && !image.broker(1).unwrap().is_shutting_down);
    beat(&mut image, 1, epoch, false);
    assert_eq!(leaders(&image), [(1, 2), (2, 0)]);
}

#[test]
fn kip584_who_cannot_work_with_a_feature_of_the_cluster_is_refused() {
    let (mut image, ..) = pair();
    image.apply(&Record::FeatureLevel { name: "metadata.version".to_owned(), level: 25 });
    let mut old = registration(3, 33);
    old.features.retain(|feature| &*feature.name != "metadata.version");
    assert!(matches!(plan_registration(&image, &old, 50, false), Err(RegistrationRefusal::Feature(_))));
    assert!(plan_registration(&image, &registration(3, 33), 50, false).is_ok());
}

#[test]
fn who_is_unregistered_is_gone_and_leads_nothing() {
    let (mut image, ..) = pair();
    let records = plan_unregistration(&image, 2).unwrap();
    apply(&mut image, &records);
    assert!(image.broker(2).is_none());
    assert_eq!(leaders(&image), [(1, 0), (NO_LEADER, 1)]);
    assert_eq!(plan_unregistration(&image, 2), None);
}
