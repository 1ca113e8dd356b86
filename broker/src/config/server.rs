//! The configuration of the broker: what the file, the command line and later alterations set, resolved and
//! typed.
//!
//! Settings that are given at the start are merged by origin: the command line's flags over `--set` over
//! the file. All faults are found in one go, each with its origin, so that a file is mended in one round.
//! What can change while the broker runs is a layer above the start's; a change gives a new configuration,
//! over which the topics' are made anew.

use std::path::{Path, PathBuf};
use std::time::Duration;

use shard::{HostChoices, Kind, Writes};

use super::alter::{self, Alteration, Texts};
use super::cores::Cores;
use super::describe::{Entry, Layers, Synonym};
use super::given::{Given, StartFault, merge};
use super::listener::{Endpoint, Listener, plan_listeners};
use super::migration_policy::MigrationPolicy;
use super::quorum_voters::{self, FoundingVoter};
use super::server_table::{SERVER_SETTINGS, find_server_setting};
use super::setting::{Change, InvalidSetting, Setting, Value, list_elements};
use super::topic_table::find_topic_setting;
use super::typed::typed_settings;

/// Whom an alteration at run time reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The BROKER resource that names this broker.
    ThisBroker,
    /// The BROKER resource with an empty name.
    AllBrokers,
}

/// The configuration in force for the broker.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    layers: Layers,
    values: ServerValues,
    listeners: Vec<Listener>,
    log_dir: PathBuf,
    cores: Cores,
}

typed_settings! {
    /// The values in force for the broker.
    struct ServerValues {
        auto_create_topics_enable: bool = "auto.create.topics.enable",
        /// `None` sets no limit.
        connections_max_idle_ms: Option<i64> = "connections.max.idle.ms",
        connections_max_reauth_ms: i64 = "connections.max.reauth.ms",
        default_replication_factor: u32 = "default.replication.factor",
        delete_topic_enable: bool = "delete.topic.enable",
        fetch_max_bytes: u32 = "fetch.max.bytes",
        group_consumer_heartbeat_interval_ms: i32 = "group.consumer.heartbeat.interval.ms",
        group_consumer_max_heartbeat_interval_ms: i32 = "group.consumer.max.heartbeat.interval.ms",
        group_consumer_max_session_timeout_ms: i32 = "group.consumer.max.session.timeout.ms",
        group_consumer_max_size: u32 = "group.consumer.max.size",
        group_consumer_migration_policy: MigrationPolicy = "group.consumer.migration.policy",
        group_consumer_min_heartbeat_interval_ms: i32 = "group.consumer.min.heartbeat.interval.ms",
        group_consumer_min_session_timeout_ms: i32 = "group.consumer.min.session.timeout.ms",
        group_consumer_session_timeout_ms: i32 = "group.consumer.session.timeout.ms",
        group_initial_rebalance_delay_ms: u32 = "group.initial.rebalance.delay.ms",
        group_max_session_timeout_ms: i32 = "group.max.session.timeout.ms",
        group_max_size: u32 = "group.max.size",
        group_min_session_timeout_ms: i32 = "group.min.session.timeout.ms",
        max_connections: u32 = "max.connections",
        max_connections_per_ip: u32 = "max.connections.per.ip",
        max_incremental_fetch_session_cache_slots: u32 = "max.incremental.fetch.session.cache.slots",
        broker_heartbeat_interval_ms: i32 = "broker.heartbeat.interval.ms",
        broker_session_timeout_ms: i32 = "broker.session.timeout.ms",
        node_id: i32 = "node.id",
        num_partitions: i32 = "num.partitions",
        offset_metadata_max_bytes: u32 = "offset.metadata.max.bytes",
        offsets_retention_check_interval_ms: i64 = "offsets.retention.check.interval.ms",
        offsets_retention_minutes: u32 = "offsets.retention.minutes",
        offsets_topic_num_partitions: i32 = "offsets.topic.num.partitions",
        offsets_topic_replication_factor: u32 = "offsets.topic.replication.factor",
        offsets_topic_segment_bytes: u32 = "offsets.topic.segment.bytes",
        producer_id_expiration_ms: i64 = "producer.id.expiration.ms",
        /// `None` stands for a part of the file system.
        ringlog_disk_reserve_bytes: Option<u64> = "ringlog.disk.reserve.bytes",
        log_cleaner_dedupe_buffer_size: u64 = "log.cleaner.dedupe.buffer.size",
        ringlog_io_lend_min_bytes: u32 = "ringlog.io.lend.min.bytes",
        ringlog_io_spin_us: u32 = "ringlog.io.spin.us",
        ringlog_journal_bytes: u64 = "ringlog.journal.bytes",
        ringlog_metrics_group_partitions_max: u32 = "ringlog.metrics.group.partitions.max",
        ringlog_metrics_groups_max: u32 = "ringlog.metrics.groups.max",
        ringlog_metrics_partitions_max: u32 = "ringlog.metrics.partitions.max",
        ringlog_metrics_topics_max: u32 = "ringlog.metrics.topics.max",
        ringlog_pool_bytes: u64 = "ringlog.pool.bytes",
        transaction_max_timeout_ms: i32 = "transaction.max.timeout.ms",
        transaction_partition_verification_enable: bool = "transaction.partition.verification.enable",
        transaction_remove_expired_transaction_cleanup_interval_ms: i32 =
            "transaction.remove.expired.transaction.cleanup.interval.ms",
        transaction_state_log_min_isr: u32 = "transaction.state.log.min.isr",
        transaction_state_log_num_partitions: i32 = "transaction.state.log.num.partitions",
        transaction_state_log_replication_factor: u32 = "transaction.state.log.replication.factor",
        transaction_state_log_segment_bytes: u32 = "transaction.state.log.segment.bytes",
        transactional_id_expiration_ms: i32 = "transactional.id.expiration.ms",
        socket_request_max_bytes: u32 = "socket.request.max.bytes",
    }
}

