//! What lies in a log directory of Kafka's: topics with their partitions, ids and settings, and where logs start.
//!
//! Settings and ids come from the metadata log if it lies there too (a broker that is also a controller, or that follows
//! one), else ids come from `partition.metadata` alone. Metadata transactions are not looked at: Kafka uses them for its
//! very first records only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use protocol::{Decoder, MetadataRecord, Uuid};
use shard::native::Files;
use shard::{Disk, IoError, OpenMode};
use storage::Offset;
use storage::batch::{Codec, HEADER_LEN, RecordStream};
use storage::inspect::{BatchWalk, Step};

use crate::config::Texts;
use crate::config::properties;
use crate::log_tools::ToolError;
use crate::log_tools::place::partition_of;
use crate::topic_name;

/// No file of text is larger.
const TEXT_LEN_MAX: u64 = 64 << 20;
/// No batch of metadata is larger.
const BATCH_LEN_MAX: u64 = 64 << 20;
/// What Kafka leaves when it is stopped in order.
const CLEAN: &str = ".kafka_cleanshutdown";
const LOG_STARTS: &str = "log-start-offset-checkpoint";
const METADATA: &str = "__cluster_metadata-0";
/// Topics that are Kafka's own: what they hold is about that cluster.
const INTERNAL: [&str; 4] =
    ["__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata"];
/// The resource type of a topic's settings.
const TOPIC_RESOURCE: i8 = 2;

/// Where logs start, by topic and partition.
pub type LogStarts = BTreeMap<(String, i32), Offset>;

/// A topic to import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KafkaTopic {
    /// Its name.
    pub name: String,
    /// Its id, if anything tells it.
    pub id: Option<Uuid>,
    /// How many partitions it has; all are there.
    pub partitions: i32,
    /// Its own settings.
    pub settings: Texts,
}

/// What a directory holds.
#[derive(Debug)]
pub struct KafkaDir {
    /// Topics to import.
    pub topics: Vec<KafkaTopic>,
    /// What is left where it is, and why.
    pub skipped: Vec<(String, String)>,
    /// Where logs start.
    pub log_starts: LogStarts,
}

/// What the metadata log tells.
#[derive(Debug, Default)]
struct Metadata {
    topics: BTreeMap<String, (Uuid, BTreeSet<i32>)>,
    names: BTreeMap<Uuid, String>,
    settings: BTreeMap<String, Texts>,
}

impl KafkaDir {
    /// Reads a directory; only the topics in `wanted`, if that names any.
    pub fn read(
        files: &mut Files,
        dir: &Path,
        wanted: &[String],
        is_unclean: bool,
    ) -> Result<KafkaDir, ToolError> {
        let shown = dir.display();
        let entries = files.list(dir).map_err(|error| ToolError::Misuse(format!("{shown}: {error}")))?;
        if !is_unclean && !entries.iter().any(|entry| entry.name == CLEAN) {
            return Err(ToolError::Misuse(format!(
                "{shown}: there is no {CLEAN}: Kafka runs on this directory, or was killed, or this is not its log directory. \
                 Stop Kafka in order, or give --unclean to take what its files hold now"
            )));
        }
        let mut skipped = Vec::new();
        let mut partitions: BTreeMap<String, BTreeSet<i32>> = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.is_dir) {
            match partition_of(&entry.name) {
                Some((topic, number)) => drop(partitions.entry(topic.to_owned()).or_default().insert(number)),
                None => skipped.push((entry.name.clone(), "not a partition that is in use".to_owned())),
            }
        }
        let metadata = match entries.iter().any(|entry| entry.name == METADATA) {
            true => Some(Metadata::read(files, &dir.join(METADATA))?),
            false => {
                let why = "not there: settings of topics are not known, give them with --set".to_owned();
                skipped.push((METADATA.to_owned(), why));
                None
            }
        };
        let log_starts = read_log_starts(files, dir)?;
        let mut found = KafkaDir { topics: Vec::new(), skipped, log_starts };
        if let Some(missing) = wanted.iter().find(|wanted| !partitions.contains_key(*wanted)) {
            return Err(ToolError::Misuse(format!("{shown}: there is no partition of a topic {missing}")));
        }
        for (name, numbers) in partitions {
            if wanted.is_empty() || wanted.contains(&name) {
                found.topic(files, dir, name, &numbers, metadata.as_ref())?;
            }
        }
        Ok(found)
    }

    fn topic(
        &mut self,
        files: &mut Files,
        dir: &Path,
        name: String,
        numbers: &BTreeSet<i32>,
        metadata: Option<&Metadata>,
    ) -> Result<(), ToolError> {
        let refuse = |why: String| Err(ToolError::Failed(format!("{}: topic {name}: {why}", dir.display())));
        if INTERNAL.contains(&name.as_str()) {
            let why = "a topic of Kafka's own: groups and transactions begin anew".to_owned();
            self.skipped.push((name, why));
            return Ok(());
        }
        if let Err(bad) = topic_name::check(&name) {
            return refuse(bad.to_string());
        }
        let written_id = read_topic_id(files, dir, &name, numbers)?;
        let known = metadata.map(|metadata| metadata.topics.get(&name));
        let known = match known {
            Some(Some((id, _))) if written_id.is_some_and(|written| written != *id) => {
                return refuse("its directory belongs to a deleted topic of the same name".to_owned());
            }
            Some(None) => {
                self.skipped.push((name, "the metadata know no such topic: it was deleted".to_owned()));
                return Ok(());
            }
            Some(Some(known)) => Some(known),
            None => None,
        };
        let count = numbers.len() as i32;
        let told = known.map_or(count, |(_, numbers)| numbers.len() as i32);
        let all = told.max(numbers.last().map_or(0, |last| last.saturating_add(1)));
        if let Some(missing) = (0..all).find(|number| !numbers.contains(number)) {
            return refuse(format!(
                "partition {missing} is not in this directory: it lies on another disk or broker"
            ));
        }
        let settings =
            metadata.and_then(|metadata| metadata.settings.get(&name)).cloned().unwrap_or_default();
        let id = known.map(|(id, _)| *id).or(written_id);
        self.topics.push(KafkaTopic { name, id, partitions: count, settings });
        Ok(())
    }
}

