//! `ringlog log import`: topics of a stopped Kafka become topics of a stopped Ringlog, with their records, offsets, log
//! starts, leader epochs, topic ids and settings.
//!
//! ```text
//! Kafka's files ─► ringlog-import/T-N, checked, closed, synced ─► T-N ─► one batch of the metadata log ─► visible
//! ```
//! Nothing is visible before that batch is durable, and with it all topics of the import are. What an import that was
//! killed leaves behind is removed by the next start or the next import: it lies in `ringlog-import/`, or in directories
//! that are marked and that no topic explains.

mod kafka_dir;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use protocol::Uuid;
use quorum::Quorum;
use shard::native::Files;
use shard::{Disk, WallMs, boot};
use storage::{ImportLog, Imported, import};

use super::report::{Line, Report};
use super::{ToolError, Verdict};
use crate::cli::StartArgs;
use crate::config::{ServerConfig, Texts, TopicConfig};
use crate::data_dir;
use crate::metadata::record::Record;
use crate::metadata::replay::{Replayed, replay};
use crate::metadata::{Image, PartitionState, log_settings};
use crate::partition::{IMPORT_DIR, IMPORT_MARK, remove_unfinished_import};
use crate::start::check_versions;
use kafka_dir::{KafkaDir, KafkaTopic};

/// What `ringlog log import` takes.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Kafka's log directory: the one with TOPIC-0, TOPIC-1, … in it.
    #[arg(long, value_name = "KAFKA_LOG_DIR")]
    from: PathBuf,
    /// Ringlog's data directory; made if missing [default: ./ringlog-data]
    #[arg(long, value_name = "DIR", default_value = "./ringlog-data", hide_default_value = true)]
    data_dir: PathBuf,
    /// Import this topic; may be repeated [default: all but the internal ones]
    #[arg(long, value_name = "NAME")]
    topic: Vec<String>,
    /// Give the imported topics this setting, over what Kafka's metadata say; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The node's number, if the data directory is made [default: 0]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    node_id: i32,
    /// Import although Kafka was not stopped in order, or runs: what its files hold now is taken.
    #[arg(long)]
    unclean: bool,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

/// No cluster has ever given out such a producer id: a larger one is somebody's nonsense.
const PRODUCER_ID_MAX: i64 = i64::MAX / 2;

/// A topic on its way.
struct Plan {
    topic: KafkaTopic,
    id: Uuid,
    config: TopicConfig,
    /// The next term of leadership, for each partition.
    leader_epochs: Vec<i32>,
    /// Producer ids below this one were given out by Kafka.
    next_producer_id: i64,
}

/// Where the import goes.
struct Target {
    files: Files,
    dir: PathBuf,
    node_id: i32,
    image: Image,
    quorum: Quorum,
    now: WallMs,
}

/// Runs the tool.
pub fn run(args: &ImportArgs) -> Result<Verdict, ToolError> {
    let mut report = Report::new(args.json);
    let source = KafkaDir::read(&mut Files::default(), &args.from, &args.topic, args.unclean)?;
    let set = parse_set(&args.set)?;
    let _lock = match boot::lock_dir(&args.data_dir) {
        Ok(Some(lock)) => lock,
        Ok(None) => {
            return Err(ToolError::Misuse(format!(
                "{}: a broker uses this directory: stop it first",
                args.data_dir.display()
            )));
        }
        Err(error) => return Err(ToolError::Failed(format!("{}: {error}", args.data_dir.display()))),
    };
    let mut target = Target::open(args)?;
    for (what, why) in &source.skipped {
        report.put(&Line::new("skipped").text("what", what.as_str()).text("why", why.as_str()))?;
    }
    let mut plans = Vec::new();
    for topic in source.topics {
        let plan = target.plan(topic, &set, &mut report)?;
        plans.push(plan);
    }
    if plans.is_empty() {
        report.finish()?;
        return Err(ToolError::Misuse(format!("{}: there is no topic to import", args.from.display())));
    }
    let moved = target.copy_all(&args.from, &mut plans, &source.log_starts, &mut report);
    if let Err(error) = moved.and_then(|()| target.make_visible(&plans)) {
        // Should this fail too, the next start does it.
        _ = remove_unfinished_import(&mut target.files, &target.dir, &target.image);
        report.finish()?;
        return Err(error);
    }
    for plan in &plans {
        let line = Line::new("topic").text("name", plan.topic.name.as_str()).text("id", plan.id.to_string());
        let settings =
            plan.config.overrides().iter().map(|(name, value)| (name.clone(), Some(value.clone())));
        report
            .put(&line.number("partitions", plan.topic.partitions).pairs("settings", settings.collect()))?;
    }
    report.finish()?;
    Ok(Verdict::Sound)
}