impl ServerConfig {
    /// From all that was given at the start, in any order.
    ///
    /// `machine_name` is what a listener on every interface advertises unless told otherwise.
    pub fn new(given: Vec<Given>, machine_name: &str) -> Result<ServerConfig, Vec<StartFault>> {
        let (strongest, mut faults) = merge(given);
        let mut start = Texts::new();
        for (&name, given) in &strongest {
            let setting = find_server_setting(name).expect("the name was found before");
            match setting.parse(&given.value) {
                Ok(value) => _ = start.insert(name.to_string(), value.to_string()),
                Err(reason) => faults.push(StartFault { origin: Some(given.origin.clone()), reason }),
            }
        }
        if !faults.is_empty() {
            faults.sort_by(|one, other| one.origin.cmp(&other.origin));
            return Err(faults);
        }
        // Tools look up either name of the node's number, so both are shown as set, as Kafka shows them.
        if let Some(id) = start.get("node.id").or(start.get("broker.id")).cloned() {
            start.extend([("node.id".to_string(), id.clone()), ("broker.id".to_string(), id)]);
        }
        let layers = Layers { start, ..Layers::default() };
        ServerConfig::resolve(layers, machine_name).map_err(|reason| {
            let origin = reason.name().and_then(|name| strongest.get(name)).map(|given| given.origin.clone());
            vec![StartFault { origin, reason }]
        })
    }

    /// Each text in `layers` is one that its setting accepts.
    fn resolve(layers: Layers, machine_name: &str) -> Result<ServerConfig, InvalidSetting> {
        let text = |name: &str| text_in_force(&layers, name);
        let list = |name: &str| list_elements(&text(name).unwrap_or_default());
        let listeners = plan_listeners(
            &list("listeners"),
            &list("advertised.listeners"),
            &text("listener.security.protocol.map").unwrap_or_default(),
            machine_name,
        )?;
        let log_dir = the_one_directory(&list("log.dir"), &list("log.dirs"))?;
        let cores = Cores::parse(&text("ringlog.cores").unwrap_or_default()).expect("the table checked it");
        let config = ServerConfig { values: read_values(&layers), listeners, log_dir, cores, layers };
        config.check_topic_defaults()?;
        config.check_peer_listen()?;
        quorum_voters::check_node(&config.founders(), config.values.node_id(), &config.peer_listen())?;
        super::group::check_server(&config.values)?;
        Ok(config)
    }

    /// What the server's settings give to topics must not contradict itself either.
    fn check_topic_defaults(&self) -> Result<(), InvalidSetting> {
        super::topic::TopicConfig::new([], self)?;
        let retention_ms = find_topic_setting("retention.ms").expect("it is in the table");
        if self.value_for_topics(retention_ms) == Value::Long(0) {
            let reason = "log.retention must be -1 or more than 0".to_string();
            return Err(InvalidSetting::Conflict { reason });
        }
        Ok(())
    }

    /// With what was set at run time before, as the metadata log keeps it. What this version does not
    /// accept has no effect and is left out.
    pub fn with_dynamic(&self, this_broker: &Texts, all_brokers: &Texts) -> ServerConfig {
        let accepted = |texts: &Texts| -> Texts {
            let good =
                |name: &str, text: &str| changeable(name).is_ok_and(|setting| setting.parse(text).is_ok());
            texts
                .iter()
                .filter(|(name, text)| good(name, text))
                .map(|(n, t)| (n.clone(), t.clone()))
                .collect()
        };
        let (dynamic_broker, dynamic_default) = (accepted(this_broker), accepted(all_brokers));
        let layers = Layers { dynamic_broker, dynamic_default, start: self.layers.start.clone() };
        ServerConfig { values: read_values(&layers), layers, ..self.clone() }
    }

