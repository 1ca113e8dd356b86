//! The settings of one group (the GROUP resource): what it sets itself, over the broker's `group.consumer.*`.
//!
//! A value must lie between the broker's bounds when it is set. The bounds may be others after a start: what lies outside of
//! them then counts as the nearest bound.

use super::alter::{self, Alteration, Texts};
use super::describe::{Entry, Source, Synonym};
use super::group_table::{GROUP_OWN_SETTINGS, find_group_setting};
use super::server::{ServerConfig, ServerValues};
use super::setting::{InvalidSetting, Setting};

const SESSION: &str = "consumer.session.timeout.ms";
const INTERVAL: &str = "consumer.heartbeat.interval.ms";

/// What a group sets itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupConfig {
    overrides: Texts,
    session_timeout_ms: Option<i32>,
    heartbeat_interval_ms: Option<i32>,
}

impl GroupConfig {
    /// From what was accepted once. What this version does not accept is kept and has no effect.
    pub fn from_stored(overrides: Texts) -> GroupConfig {
        let number = |name: &str| {
            let text = overrides.get(name)?;
            find_group_setting(name).ok()?.parse(text).ok()?.to_string().parse().ok()
        };
        let (session_timeout_ms, heartbeat_interval_ms) = (number(SESSION), number(INTERVAL));
        GroupConfig { session_timeout_ms, heartbeat_interval_ms, overrides }
    }

    /// After IncrementalAlterConfigs.
    pub fn altered(
        &self,
        alterations: &[Alteration<'_>],
        server: &ServerConfig,
    ) -> Result<GroupConfig, InvalidSetting> {
        let inherited = |setting: &Setting| server.text_for_topics(setting).unwrap_or_default();
        let overrides = alter::alter(&self.overrides, alterations, find_group_setting, inherited)?;
        GroupConfig::from_stored(overrides).checked(server.values())
    }

    /// From the whole set of overrides, as the legacy AlterConfigs gives it.
    pub fn new<'a>(
        settings: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
        server: &ServerConfig,
    ) -> Result<GroupConfig, InvalidSetting> {
        GroupConfig::from_stored(alter::replace(settings, find_group_setting)?).checked(server.values())
    }

    fn checked(self, server: &ServerValues) -> Result<GroupConfig, InvalidSetting> {
        if let Some(value) = self.session_timeout_ms {
            let (min, max) = session_bounds(server);
            check_bounds(SESSION, value, (min, max), "session.timeout.ms")?;
        }
        if let Some(value) = self.heartbeat_interval_ms {
            check_bounds(INTERVAL, value, interval_bounds(server), "heartbeat.interval.ms")?;
        }
        check_session_and_interval(
            (SESSION, self.session_timeout_ms(server)),
            (INTERVAL, self.heartbeat_interval_ms(server)),
        )?;
        Ok(self)
    }

    /// How long a member may be silent.
    pub fn session_timeout_ms(&self, server: &ServerValues) -> i32 {
        let (min, max) = session_bounds(server);
        let own = self.session_timeout_ms.map(|value| value.clamp(min, max));
        own.unwrap_or_else(|| server.group_consumer_session_timeout_ms())
    }

    /// How often members are to send heartbeats.
    pub fn heartbeat_interval_ms(&self, server: &ServerValues) -> i32 {
        let (min, max) = interval_bounds(server);
        let own = self.heartbeat_interval_ms.map(|value| value.clamp(min, max));
        own.unwrap_or_else(|| server.group_consumer_heartbeat_interval_ms())
    }

    /// What the group itself sets: names and canonical texts.
    pub fn overrides(&self) -> &Texts {
        &self.overrides
    }

    /// What DescribeConfigs answers: every setting, or those that `wanted` names.
    pub fn describe(&self, server: &ServerConfig, wanted: Option<&[&str]>) -> Vec<Entry> {
        let settings = GROUP_OWN_SETTINGS.iter();
        let settings = settings.filter(|setting| wanted.is_none_or(|wanted| wanted.contains(&setting.name)));
        settings.map(|setting| self.describe_one(setting, server)).collect()
    }

    fn describe_one(&self, setting: &'static Setting, server: &ServerConfig) -> Entry {
        let own = self.overrides.get(setting.name);
        let synonym =
            |text: &String| Synonym { name: setting.name, value: Some(text.clone()), source: Source::Group };
        let value = own.cloned().or_else(|| server.text_for_topics(setting));
        // Kafka names no setting of the broker as a synonym here, and what the group does not set reads as the default.
        Entry::new(setting, value, false, own.map(synonym).into_iter().collect())
    }
}

fn session_bounds(server: &ServerValues) -> (i32, i32) {
    (server.group_consumer_min_session_timeout_ms(), server.group_consumer_max_session_timeout_ms())
}

fn interval_bounds(server: &ServerValues) -> (i32, i32) {
    (server.group_consumer_min_heartbeat_interval_ms(), server.group_consumer_max_heartbeat_interval_ms())
}

/// The broker's own values must lie within its bounds too.
pub(super) fn check_server(server: &ServerValues) -> Result<(), InvalidSetting> {
    let (session, interval) =
        (server.group_consumer_session_timeout_ms(), server.group_consumer_heartbeat_interval_ms());
    let pairs = [
        ("session.timeout.ms", session, session_bounds(server)),
        ("heartbeat.interval.ms", interval, interval_bounds(server)),
    ];
    for (name, value, bounds) in pairs {
        if bounds.0 > bounds.1 {
            let reason = format!("group.consumer.min.{name} is more than group.consumer.max.{name}");
            return Err(InvalidSetting::Conflict { reason });
        }
        check_bounds(&format!("group.consumer.{name}"), value, bounds, name)?;
    }
    check_session_and_interval(
        ("group.consumer.session.timeout.ms", session),
        ("group.consumer.heartbeat.interval.ms", interval),
    )
}

fn check_bounds(
    name: &str,
    value: i32,
    (min, max): (i32, i32),
    of_server: &str,
) -> Result<(), InvalidSetting> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(InvalidSetting::Value {
        name: name.to_owned(),
        value: value.to_string(),
        reason: format!(
            "it must be between the broker's group.consumer.min.{of_server} ({min}) and \
             group.consumer.max.{of_server} ({max})"
        ),
    })
}

fn check_session_and_interval(session: (&str, i32), interval: (&str, i32)) -> Result<(), InvalidSetting> {
    if session.1 > interval.1 {
        return Ok(());
    }
    let reason = format!("{} ({}) must be more than {} ({})", session.0, session.1, interval.0, interval.1);
    Err(InvalidSetting::Conflict { reason })
}

#[cfg(test)]
#[path = "group/tests.rs"]
mod tests;
