//! Which core of this node owns which partition: an explicit, balanced map in a local file, never a function of the name.
//!
//! ```text
//! ringlog-placement 1
//! <topic id> <partition> <core>
//! …
//! ```
//! The file is a convenience: it keeps partitions where they are across restarts with the same number of cores. No other
//! file depends on it; with another number of cores partitions are moved until all have about as many, and a lost or
//! damaged file places all anew.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use protocol::Uuid;
use shard::{Disk, FileId, IoError, OpenMode, ShardId};

use quorum::OpenError;

/// The file within the data directory.
pub const FILE: &str = "ringlog-placement";

/// What the file's first line must be.
const HEAD: &str = "ringlog-placement 1\n";

/// What the first line of any version begins with.
const HEAD_START: &str = "ringlog-placement ";

/// A placement file is read up to this many bytes.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// The map, and the file that it is written to.
#[derive(Debug)]
pub struct Placement {
    homes: HashMap<(Uuid, i32), ShardId>,
    /// Partitions of each core.
    counts: Vec<usize>,
    path: PathBuf,
    file: Option<FileId>,
    len: u64,
}

impl Placement {
    /// Reads the map for `core_count` cores. Lines that make no sense, or name a core that is not there, are left out.
    pub fn open(disk: &mut dyn Disk, data_dir: &Path, core_count: u16) -> Result<Placement, IoError> {
        let path = data_dir.join(FILE);
        let bytes = disk.read_file(&path, FILE_BYTES_MAX)?.unwrap_or_default();
        let mut placement = Placement {
            homes: HashMap::new(),
            counts: vec![0; usize::from(core_count)],
            path,
            file: None,
            len: 0,
        };
        let text = String::from_utf8_lossy(&bytes);
        for line in text.strip_prefix(HEAD).unwrap_or_default().lines() {
            if let Some((topic_id, partition, home)) =
                parse_line(line).filter(|(_, _, home)| home.0 < core_count)
            {
                placement.set((topic_id, partition), home);
            }
        }
        Ok(placement)
    }

    /// The home of a partition; chosen now if it has none: the core with the fewest partitions.
    pub fn home_of(&mut self, topic_id: Uuid, partition: i32) -> ShardId {
        if let Some(home) = self.homes.get(&(topic_id, partition)) {
            return *home;
        }
        let fewest = (0..self.counts.len()).min_by_key(|&core| self.counts[core]).unwrap_or(0);
        let home = ShardId(fewest as u16);
        self.set((topic_id, partition), home);
        home
    }

    fn set(&mut self, partition: (Uuid, i32), home: ShardId) {
        self.counts[usize::from(home.0)] += 1;
        if let Some(before) = self.homes.insert(partition, home) {
            self.counts[usize::from(before.0)] -= 1;
        }
    }

    /// Forgets all partitions but these.
    pub fn keep_only(&mut self, partitions: &[(Uuid, i32)]) {
        let known: HashSet<&(Uuid, i32)> = partitions.iter().collect();
        let counts = &mut self.counts;
        self.homes.retain(|partition, home| {
            let is_known = known.contains(partition);
            counts[usize::from(home.0)] -= usize::from(!is_known);
            is_known
        });
    }

    /// Moves partitions from full cores to empty ones until the counts differ by one at most. Only before any is open.
    pub fn balance(&mut self) {
        let mut partitions: Vec<(Uuid, i32)> = self.homes.keys().copied().collect();
        partitions.sort_unstable();
        for partition in partitions {
            let home = self.homes[&partition];
            let fewest = (0..self.counts.len()).min_by_key(|&core| self.counts[core]).unwrap_or(0);
            if self.counts[usize::from(home.0)] > self.counts[fewest] + 1 {
                self.set(partition, ShardId(fewest as u16));
            }
        }
    }

    /// Forgets a topic's partitions.
    pub fn forget(&mut self, topic_id: Uuid, partition_count: usize) {
        for partition in 0..partition_count as i32 {
            if let Some(home) = self.homes.remove(&(topic_id, partition)) {
                self.counts[usize::from(home.0)] -= 1;
            }
        }
    }

    /// Writes the whole map.
    pub fn save(&mut self, disk: &mut dyn Disk) -> Result<(), IoError> {
        let mut lines: Vec<String> =
            self.homes.iter().map(|(&partition, &home)| line_of(partition, home)).collect();
        lines.sort_unstable();
        let text = HEAD.to_owned() + &lines.concat();
        if let Some(file) = self.file.take() {
            disk.close(file);
        }
        disk.replace_file(&self.path, text.as_bytes())?;
        self.file = Some(disk.open(&self.path, OpenMode::Write)?);
        self.len = text.len() as u64;
        Ok(())
    }

