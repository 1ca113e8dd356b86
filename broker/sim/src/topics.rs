//! The topics of every run: what they promise, and the settings that make them go through all of storage in a few seconds.

use std::fmt;

/// A topic that is there in every run.
#[derive(Debug)]
pub struct Topic {
    /// Its name.
    pub name: &'static str,
    /// How many partitions it has.
    pub partitions: i32,
    /// Whether nothing that a reader has seen may be lost with the power.
    pub survives_power: bool,
    /// Its settings.
    pub settings: &'static [(&'static str, &'static str)],
}

/// Small segments, so that a run rolls, seals and syncs many of them.
const SMALL: (&str, &str) = ("internal.segment.bytes", "6000");

/// Written with acks=all alone: all of it survives everything.
pub static DURABLE: Topic =
    Topic { name: "durable", partitions: 2, survives_power: true, settings: &[SMALL] };

/// Written with acks=all and with acks=1 in turns.
pub static MIXED: Topic = Topic { name: "mixed", partitions: 1, survives_power: false, settings: &[SMALL] };

/// In the page cache only, whatever is asked for.
pub static CACHED: Topic = Topic {
    name: "cached",
    partitions: 1,
    survives_power: false,
    settings: &[SMALL, ("ringlog.durability", "os")],
};

/// Written in transactions.
pub static TRANSACTED: Topic =
    Topic { name: "transacted", partitions: 3, survives_power: true, settings: &[SMALL] };

/// What the group reads. Nobody writes to it: it is there to be given out.
pub static SHARED: Topic = Topic { name: "shared", partitions: 4, survives_power: true, settings: &[] };

/// The only one whose files are damaged. Nothing is promised of it, but that what happens to it harms nothing else.
pub static BRITTLE: Topic =
    Topic { name: "brittle", partitions: 1, survives_power: false, settings: &[SMALL] };

/// All of them.
pub static ALL: [&Topic; 6] = [&DURABLE, &MIXED, &CACHED, &TRANSACTED, &SHARED, &BRITTLE];

/// Those that are written to, and of which something is promised.
pub static WRITTEN: [&Topic; 4] = [&DURABLE, &MIXED, &CACHED, &TRANSACTED];

/// A partition of one of them.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The topic.
    pub topic: &'static Topic,
    /// The partition's number.
    pub partition: i32,
}

impl Topic {
    /// Its partitions.
    pub fn places(&'static self) -> impl Iterator<Item = Place> {
        (0..self.partitions).map(move |partition| Place { topic: self, partition })
    }

    /// One of its partitions, if it has that one.
    pub fn place(&'static self, partition: i32) -> Option<Place> {
        self.places().find(|place| place.partition == partition)
    }
}

impl Place {
    /// Whether anything is promised of it.
    pub fn is_promised(&self) -> bool {
        self.topic.name != BRITTLE.name
    }

    /// What tells it from all others.
    fn key(&self) -> (&'static str, i32) {
        (self.topic.name, self.partition)
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Place) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Place {}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Place) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Place) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl std::hash::Hash for Place {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.topic.name, self.partition)
    }
}
