//! The settings of the broker: those of Kafka that mean something here, and Ringlog's own (`ringlog.*`).
//!
//! The server settings behind the topics' (`log.segment.bytes` behind `segment.bytes`) are not written down
//! twice: they are derived from the table of topic settings. What Kafka has and Ringlog has not is in
//! the module `absent`.

use std::sync::LazyLock;

use super::absent::reason_absent;
use super::cores::Cores;
use super::group_table::GROUP_SETTINGS;
use super::listener::{check_endpoints, check_named_list, check_protocol_map};
use super::nearest::{nearest, nearest_within};
use super::quorum_voters;
use super::setting::{Effect, InvalidSetting, Kind, Setting, Valid, excerpt};
use super::topic_table::TOPIC_SETTINGS;
use super::transaction_table::TRANSACTION_SETTINGS;

const INT_MAX: &str = "2147483647";

static OWN_SETTINGS: &[Setting] = &[
    Setting::new("advertised.listeners", Kind::List, "", Valid::Syntax(check_named_list))
        .without_default()
        .at_start()
        .about(
            "The address of each listener that clients are told to connect to, as NAME://host:port. A \
             listener without one tells its own host, or the machine's name if it listens on every \
             interface.",
        ),
    Setting::new("auto.create.topics.enable", Kind::Boolean, "true", Valid::Any)
        .at_start()
        .about("Whether a producer or consumer that asks for a topic that is not there gets it created."),
    Setting::new("broker.heartbeat.interval.ms", Kind::Int, "2000", Valid::AtLeast(1))
        .at_start()
        .about("How often a broker of a cluster tells the controller that it lives."),
    Setting::new("broker.id", Kind::Int, "0", Valid::AtLeast(0))
        .at_start()
        .about("The older name of node.id; where both are set they must agree."),
    Setting::new("broker.rack", Kind::String, "", Valid::Any)
        .without_default()
        .at_start()
        .about("Where the broker stands; clients that know their own rack read from the nearest replica."),
    Setting::new("broker.session.timeout.ms", Kind::Int, "9000", Valid::AtLeast(1))
        .at_start()
        .about(
            "How long the controller may hear nothing of a broker before it is taken for dead, and what it leads is without \
             a leader until it is back.",
        ),
    Setting::new("connections.max.idle.ms", Kind::Long, "600000", Valid::Any)
        .at_start()
        .about(
            "How long a connection may be silent, or take nothing of what is sent to it (a minute at least), before it is \
             closed; a negative value sets no limit.",
        ),
    Setting::new("connections.max.reauth.ms", Kind::Long, "0", Valid::Any)
        .at_start()
        .effect(Effect::Refused { reason: "there is no authentication that could be renewed" })
        .about("After how long a client must authenticate again; 0 means never."),
    Setting::new("controller.quorum.voters", Kind::List, "", Valid::Syntax(quorum_voters::check))
        .at_start()
        .about(
            "The nodes that found the cluster's metadata quorum, this one among them, as id@host:port of where they listen for              other nodes. All of them are started with the same list. Looked at when a data directory is made; later starts              only hold it against what was founded. None by default: the node is a cluster alone.",
        ),
    Setting::new("default.replication.factor", Kind::Int, "1", Valid::AtLeast(1))
        .at_start()
        .effect(Effect::Refused { reason: "one broker keeps one replica" })
        .about("Replicas of a topic whose creator leaves the choice to the broker."),
    Setting::new("delete.topic.enable", Kind::Boolean, "true", Valid::Any)
        .at_start()
        .about("Whether clients may delete topics."),
    Setting::new("fetch.max.bytes", Kind::Int, "57671680", Valid::AtLeast(1024))
        .at_start()
        .about("The most bytes that one fetch is answered with, whatever the client asks for."),
    Setting::new(
        "listener.security.protocol.map",
        Kind::String,
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
        Valid::Syntax(check_protocol_map),
    )
    .at_start()
    .about(
        "Which protocol each listener speaks, as NAME:PROTOCOL. Listeners that speak PLAINTEXT work \
             here.",
    ),
    Setting::new("listeners", Kind::List, "PLAINTEXT://localhost:9092", Valid::Syntax(check_named_list))
        .at_start()
        .about(
            "Where connections are accepted, as NAME://host:port. A host name stands for all its addresses, \
             an empty host for every interface; a name that is given twice is one listener with two \
             addresses.",
        ),
    Setting::new("log.cleaner.dedupe.buffer.size", Kind::Long, "134217728", Valid::AtLeast(65_536))
        .at_start()
        .about(
            "The most memory for the keys of the logs that are being compacted, one on each core, of which each has its \
             part: 24 bytes a key and a third more. What does not fit is compacted in further rounds.",
        ),
    Setting::new("log.dir", Kind::List, "./ringlog-data", Valid::Any)
        .at_start()
        .about("The directory that holds all data. log.dirs comes first where both are set."),
    Setting::new("log.dirs", Kind::List, "", Valid::Any)
        .without_default()
        .at_start()
        .about("The directory that holds all data; Ringlog takes exactly one."),
    Setting::new("log.retention.hours", Kind::Int, "168", Valid::Any)
        .at_start()
        .about("In hours; log.retention.ms and log.retention.minutes come first."),
    Setting::new("log.retention.minutes", Kind::Int, "", Valid::Any)
        .without_default()
        .at_start()
        .about("In minutes; log.retention.ms comes first."),
    Setting::new("log.roll.hours", Kind::Int, "168", Valid::AtLeast(1))
        .at_start()
        .about("In hours; log.roll.ms comes first."),
    Setting::new("log.roll.jitter.hours", Kind::Int, "0", Valid::AtLeast(0))
        .at_start()
        .about("In hours; log.roll.jitter.ms comes first."),
    Setting::new("max.connections", Kind::Int, INT_MAX, Valid::AtLeast(0))
        .at_start()
        .about("The most connections at a time; a further one is closed at once."),
    Setting::new("max.connections.per.ip", Kind::Int, INT_MAX, Valid::AtLeast(0))
        .at_start()
        .about("The most connections at a time from one address; a further one is closed at once."),
    Setting::new("max.incremental.fetch.session.cache.slots", Kind::Int, "1000", Valid::AtLeast(0))
        .at_start()
        .about(
            "How many fetch sessions are kept, so that their clients need not repeat their partitions \
             (KIP-227).",
        ),
    Setting::new("node.id", Kind::Int, "0", Valid::AtLeast(0))
        .at_start()
        .about("The broker's number in the cluster."),
    Setting::new("num.partitions", Kind::Int, "1", Valid::AtLeast(1))
        .at_start()
        .about("Partitions of a topic whose creator leaves the choice to the broker."),
    Setting::new("producer.id.expiration.ms", Kind::Int, "86400000", Valid::AtLeast(1))
        .at_start()
        .about("How long the sequence numbers of a silent idempotent producer are remembered."),
    Setting::new("ringlog.cores", Kind::String, "all", Valid::Syntax(|text| Cores::parse(text).map(|_| ())))
        .at_start()
        .about("On which cores the broker runs: all, a number of cores, or a list such as 0,2-3."),
    Setting::new("ringlog.disk.reserve.bytes", Kind::Long, "-1", Valid::AtLeast(-1)).at_start().about(
        "Producers are refused with a reason before less than this is free on the disk, so that reading, deleting \
         and administration go on; -1 keeps a twentieth of the file system, at most 1 GiB.",
    ),
    Setting::new("ringlog.http.listen", Kind::List, "", Valid::Syntax(check_endpoints))
        .without_default()
        .at_start()
        .about(
        "Where metrics and health are served over HTTP, as host:port, or :port for every interface; there may be \
         several. Whoever can connect can read them. None by default.",
    ),
    Setting::new("ringlog.io.backend", Kind::String, "auto", Valid::OneOf(&["auto", "ring", "poll"]))
        .at_start()
        .about(
            "What the cores do their input and output with: ring is io_uring, poll is epoll, which needs nothing special of \
             the kernel and costs more. auto takes io_uring where the kernel allows it, and else epoll with a warning.",
        ),
    Setting::new("ringlog.io.lend.min.bytes", Kind::Int, "32768", Valid::AtLeast(4096)).at_start().about(
        "From this many bytes on a fetch gets what the page cache holds lent instead of copied, where all of it is there. \
         ringlog-tune measures from where on that pays.",
    ),
    Setting::new("ringlog.io.spin.us", Kind::Int, "0", Valid::Between(0, 1_000_000)).at_start().about(
        "How long a core looks for work before it sleeps, in microseconds. Nothing that comes meanwhile has to wake it. A \
         core that spins is busy, so that this is for brokers with cores of their own. ringlog-tune measures what it \
         would save.",
    ),
    Setting::new("ringlog.io.writes", Kind::String, "auto", Valid::OneOf(&["auto", "inline", "ring"])).at_start().about(
        "How segments are written to the page cache: inline, or through the ring, which needs io_uring. auto takes the \
         ring on XFS and inline elsewhere. ringlog-tune measures which is quicker.",
    ),
    Setting::new("ringlog.journal.bytes", Kind::Long, "67108864", Valid::AtLeast(262_144)).at_start().about(
        "The size of each core's journal, which takes every append that is to survive a loss of power before its \
         segment is synced. It is written in full when it is made. A larger one means fewer syncs and a longer \
         replay after a crash.",
    ),
    Setting::new(
        "ringlog.log.level",
        Kind::String,
        "info",
        Valid::OneOf(&["error", "warn", "info", "debug", "trace"]),
    )
    .at_start()
    .about("How much the broker writes to its own log."),
    Setting::new("ringlog.metrics.group.partitions.max", Kind::Int, "10000", Valid::AtLeast(0)).at_start().about(
        "How many partitions metrics show of all groups together, with committed offset and lag; each core has its share. \
         A group that does not fit is shown without.",
    ),
    Setting::new("ringlog.metrics.groups.max", Kind::Int, "1000", Valid::AtLeast(0))
        .at_start()
        .about("How many groups metrics show one by one; each core has its share. How many are left out is a metric."),
    Setting::new("ringlog.metrics.partitions.max", Kind::Int, "10000", Valid::AtLeast(0)).at_start().about(
        "With more partitions than this, metrics show the sums of topics alone. How many are left out is a metric.",
    ),
    Setting::new("ringlog.metrics.topics.max", Kind::Int, "1000", Valid::AtLeast(0)).at_start().about(
        "How many topics metrics show, the first by name. How many are left out is a metric.",
    ),
    Setting::new("ringlog.peer.listen", Kind::List, "", Valid::Syntax(check_endpoints))
        .without_default()
        .at_start()
        .about(
        "Where other nodes of the cluster connect, as host:port, or :port for every interface; there may be several. Clients \
         are never told of it. Nothing is encrypted there, and whoever can connect can speak to the controller: let only \
         the cluster's machines reach it. None by default.",
    ),
    Setting::new("ringlog.pool.bytes", Kind::Long, "8388608", Valid::AtLeast(0)).at_start().about(
        "The most bytes of free buffers that the process keeps for reuse instead of giving them back.",
    ),
    Setting::new("socket.request.max.bytes", Kind::Int, "104857600", Valid::AtLeast(1))
        .at_start()
        .about("The largest request that is read; a larger one closes its connection."),
];