fn parse_set(set: &[String]) -> Result<Vec<(String, String)>, ToolError> {
    let split = |text: &String| match text.split_once('=') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.to_owned())),
        None => Err(ToolError::Misuse(format!("--set {text}: KEY=VALUE is needed"))),
    };
    set.iter().map(split).collect()
}

impl Target {
    /// Opens the data directory as a start does, or makes it.
    fn open(args: &ImportArgs) -> Result<Target, ToolError> {
        let failed = |why: String| ToolError::Failed(why);
        let mut files = Files::default();
        let (dir, now) = (args.data_dir.clone(), boot::wall_ms());
        check_versions(&dir).map_err(|error| failed(error.to_string()))?;
        let known = data_dir::read(&mut files, &dir).map_err(|error| failed(error.to_string()))?;
        let node_id = known.map_or(args.node_id, |identity| identity.node_id);
        let random = [boot::random_seed(), boot::random_seed()];
        let identity = data_dir::open(&mut files, &dir, node_id, None, random)
            .map_err(|error| failed(error.to_string()))?;
        let start = StartArgs { node_id: Some(node_id.to_string()), ..StartArgs::default() };
        let config: ServerConfig = start.load("localhost").map_err(|error| failed(error.to_string()))?;
        let blank = Image::empty(Arc::new(config), &identity.cluster_id);
        let of_quorum = super::quorum_config(&identity, boot::random_seed());
        let mut quorum =
            Quorum::open(&mut files, &dir, of_quorum, now).map_err(|error| failed(error.to_string()))?;
        if !quorum.is_active() {
            let why = "the node is one of several that keep the metadata: import into a directory of its own";
            return Err(ToolError::Misuse(format!("{}: {why}", dir.display())));
        }
        let replayed = replay(&dir, blank, quorum.take_outputs());
        let Replayed { image, .. } = replayed.map_err(|error| failed(error.to_string()))?;
        remove_unfinished_import(&mut files, &dir, &image)
            .map_err(|error| failed(format!("{}: {error}", dir.display())))?;
        Ok(Target { files, dir, node_id, image, quorum, now })
    }

    /// Decides what a topic becomes here; refuses it before anything is copied.
    fn plan(
        &self,
        topic: KafkaTopic,
        set: &[(String, String)],
        report: &mut Report,
    ) -> Result<Plan, ToolError> {
        let name = topic.name.as_str();
        let refuse = |why: String| Err(ToolError::Failed(format!("topic {name}: {why}")));
        if self.image.topic(name).is_some() {
            return refuse(
                "there is a topic of this name already: delete it, or import into another directory"
                    .to_owned(),
            );
        }
        if let Some(other) = self.image.colliding_topic(name) {
            return refuse(format!(
                "there is a topic {}, which differs in '.' against '_' alone",
                other.name
            ));
        }
        if let Some(other) = topic.id.and_then(|id| self.image.topic_by_id(id)) {
            return refuse(format!(
                "its id is that of the topic {} here: it was imported before",
                other.name
            ));
        }
        let mut settings = Texts::new();
        for (setting, value) in &topic.settings {
            match TopicConfig::check(setting, value) {
                Ok(()) => drop(settings.insert(setting.clone(), value.clone())),
                Err(why) => {
                    let line = Line::new("left_out")
                        .text("topic", name)
                        .text("setting", format!("{setting}={value}"));
                    report.put(&line.text("why", why.to_string()))?;
                }
            }
        }
        settings.extend(set.iter().cloned());
        let pairs = settings.iter().map(|(name, value)| (name.as_str(), Some(value.as_str())));
        let config = TopicConfig::new(pairs, &self.image.server)
            .map_err(|error| ToolError::Misuse(format!("topic {name}: {error}")))?;
        let random = || (u128::from(boot::random_seed()) << 64) | u128::from(boot::random_seed());
        let id = topic.id.unwrap_or_else(|| Uuid::from_u128(random()));
        Ok(Plan { topic, id, config, leader_epochs: Vec::new(), next_producer_id: 0 })
    }

