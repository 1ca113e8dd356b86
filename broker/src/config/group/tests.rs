//! A group's settings: their bounds, what is refused and why, and how they are told.

use super::*;
use crate::config::alter::Operation;
use crate::config::given::{Given, Origin};

fn server(settings: &[(&str, &str)]) -> Result<ServerConfig, String> {
    let given = settings.iter().map(|&(name, value)| Given {
        origin: Origin::Set,
        name: name.to_owned(),
        value: value.to_owned(),
    });
    ServerConfig::new(given.collect(), "machine").map_err(|faults| faults[0].reason.to_string())
}

fn set(name: &str, value: &str) -> Result<GroupConfig, String> {
    let alteration = Alteration { name, operation: Operation::Set, value: Some(value) };
    let altered = GroupConfig::default().altered(&[alteration], &server(&[]).unwrap());
    altered.map_err(|invalid| invalid.to_string())
}

#[test]
fn values_lie_between_the_brokers_bounds() {
    for (name, value, is_allowed) in [
        (SESSION, "44999", false),
        (SESSION, "45000", true),
        (SESSION, "60000", true),
        (SESSION, "60001", false),
        (SESSION, "soon", false),
        (INTERVAL, "4999", false),
        (INTERVAL, "5000", true),
        (INTERVAL, "15000", true),
        (INTERVAL, "15001", false),
        ("share.session.timeout.ms", "45000", false),
        ("streams.num.standby.replicas", "1", false),
        ("consumer.assignment.interval.ms", "1000", false),
        ("consumer.session.timeout", "45000", false),
    ] {
        let altered = set(name, value);
        assert_eq!(altered.is_ok(), is_allowed, "{name}={value}: {altered:?}");
    }
    let why = set("share.session.timeout.ms", "45000").unwrap_err();
    assert!(why.contains("no share groups"), "{why}");
}

#[test]
fn a_session_is_longer_than_the_interval() {
    let bounds = [("group.consumer.min.session.timeout.ms", "1000")];
    let narrow = server(&bounds).unwrap();
    let alteration = Alteration { name: SESSION, operation: Operation::Set, value: Some("5000") };
    let altered = GroupConfig::default().altered(&[alteration], &narrow);
    assert!(matches!(altered, Err(InvalidSetting::Conflict { .. })), "{altered:?}");
}

#[test]
fn bounds_that_have_changed_since_count() {
    let config = set(SESSION, "60000").unwrap();
    let after = [
        ("group.consumer.max.session.timeout.ms", "50000"),
        ("group.consumer.heartbeat.interval.ms", "6000"),
    ];
    let after = server(&after).unwrap();
    assert_eq!(config.session_timeout_ms(after.values()), 50_000);
    assert_eq!(config.heartbeat_interval_ms(after.values()), 6_000, "the broker's");
}

#[test]
fn the_broker_keeps_its_own_bounds() {
    for (settings, is_allowed) in [
        (&[("group.consumer.session.timeout.ms", "44999")][..], false),
        (&[("group.consumer.heartbeat.interval.ms", "500")], false),
        (&[("group.consumer.min.session.timeout.ms", "70000")], false),
        (
            &[
                ("group.consumer.heartbeat.interval.ms", "500"),
                ("group.consumer.min.heartbeat.interval.ms", "100"),
            ],
            true,
        ),
    ] {
        let config = server(settings);
        assert_eq!(config.is_ok(), is_allowed, "{settings:?}: {:?}", config.err());
    }
}

#[test]
fn c71_only_what_was_set_is_the_groups_own() {
    let config = set(SESSION, "50000").unwrap();
    let entries = config.describe(&server(&[]).unwrap(), None);
    let told = |entry: &Entry| (entry.name, entry.value.clone().unwrap(), entry.source.code());
    assert_eq!(
        entries.iter().map(told).collect::<Vec<_>>(),
        [(INTERVAL, "5000".to_owned(), 5), (SESSION, "50000".to_owned(), 8)]
    );
    assert_eq!(config.describe(&server(&[]).unwrap(), Some(&["x", INTERVAL])).len(), 1);
}