/// All settings of the broker, sorted by name.
pub static SERVER_SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    let mut settings: Vec<Setting> =
        OWN_SETTINGS.iter().map(|setting| coarse_unit_of_topic(*setting)).collect();
    settings.extend(GROUP_SETTINGS);
    settings.extend(TRANSACTION_SETTINGS);
    settings.extend(TOPIC_SETTINGS.iter().filter_map(behind_topic_setting));
    settings.sort_unstable_by_key(|setting| setting.name);
    settings
});

/// The first server setting behind a topic setting. It has the topic's type, range and default, save that
/// the default stands with the coarsest unit where there are several, and with none in the case of the
/// flush interval.
fn behind_topic_setting(topic: &Setting) -> Option<Setting> {
    let &name = topic.server_names.first()?;
    let has_default = topic.server_names.len() == 1 && name != "log.flush.interval.ms";
    Some(Setting {
        name,
        default: topic.default.filter(|_| has_default),
        server_names: &[],
        topic_name: Some(topic.name),
        ..*topic
    })
}

fn coarse_unit_of_topic(setting: Setting) -> Setting {
    let topic = TOPIC_SETTINGS.iter().find(|topic| topic.server_names.contains(&setting.name));
    Setting { topic_name: topic.map(|topic| topic.name), ..setting }
}