    /// Adds partitions to the file. Not synced: losing a line costs nothing but a partition's familiar core.
    pub fn append(&mut self, disk: &mut dyn Disk, partitions: &[(Uuid, i32)]) -> Result<(), IoError> {
        let Some(file) = self.file else { return self.save(disk) };
        let lines = partitions.iter().filter_map(|key| self.homes.get(key).map(|&home| line_of(*key, home)));
        let text: String = lines.collect();
        disk.write_at(file, self.len, text.as_bytes())?;
        self.len += text.len() as u64;
        Ok(())
    }
}

/// Refuses a file of a version that is not known, and changes nothing. A damaged file only costs familiar cores.
pub fn check_version(disk: &mut dyn Disk, data_dir: &Path) -> Result<(), OpenError> {
    let path = data_dir.join(FILE);
    let bytes = disk.read_file(&path, FILE_BYTES_MAX).map_err(|error| OpenError::Io(path.clone(), error))?;
    let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default());
    let head = text.split_inclusive('\n').next().unwrap_or_default();
    let version = head.strip_prefix(HEAD_START).and_then(|rest| rest.trim_end().parse::<u32>().ok());
    if version.is_some() && head != HEAD {
        return Err(OpenError::UnknownVersion(path));
    }
    Ok(())
}

/// What a placement file says, a partition a line: its topic, its number and its core.
pub fn lines_of(bytes: &[u8]) -> Option<impl Iterator<Item = (Uuid, i32, ShardId)>> {
    let text = std::str::from_utf8(bytes).ok()?.strip_prefix(HEAD)?;
    Some(text.lines().filter_map(parse_line))
}

fn line_of((topic_id, partition): (Uuid, i32), home: ShardId) -> String {
    format!("{topic_id} {partition} {}\n", home.0)
}

fn parse_line(line: &str) -> Option<(Uuid, i32, ShardId)> {
    let mut words = line.split(' ');
    let topic_id = words.next()?.parse().ok()?;
    let partition = words.next()?.parse().ok().filter(|&partition| partition >= 0)?;
    let home = ShardId(words.next()?.parse().ok()?);
    words.next().is_none().then_some((topic_id, partition, home))
}

#[cfg(test)]
mod tests {
    use shard::Io;
    use shard::memory::World;

    use super::*;

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    #[test]
    fn partitions_spread_evenly_and_stay_where_they_are() {
        let world = World::new(1);
        let mut io = world.io();
        io.disk().create_dir(Path::new("/d")).unwrap();
        let mut placement = Placement::open(io.disk(), Path::new("/d"), 2).unwrap();
        let homes: Vec<u16> = (0..6).map(|partition| placement.home_of(id(1), partition).0).collect();
        assert_eq!(homes.iter().filter(|&&home| home == 0).count(), 3);
        placement.append(io.disk(), &(0..6).map(|p| (id(1), p)).collect::<Vec<_>>()).unwrap();
        let mut again = Placement::open(io.disk(), Path::new("/d"), 2).unwrap();
        let same: Vec<u16> = (0..6).rev().map(|partition| again.home_of(id(1), partition).0).collect();
        assert!(homes.iter().rev().eq(&same));
    }

    #[test]
    fn more_cores_take_their_share() {
        let world = World::new(1);
        let mut io = world.io();
        io.disk().create_dir(Path::new("/d")).unwrap();
        let mut placement = Placement::open(io.disk(), Path::new("/d"), 1).unwrap();
        for partition in 0..9 {
            placement.home_of(id(1), partition);
        }
        placement.save(io.disk()).unwrap();
        let mut more = Placement::open(io.disk(), Path::new("/d"), 3).unwrap();
        more.balance();
        assert_eq!(more.counts, [3, 3, 3]);
    }

    #[test]
    fn fewer_cores_take_the_homeless_in_and_a_damaged_file_places_all() {
        let world = World::new(1);
        let mut io = world.io();
        io.disk().create_dir(Path::new("/d")).unwrap();
        let mut placement = Placement::open(io.disk(), Path::new("/d"), 4).unwrap();
        for partition in 0..8 {
            placement.home_of(id(1), partition);
        }
        placement.save(io.disk()).unwrap();
        let mut fewer = Placement::open(io.disk(), Path::new("/d"), 2).unwrap();
        let homes: Vec<u16> = (0..8).map(|partition| fewer.home_of(id(1), partition).0).collect();
        assert_eq!(homes.iter().filter(|&&home| home == 0).count(), 4);
        io.disk().replace_file(Path::new("/d/ringlog-placement"), b"\xff\xff nonsense").unwrap();
        assert_eq!(Placement::open(io.disk(), Path::new("/d"), 2).unwrap().home_of(id(1), 0), ShardId(0));
    }
}