    /// The configuration after IncrementalAlterConfigs of a BROKER resource.
    pub fn altered(
        &self,
        reach: Reach,
        alterations: &[Alteration<'_>],
    ) -> Result<ServerConfig, InvalidSetting> {
        let mut altered = self.clone();
        let texts = match reach {
            Reach::ThisBroker => &mut altered.layers.dynamic_broker,
            Reach::AllBrokers => &mut altered.layers.dynamic_default,
        };
        let inherited = |setting: &Setting| text_in_force(&self.layers, setting.name).unwrap_or_default();
        *texts = alter::alter(texts, alterations, changeable, inherited)?;
        altered.values = read_values(&altered.layers);
        altered.check_topic_defaults()?;
        Ok(altered)
    }

    /// Where each text is set.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// The values in force, one getter a setting.
    pub fn values(&self) -> &ServerValues {
        &self.values
    }

    /// Where the broker accepts connections; at least one.
    pub fn listeners(&self) -> &[Listener] {
        &self.listeners
    }

    /// The directory of all data, as it was given: a relative one is relative to where the broker starts.
    pub fn log_dir(&self) -> &Path {
        &self.log_dir
    }

    /// `ringlog.cores`.
    pub fn cores(&self) -> &Cores {
        &self.cores
    }

    /// `ringlog.io.backend`: what the cores run on; `None` is whatever the kernel allows.
    pub fn io_backend(&self) -> Option<Kind> {
        match self.layers.set_text("ringlog.io.backend") {
            Some("ring") => Some(Kind::Ring),
            Some("poll") => Some(Kind::Poll),
            _ => None,
        }
    }

    /// `ringlog.io.writes`, `ringlog.io.lend.min.bytes`, `ringlog.io.spin.us`: how cores that run on `kind` use the machine.
    pub fn host_choices(&self, kind: Kind) -> HostChoices {
        let writes = match self.layers.set_text("ringlog.io.writes") {
            Some("inline") => Writes::Inline,
            Some("ring") => Writes::Ring,
            _ => Writes::ByFileSystem,
        };
        let spin = Duration::from_micros(u64::from(self.values.ringlog_io_spin_us()));
        let lent_bytes_min = self.values.ringlog_io_lend_min_bytes() as usize;
        HostChoices { kind, writes, lent_bytes_min, spin }
    }

    /// `ringlog.http.listen`: where metrics and health are served.
    pub fn http_listen(&self) -> Vec<Endpoint> {
        let text = self.layers.set_text("ringlog.http.listen").unwrap_or_default();
        let parse = |text: &String| Endpoint::parse(text).expect("the table checked it");
        list_elements(text).iter().map(parse).collect()
    }

    /// `ringlog.peer.listen`: where other nodes connect.
    pub fn peer_listen(&self) -> Vec<Endpoint> {
        let text = self.layers.set_text("ringlog.peer.listen").unwrap_or_default();
        let parse = |text: &String| Endpoint::parse(text).expect("the table checked it");
        list_elements(text).iter().map(parse).collect()
    }

    /// `controller.quorum.voters`: who founds the metadata quorum; nobody if this node does so alone.
    pub fn founders(&self) -> Vec<FoundingVoter> {
        let text = self.layers.set_text(quorum_voters::NAME).unwrap_or_default();
        quorum_voters::parse(text).expect("the table checked it")
    }

    /// Clients and other nodes come in by different doors.
    fn check_peer_listen(&self) -> Result<(), InvalidSetting> {
        let taken: Vec<&Endpoint> = self.listeners.iter().flat_map(|listener| &listener.binds).collect();
        let twice = |own: &Endpoint| own.port != 0 && taken.contains(&own);
        match self.peer_listen().iter().find(|own| twice(own)) {
            None => Ok(()),
            Some(own) => Err(InvalidSetting::Value {
                name: "ringlog.peer.listen".to_string(),
                value: own.to_string(),
                reason: "clients connect there (listeners): other nodes need an address of their own"
                    .to_string(),
            }),
        }
    }

    /// `broker.rack`.
    pub fn broker_rack(&self) -> Option<&str> {
        self.layers.set_text("broker.rack").filter(|rack| !rack.is_empty())
    }

    /// `ringlog.log.level`: error, warn, info, debug or trace.
    pub fn log_level(&self) -> &str {
        self.layers.set_text("ringlog.log.level").unwrap_or("info")
    }

    /// What DescribeConfigs answers for this broker: every setting, or those that `wanted` names.
    pub fn describe(&self, wanted: Option<&[&str]>) -> Vec<Entry> {
        SERVER_SETTINGS
            .iter()
            .filter(|setting| wanted.is_none_or(|wanted| wanted.contains(&setting.name)))
            .map(|setting| {
                let value = text_in_force(&self.layers, setting.name);
                Entry::new(setting, value, setting.change == Change::AtStart, self.synonyms(setting.name))
            })
            .collect()
    }

    /// What DescribeConfigs answers for the BROKER resource with an empty name: what was set for all
    /// brokers.
    pub fn describe_all_brokers(&self, wanted: Option<&[&str]>) -> Vec<Entry> {
        let layers = Layers { dynamic_default: self.layers.dynamic_default.clone(), ..Layers::default() };
        SERVER_SETTINGS
            .iter()
            .filter(|setting| wanted.is_none_or(|wanted| wanted.contains(&setting.name)))
            .filter_map(|setting| {
                let text = layers.dynamic_default.get(setting.name)?.clone();
                Some(Entry::new(setting, Some(text), false, layers.synonyms(setting.name, |_| None)))
            })
            .collect()
    }

    pub(super) fn synonyms(&self, name: &str) -> Vec<Synonym> {
        self.layers.synonyms(name, |name| find_server_setting(name).ok()?.default)
    }

    /// The text that a setting of a topic or a group has where that does not override it.
    pub fn text_for_topics(&self, setting: &Setting) -> Option<String> {
        let set =
            setting.server_names.iter().find_map(|name| in_topic_unit(name, self.layers.set_text(name)?));
        set.or_else(|| setting.default.map(str::to_string))
    }

    /// The same as a value. A setting without default must not be asked for.
    pub(super) fn value_for_topics(&self, setting: &Setting) -> Value {
        let text = self.text_for_topics(setting).expect("the setting has a default");
        setting
            .parse(&text)
            .unwrap_or_else(|fault| panic!("a server setting gives a topic what it refuses: {fault}"))
    }
}

fn read_values(layers: &Layers) -> ServerValues {
    ServerValues::read(|name| {
        let setting = find_server_setting(name).expect("a getter's setting is in the table");
        let text = text_in_force(layers, name).expect("a setting with a getter has a default");
        setting.parse(&text).unwrap_or_else(|fault| panic!("a checked text is refused: {fault}"))
    })
}

fn text_in_force(layers: &Layers, name: &str) -> Option<String> {
    let default = || find_server_setting(name).ok()?.default;
    layers.set_text(name).or_else(default).map(str::to_string)
}

/// Converts hours and minutes to the milliseconds that topics count in. A negative time means no limit in
/// any unit.
fn in_topic_unit(name: &str, text: &str) -> Option<String> {
    let unit_ms = match name.rsplit('.').next() {
        Some("hours") => 3_600_000,
        Some("minutes") => 60_000,
        Some(_) | None => return Some(text.to_string()),
    };
    let count: i64 = text.parse().ok()?;
    Some(if count < 0 { "-1".to_string() } else { (count * unit_ms).to_string() })
}

fn changeable(name: &str) -> Result<&'static Setting, InvalidSetting> {
    let setting = find_server_setting(name)?;
    match setting.change {
        Change::AtRunTime => Ok(setting),
        Change::AtStart => Err(InvalidSetting::ReadOnly { name: name.to_string() }),
    }
}

fn the_one_directory(log_dir: &[String], log_dirs: &[String]) -> Result<PathBuf, InvalidSetting> {
    let (name, directories) = if log_dirs.is_empty() { ("log.dir", log_dir) } else { ("log.dirs", log_dirs) };
    match directories {
        [directory] => Ok(PathBuf::from(directory)),
        [] => Err(InvalidSetting::Value {
            name: name.to_string(),
            value: String::new(),
            reason: "a directory is needed".to_string(),
        }),
        _ => Err(InvalidSetting::Refused {
            name: name.to_string(),
            value: directories.join(","),
            reason: "this version keeps its data in one directory; use a file system that spans the disks",
        }),
    }
}

/// Values that need more than a setting's own type are read here; the test of getters counts them.
#[cfg(test)]
pub(super) const READ_BY_HAND: &[&str] = &[
    "advertised.listeners",
    "broker.id",
    "broker.rack",
    "controller.quorum.voters",
    "listener.security.protocol.map",
    "listeners",
    "log.dir",
    "log.dirs",
    "ringlog.cores",
    "ringlog.http.listen",
    "ringlog.io.backend",
    "ringlog.io.writes",
    "ringlog.log.level",
    "ringlog.peer.listen",
];

#[cfg(test)]
mod tests;