/// The topic's id according to its partitions.
fn read_topic_id(
    files: &mut Files,
    dir: &Path,
    name: &str,
    numbers: &BTreeSet<i32>,
) -> Result<Option<Uuid>, ToolError> {
    let mut known = None;
    for number in numbers {
        let path = dir.join(format!("{name}-{number}")).join("partition.metadata");
        let Some(text) = read_text(files, &path)? else { continue };
        let refuse = |why: &str| ToolError::Failed(format!("{}: {why}", path.display()));
        let properties = properties::parse(&text).map_err(|error| refuse(&error.to_string()))?;
        let value =
            |key: &str| properties.iter().find(|property| property.key == key).map(|it| it.value.as_str());
        if value("version") != Some("0") {
            return Err(refuse("its version is not 0, which alone is known"));
        }
        let id = value("topic_id").and_then(|id| id.parse().ok());
        let id: Uuid = id.ok_or_else(|| refuse("it tells no topic id"))?;
        if known.is_some_and(|known| known != id) {
            return Err(refuse("the partitions of this topic tell different topic ids"));
        }
        known = Some(id);
    }
    Ok(known)
}

/// Reads `log-start-offset-checkpoint`: version, count, then `topic partition offset` a line.
fn read_log_starts(files: &mut Files, dir: &Path) -> Result<LogStarts, ToolError> {
    let path = dir.join(LOG_STARTS);
    let Some(text) = read_text(files, &path)? else { return Ok(LogStarts::new()) };
    let refuse = |why: String| ToolError::Failed(format!("{}: {why}", path.display()));
    let mut lines = text.lines();
    if lines.next() != Some("0") {
        return Err(refuse("its version is not 0, which alone is known".to_owned()));
    }
    let count: usize = lines.next().and_then(|count| count.parse().ok()).unwrap_or(usize::MAX);
    let mut starts = LogStarts::new();
    for line in lines {
        let mut words = line.split(' ');
        let parsed = (|| {
            let (topic, partition, offset) =
                (words.next()?, words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            Some(((topic.to_owned(), partition), Offset(offset)))
        })();
        let (partition, offset) =
            parsed.ok_or_else(|| refuse(format!("not a topic, a partition and an offset: {line}")))?;
        starts.insert(partition, offset);
    }
    if starts.len() == count {
        Ok(starts)
    } else {
        Err(refuse("it does not hold as many lines as it says".to_owned()))
    }
}

fn read_text(files: &mut Files, path: &Path) -> Result<Option<String>, ToolError> {
    let bytes = files.read_file(path, TEXT_LEN_MAX).map_err(|error| failed(path, &error))?;
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|_| ToolError::Failed(format!("{}: it is no text", path.display())))
}

fn failed(path: &Path, error: &IoError) -> ToolError {
    ToolError::Failed(format!("{}: {error}", path.display()))
}