/// The names that give one value, the finest unit first; `name` alone for most.
pub(super) fn names_in_order(name: &str) -> Vec<&'static str> {
    let topic = TOPIC_SETTINGS.iter().find(|topic| topic.server_names.contains(&name));
    match topic {
        Some(topic) => topic.server_names.to_vec(),
        None => find_server_setting(name).map(|setting| vec![setting.name]).unwrap_or_default(),
    }
}

/// The setting of that name; else why Kafka's setting of that name is not here, or which name is nearest.
pub fn find_server_setting(name: &str) -> Result<&'static Setting, InvalidSetting> {
    let settings = &*SERVER_SETTINGS;
    let found = settings.binary_search_by(|setting| setting.name.cmp(name));
    found.map(|index| &settings[index]).map_err(|_| {
        let names = || settings.iter().map(|setting| setting.name);
        let topic = TOPIC_SETTINGS.iter().find(|topic| topic.name == name);
        let meant = topic
            .and_then(|topic| topic.server_names.first().copied())
            // A slip in a name that is here comes before a reason that covers a whole family of names.
            .or_else(|| nearest_within(2, name, names()));
        let reason = reason_absent(name);
        let name = excerpt(name);
        match (meant, reason) {
            (None, Some(reason)) => InvalidSetting::Absent { name, reason },
            (Some(meant), _) => InvalidSetting::Unknown { name, nearest: Some(meant) },
            (None, None) => {
                let nearest = nearest(&name, names());
                InvalidSetting::Unknown { name, nearest }
            }
        }
    })
}
