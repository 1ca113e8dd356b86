//! What the cores have told, put together: an immutable picture that any number of readers may turn into text.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use protocol::Uuid;
use shard::ShardId;
use storage::Offset;
use tokio::time::Instant;

use crate::groups::facts::GroupFacts;
use crate::mail::PartitionId;
use crate::metadata::{Image, Topic};
use crate::partition::facts::{Lag, LogState, PartitionCounts, PartitionFacts};
use crate::report::{CoreFacts, GroupSlice};

/// How much is told one by one.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// With more partitions than this there are sums of topics alone.
    pub partitions_max: usize,
    /// Topics beyond are left out, by name.
    pub topics_max: usize,
    /// Groups beyond are left out, on each core.
    pub groups_max: usize,
    /// Groups are left out whose committed offsets, with those of the others on the core, would be more.
    pub group_partitions_max: usize,
}

/// A partition.
#[derive(Debug)]
pub struct PartitionRow {
    /// Of which topic.
    pub topic: Arc<Topic>,
    /// What its home has told.
    pub facts: PartitionFacts,
}

/// A topic: its partitions added up.
#[derive(Debug, Clone, Copy, Default)]
pub struct TopicSums {
    /// Partitions that have told.
    pub partition_count: u64,
    /// Those of them that are out of reach.
    pub offline_count: u64,
    /// Bytes in their segments.
    pub size_bytes: u64,
    /// What was counted.
    pub counts: PartitionCounts,
}

impl TopicSums {
    fn add(&mut self, other: &TopicSums) {
        self.partition_count += other.partition_count;
        self.offline_count += other.offline_count;
        self.size_bytes += other.size_bytes;
        self.counts.add(&other.counts);
    }
}

/// A topic by its name, which gives the order, and its id: one of the same name may have been made anew.
type TopicKey = (Arc<str>, Uuid);

/// How many logs are at hand in which way.
#[derive(Debug, Clone, Copy, Default)]
pub struct LogStates {
    /// Open.
    pub open: u64,
    /// Closed.
    pub closed: u64,
    /// Out of reach.
    pub offline: u64,
}

/// What one core has told, whole.
#[derive(Debug)]
pub struct CoreAnswer {
    /// When it was whole.
    pub at: Instant,
    /// All that there is one of.
    pub facts: CoreFacts,
    partitions: Vec<PartitionRow>,
    topics: BTreeMap<TopicKey, TopicSums>,
    /// Its logs.
    pub logs: LogStates,
    groups: GroupSlice,
}

/// What one core has told so far.
#[derive(Debug)]
pub struct Building {
    limits: Limits,
    /// Whether partitions are told one by one, once their number is known.
    has_rows: Option<bool>,
    partitions: Vec<PartitionRow>,
    topics: BTreeMap<TopicKey, TopicSums>,
    logs: LogStates,
    groups: GroupSlice,
}

/// How many partitions there are.
fn partition_count(image: &Image) -> usize {
    image.topics().map(|topic| topic.partitions.len()).sum()
}

impl Building {
    pub fn new(limits: Limits) -> Building {
        Building {
            limits,
            has_rows: None,
            partitions: Vec::new(),
            topics: BTreeMap::new(),
            logs: LogStates::default(),
            groups: GroupSlice::default(),
        }
    }

    pub fn add_partitions(&mut self, image: &Image, partitions: &[PartitionFacts]) {
        let partitions_max = self.limits.partitions_max;
        let has_rows = *self.has_rows.get_or_insert_with(|| partition_count(image) <= partitions_max);
        for facts in partitions {
            let Some(topic) = image.topic_by_id(facts.id.topic_id) else { continue };
            let is_offline = facts.state == LogState::Offline;
            *match facts.state {
                LogState::Open => &mut self.logs.open,
                LogState::Closed => &mut self.logs.closed,
                LogState::Offline => &mut self.logs.offline,
            } += 1;
            self.topics.entry((Arc::clone(&topic.name), topic.id)).or_default().add(&TopicSums {
                partition_count: 1,
                offline_count: u64::from(is_offline),
                size_bytes: facts.log.map_or(0, |log| log.size_bytes),
                counts: facts.counts,
            });
            if has_rows {
                self.partitions.push(PartitionRow { topic: Arc::clone(topic), facts: *facts });
            }
        }
    }