impl Metadata {
    /// Reads the newest snapshot and the segments from there on.
    fn read(files: &mut Files, dir: &Path) -> Result<Metadata, ToolError> {
        let entries = files.list(dir).map_err(|error| failed(dir, &error))?;
        let offset_in = |name: &str| name.get(..20).and_then(|number| number.parse::<i64>().ok());
        let ending_with = |ending: &str| {
            let names = entries.iter().map(|entry| entry.name.as_str());
            let named: Vec<&str> =
                names.filter(|name| name.ends_with(ending) && offset_in(name).is_some()).collect();
            named
        };
        let mut metadata = Metadata::default();
        let snapshot = ending_with(".checkpoint").last().copied();
        let covered = snapshot.and_then(offset_in).unwrap_or(0);
        if let Some(name) = snapshot {
            metadata.read_file(files, &dir.join(name), 0, i64::MIN)?;
        }
        for name in ending_with(".log") {
            let base = offset_in(name).unwrap_or(0);
            metadata.read_file(files, &dir.join(name), base, covered)?;
        }
        Ok(metadata)
    }

    /// Reads a file of batches that begins at offset `base`; records before `covered` are known already.
    fn read_file(
        &mut self,
        files: &mut Files,
        path: &Path,
        base: i64,
        covered: i64,
    ) -> Result<(), ToolError> {
        let file = files.open(path, OpenMode::Read).map_err(|error| failed(path, &error))?;
        let read = files.len(file).map_err(|error| failed(path, &error)).and_then(|len| {
            let mut walk = BatchWalk::new(files, file, len, Offset(base));
            self.read_batches(&mut walk, path, covered)
        });
        files.close(file);
        read
    }

    fn read_batches(&mut self, walk: &mut BatchWalk<'_>, path: &Path, covered: i64) -> Result<(), ToolError> {
        let refuse = |position: u64, why: &str| {
            ToolError::Failed(format!("{} at byte {position}: {why}", path.display()))
        };
        while let Some(step) = walk.step().map_err(|error| failed(path, &error))? {
            let (position, header, size) = match step {
                Step::Broken { position, fault } => return Err(refuse(position, &fault.to_string())),
                Step::Batch { position, has_right_crc: false, .. } => {
                    return Err(refuse(position, "a batch fails its checksum"));
                }
                Step::Batch { position, header, size, .. } => (position, header, size),
            };
            if header.attributes.is_control() || header.last_offset().0 < covered {
                continue;
            }
            if size > BATCH_LEN_MAX {
                return Err(refuse(position, "a batch of metadata cannot be so large"));
            }
            let bytes = walk.copy_at(position, size as usize).map_err(|error| failed(path, &error))?;
            let codec = header.attributes.codec().ok_or_else(|| refuse(position, "an unknown codec"))?;
            let codec = if bytes.len() <= HEADER_LEN { Codec::None } else { codec };
            let mut records =
                RecordStream::new(codec, bytes.get(HEADER_LEN..).unwrap_or_default(), BATCH_LEN_MAX as usize)
                    .map_err(|fault| refuse(position, &fault.to_string()))?;
            while let Some(record) = records.next().map_err(|fault| refuse(position, &fault.to_string()))? {
                if header.base_offset.0.saturating_add(record.offset_delta.into()) < covered {
                    continue;
                }
                let value = record.value.unwrap_or_default();
                match MetadataRecord::decode(&mut Decoder::new(value)) {
                    Ok(Some(record)) => self.apply(&record),
                    Ok(None) => {
                        return Err(refuse(position, "a metadata record of a type that is not known"));
                    }
                    Err(error) => {
                        return Err(refuse(position, &format!("a metadata record is damaged: {error}")));
                    }
                }
            }
        }
        Ok(())
    }

    fn apply(&mut self, record: &MetadataRecord<'_>) {
        match record {
            MetadataRecord::Topic(topic) => {
                self.names.insert(topic.topic_id, topic.name.to_owned());
                self.topics.insert(topic.name.to_owned(), (topic.topic_id, BTreeSet::new()));
            }
            MetadataRecord::Partition(partition) => {
                let name = self.names.get(&partition.topic_id);
                if let Some((_, numbers)) = name.and_then(|name| self.topics.get_mut(name)) {
                    numbers.insert(partition.partition_id);
                }
            }
            MetadataRecord::Config(config) if config.resource_type == TOPIC_RESOURCE => {
                let settings = self.settings.entry(config.resource_name.to_owned()).or_default();
                match config.value {
                    Some(value) => drop(settings.insert(config.name.to_owned(), value.to_owned())),
                    None => drop(settings.remove(config.name)),
                }
            }
            MetadataRecord::RemoveTopic(topic) => {
                if let Some(name) = self.names.remove(&topic.topic_id) {
                    self.topics.remove(&name);
                    self.settings.remove(&name);
                }
            }
            // Brokers, features, producers, access: not a topic's.
            _ => {}
        }
    }
}