    /// Copies everything to where nobody looks, and checks it.
    fn copy_all(
        &mut self,
        from: &Path,
        plans: &mut [Plan],
        log_starts: &kafka_dir::LogStarts,
        report: &mut Report,
    ) -> Result<(), ToolError> {
        for plan in plans {
            let settings = Arc::new(log_settings(&plan.topic.name, &plan.config, &self.image.server));
            let name = plan.topic.name.clone();
            for number in 0..plan.topic.partitions {
                let dir_name = format!("{name}-{number}");
                let into = self.dir.join(IMPORT_DIR).join(&dir_name);
                let log_start = log_starts.get(&(name.clone(), number)).copied();
                let with = ImportLog {
                    from: &from.join(&dir_name),
                    into: &into,
                    settings: &settings,
                    log_start,
                    now: self.now,
                };
                let done = import(&mut self.files, &with)
                    .map_err(|refusal| ToolError::Failed(refusal.to_string()))?;
                let mark = into.join(IMPORT_MARK);
                self.files.replace_file(&mark, b"").map_err(|error| failed(&mark, error))?;
                plan.leader_epochs.push(done.leader_epoch.map_or(0, |epoch| epoch.0.saturating_add(1)));
                let used = done.producer_id_max.map(|id| id.0).filter(|id| *id < PRODUCER_ID_MAX);
                plan.next_producer_id = plan.next_producer_id.max(used.map_or(0, |id| id + 1));
                report.put(&partition_line(&name, number, &done))?;
            }
        }
        Ok(())
    }

    /// Puts the copies in their places and makes the topics known.
    fn make_visible(&mut self, plans: &[Plan]) -> Result<(), ToolError> {
        let mut records = Vec::new();
        for plan in plans {
            let name = &plan.topic.name;
            records.push(Record::Topic { name: name.clone(), id: plan.id });
            for (partition, &leader_epoch) in (0..).zip(&plan.leader_epochs) {
                let dir_name = format!("{name}-{partition}");
                let place = self.dir.join(&dir_name);
                if self.files.list(&place).is_ok() {
                    // Nobody's, as no topic has it; the broker does the same where it makes a partition.
                    let aside = storage::aside_of(&place, &format!("{}.stray", self.now.0));
                    self.files.rename(&place, &aside).map_err(|error| failed(&place, error))?;
                }
                let copy = self.dir.join(IMPORT_DIR).join(&dir_name);
                self.files.rename(&copy, &place).map_err(|error| failed(&place, error))?;
                let state = PartitionState { leader_epoch, ..PartitionState::of_one(self.node_id) };
                records.push(Record::Partition { topic_id: plan.id, partition, state });
            }
            records.extend(plan.config.overrides().iter().map(|(setting, value)| Record::TopicConfig {
                topic: name.clone(),
                name: setting.clone(),
                value: Some(value.clone()),
            }));
        }
        // A producer of ours must not be taken for one whose batches lie in the log.
        let next = plans.iter().map(|plan| plan.next_producer_id).max().unwrap_or(0);
        if next > self.image.next_producer_id {
            records.push(Record::ProducerIds { next });
        }
        let dir = self.dir.clone();
        self.files.sync_dir(&dir).map_err(|error| failed(&dir, error))?;
        let values: Vec<Vec<u8>> = records.iter().map(Record::encode).collect();
        self.quorum.propose(&mut self.files, self.now, &values).map_err(|refusal| {
            ToolError::Failed(format!("{}: the topics cannot be made known: {refusal}", dir.display()))
        })?;
        // The topics are there now: what is left to tidy up harms nobody, and the next start would do it.
        for plan in plans {
            for partition in 0..plan.topic.partitions {
                let mark = dir.join(format!("{}-{partition}", plan.topic.name)).join(IMPORT_MARK);
                _ = self.files.remove(&mark);
            }
        }
        _ = self.files.remove_dir(&dir.join(IMPORT_DIR));
        Ok(())
    }
}

fn failed(path: &Path, error: shard::IoError) -> ToolError {
    ToolError::Failed(format!("{}: {error}", path.display()))
}

fn partition_line(topic: &str, partition: i32, done: &Imported) -> Line {
    Line::new("partition")
        .text("topic", topic)
        .number("partition", partition)
        .number("segments", done.segments as u64)
        .number("size", done.bytes)
        .number("batches", done.batches)
        .number("records", done.records)
        .number("log_start", done.log_start.0)
        .number("end", done.end.0)
        .number("leader_epoch", done.leader_epoch.map_or(-1, |epoch| epoch.0))
}