    pub fn add_groups(&mut self, slice: GroupSlice) {
        self.groups.groups.extend(slice.groups);
        for (of, count) in slice.states {
            *self.groups.states.entry(of).or_default() += count;
        }
        self.groups.groups_left_out += slice.groups_left_out;
        self.groups.offsets_left_out += slice.offsets_left_out;
    }

    pub fn finish(self, facts: CoreFacts) -> CoreAnswer {
        let Building { partitions, topics, logs, groups, .. } = self;
        CoreAnswer { at: Instant::now(), facts, partitions, topics, logs, groups }
    }
}

/// A group that stands at an offset of a partition.
#[derive(Debug, Clone)]
pub struct Reader {
    /// Which group.
    pub group: Arc<str>,
    /// Which topic, by its name.
    pub topic: Arc<str>,
    /// Which partition.
    pub partition: PartitionId,
    /// What it has committed.
    pub offset: Offset,
    /// How far behind it is, once that was told.
    pub lag: Option<Lag>,
}

/// All readers, by the home of what they read. What was committed in a topic that was since made anew does not count.
pub fn readers_of(answers: &[Option<Arc<CoreAnswer>>], core_count: usize) -> Vec<Vec<Reader>> {
    let mut readers: Vec<Vec<Reader>> = (0..core_count).map(|_| Vec::new()).collect();
    for answer in answers.iter().flatten() {
        let image = &answer.facts.image;
        for group in &answer.groups.groups {
            for committed in &group.committed {
                let Some(topic) = image.topic(&committed.topic) else { continue };
                let is_same = committed.topic_id.is_zero() || committed.topic_id == topic.id;
                let Some(meta) = topic.partition(committed.partition).filter(|_| is_same) else { continue };
                let Some(home) = readers.get_mut(usize::from(meta.home.0)) else { continue };
                home.push(Reader {
                    group: Arc::clone(&group.group),
                    topic: Arc::clone(&topic.name),
                    partition: PartitionId { topic_id: topic.id, partition: committed.partition },
                    offset: Offset(committed.offset),
                    lag: None,
                });
            }
        }
    }
    readers
}

/// A group: what it is, and its lag added up.
#[derive(Debug)]
pub struct GroupRow {
    /// Its name.
    pub group: Arc<str>,
    /// Its type and state.
    pub state: (&'static str, &'static str),
    /// How many members it has.
    pub member_count: usize,
    /// Its generation or epoch.
    pub generation: i32,
    /// Records that it is behind, in all of its partitions; `None` if no lag is known.
    pub lag_records: Option<u64>,
    /// The largest of its lags, ms; `None` if none is known.
    pub lag_ms: Option<i64>,
}

/// Everything, at one moment.
#[derive(Debug)]
pub struct Snapshot {
    /// What each core has told last; `None` if it never has.
    pub cores: Vec<(ShardId, Option<Arc<CoreAnswer>>)>,
    /// Whether each of them owes an answer.
    pub silent: Vec<bool>,
    /// Topics, by name.
    pub topics: Vec<(Arc<str>, TopicSums)>,
    /// Topics that are not among these.
    pub topics_left_out: u64,
    /// Partitions that are told one by one, as places in what their core has told.
    rows: Vec<(usize, usize)>,
    /// Those that are not.
    pub partitions_left_out: u64,
    /// Groups by type and state.
    pub group_states: BTreeMap<(&'static str, &'static str), u64>,
    /// Groups.
    pub groups: Vec<GroupRow>,
    /// Groups that are not among these, or whose offsets are not.
    pub groups_left_out: u64,
    /// What groups have committed, and their lag.
    pub readers: Vec<Reader>,
}

impl Snapshot {
    pub fn of(
        answers: Vec<Option<Arc<CoreAnswer>>>,
        silent: Vec<bool>,
        readers: &[Reader],
        limits: Limits,
    ) -> Snapshot {
        let told = || answers.iter().flatten();
        // The cores have told of different moments: a topic that is gone, or made anew, in the newest would be there twice.
        let newest = told().map(|answer| &answer.facts.image).max_by_key(|image| image.version);
        let is_there = |id: Uuid| newest.is_some_and(|image| image.topic_by_id(id).is_some());
        let mut sums: BTreeMap<Arc<str>, TopicSums> = BTreeMap::new();
        for ((name, id), one) in told().flat_map(|answer| &answer.topics) {
            if is_there(*id) {
                sums.entry(Arc::clone(name)).or_default().add(one);
            }
        }
        let rows = rows_of(&answers, is_there);
        let topics_left_out = sums.len().saturating_sub(limits.topics_max) as u64;
        let counted: u64 = sums.values().map(|sums| sums.partition_count).sum();
        let mut group_states = BTreeMap::new();
        for (of, count) in told().flat_map(|answer| &answer.groups.states) {
            *group_states.entry(*of).or_default() += count;
        }
        let left_out =
            |answer: &Arc<CoreAnswer>| answer.groups.groups_left_out + answer.groups.offsets_left_out;
        let all: Vec<&GroupFacts> = told().flat_map(|answer| &answer.groups.groups).collect();
        let groups_left_out = told().map(left_out).sum();
        Snapshot {
            topics: sums.into_iter().take(limits.topics_max).collect(),
            topics_left_out,
            partitions_left_out: counted.saturating_sub(rows.len() as u64),
            rows,
            group_states,
            groups: group_rows(&all, readers),
            groups_left_out,
            readers: readers.to_vec(),
            cores: answers.into_iter().zip(0..).map(|(answer, core)| (ShardId(core), answer)).collect(),
            silent,
        }
    }

    /// What the cores have told last.
    pub fn told(&self) -> impl Iterator<Item = (ShardId, &CoreAnswer)> {
        self.cores.iter().filter_map(|(core, answer)| Some((*core, answer.as_deref()?)))
    }

    /// How many partitions are told one by one.
    pub fn partition_row_count(&self) -> usize {
        self.rows.len()
    }

    /// The partition in that place among all that are told one by one.
    pub fn partition_row(&self, place: usize) -> Option<&PartitionRow> {
        let (core, place) = *self.rows.get(place)?;
        self.cores.get(core)?.1.as_ref()?.partitions.get(place)
    }
}

/// Where the partitions stand that are told one by one: core and place there.
fn rows_of(answers: &[Option<Arc<CoreAnswer>>], is_there: impl Fn(Uuid) -> bool) -> Vec<(usize, usize)> {
    let mut rows = Vec::new();
    for (core, answer) in answers.iter().enumerate() {
        let partitions = answer.iter().flat_map(|answer| &answer.partitions).enumerate();
        let kept = partitions.filter(|(_, row)| is_there(row.topic.id));
        rows.extend(kept.map(|(place, _)| (core, place)));
    }
    rows
}

fn group_rows(groups: &[&GroupFacts], readers: &[Reader]) -> Vec<GroupRow> {
    let mut lags: HashMap<&str, (u64, Option<i64>)> = HashMap::new();
    for (reader, lag) in readers.iter().filter_map(|reader| Some((reader, reader.lag?))) {
        let (records, age_ms) = lags.entry(&reader.group).or_default();
        *records = records.saturating_add(lag.records);
        *age_ms = (*age_ms).max(lag.age_ms);
    }
    let row = |facts: &&GroupFacts| {
        let lag = lags.get(&*facts.group);
        GroupRow {
            group: Arc::clone(&facts.group),
            state: (facts.kind, facts.state),
            member_count: facts.member_count,
            generation: facts.generation,
            lag_records: lag.map(|(records, _)| *records),
            lag_ms: lag.and_then(|(_, age_ms)| *age_ms),
        }
    };
    groups.iter().map(row).collect()
}

#[cfg(test)]
#[path = "snapshot/tests.rs"]
mod tests;
