//! Makes faults come about in the world, and go away again.

use std::net::IpAddr;
use std::path::PathBuf;

use shard::WallMs;
use shard::memory::{Link, World};

use super::{Direction, Far, Fault, Kind};
use crate::event::Down;
use crate::node::{Node, address_of, address_of_client};

/// What ends a fault that lasts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Healing {
    /// Links between the node and these addresses are as they should be.
    Links(Vec<IpAddr>),
    /// The node's disk works again.
    Disk,
    /// The node's disk works again, and the node is started anew on so many shards.
    DiskAndRestart(u16),
    /// Connections are not reset any more.
    Resets,
}

/// How a node that is to go down at some change of its disk will go down then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doom {
    /// How.
    pub how: Down,
    /// For how long, ms.
    pub down_ms: i64,
    /// On how many shards it comes up.
    pub shards: u16,
    /// So many changes of its disk after it began to come up it goes down once more.
    pub again_after_changes: Option<u64>,
}

/// What a fault leaves to be done later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Aftermath {
    /// Nothing.
    None,
    /// It is over after so many ms.
    Heals(u64, Healing),
    /// The node goes down at once.
    GoesDown(Doom),
    /// The node will go down.
    Doomed(Doom),
}

/// Who is around the node that a fault strikes.
#[derive(Debug, Clone, Copy)]
pub struct Around {
    /// How many clients there may be.
    pub clients: usize,
    /// How many nodes there are.
    pub nodes: usize,
}

impl Around {
    /// The addresses at the far end of a node's links.
    fn addresses(self, node: usize, far: Far) -> Vec<IpAddr> {
        match far {
            Far::Client(client) => vec![address_of_client(client)],
            Far::Clients => (0..self.clients).map(address_of_client).collect(),
            Far::Peer(peer) => vec![address_of(peer).ip()],
            Far::Peers => {
                let others = (0..self.nodes).filter(|other| *other != node);
                others.map(|other| address_of(other).ip()).collect()
            }
        }
    }
}

impl Fault {
    /// Makes it come about.
    pub fn apply(&self, node: &mut Node, around: Around) -> Aftermath {
        let world = node.world().clone();
        match self.kind {
            Kind::Crash { how, after_changes, again_after_changes, down_ms, shards } if node.is_up() => {
                let doom = Doom { how, down_ms: down_ms as i64, shards, again_after_changes };
                if let Some(changes) = after_changes {
                    world.doom(changes);
                    return Aftermath::Doomed(doom);
                }
                Aftermath::GoesDown(doom)
            }
            Kind::Restart { down_ms, shards } if node.is_up() => {
                node.stop(shards, down_ms as i64);
                Aftermath::None
            }
            // It is down already.
            Kind::Crash { .. } | Kind::Restart { .. } => Aftermath::None,
            Kind::Pause { ms } => {
                node.pause(ms as i64);
                Aftermath::None
            }
            Kind::Cut { far, direction, ms } => {
                let cut = around.addresses(self.node, far);
                let end = |link: &mut Link| link.is_cut = true;
                cut.iter().for_each(|other| set_links(&world, self.node, *other, direction, end));
                Aftermath::Heals(ms, Healing::Links(cut))
            }
            Kind::SlowLinks { far, delay_ms_max, ms } => {
                let slow = around.addresses(self.node, far);
                let delay = |link: &mut Link| link.delay_ns_max = delay_ms_max * 1_000_000;
                slow.iter().for_each(|other| set_links(&world, self.node, *other, Direction::Both, delay));
                Aftermath::Heals(ms, Healing::Links(slow))
            }
            Kind::Resets { percent, ms } => {
                let mut faults = world.faults();
                faults.reset_percent = percent;
                world.set_faults(faults);
                Aftermath::Heals(ms, Healing::Resets)
            }
            Kind::SlowDisk { .. }
            | Kind::ShortWrites { .. }
            | Kind::FailingDisk { .. }
            | Kind::FullDisk { .. } => self.apply_to_disk(&world),
            Kind::FlipBit { file, bit } => {
                if let Some((path, len)) = brittle_file(&world, file).filter(|(_, len)| *len > 0) {
                    world.flip_bit(&path, bit % (len * 8));
                }
                Aftermath::None
            }
            Kind::Misdirect { file } => {
                if let Some((path, _)) = brittle_file(&world, file) {
                    world.misdirect_next_write(&path);
                }
                Aftermath::None
            }
            Kind::ClockStep { by_ms } => {
                world.set_wall_ms(WallMs(world.wall_ms().0 + by_ms));
                Aftermath::None
            }
        }
    }

    fn apply_to_disk(&self, world: &World) -> Aftermath {
        let mut faults = world.faults();
        let aftermath = match self.kind {
            Kind::SlowDisk { latency_ms_max, ms } => {
                faults.disk_latency_ns_max = latency_ms_max * 1_000_000;
                Aftermath::Heals(ms, Healing::Disk)
            }
            Kind::ShortWrites { percent, ms } => {
                faults.short_write_percent = percent;
                Aftermath::Heals(ms, Healing::Disk)
            }
            Kind::FailingDisk { writes, syncs, reads, ms, shards } => {
                faults.failed_write_percent = writes;
                faults.failed_sync_percent = syncs;
                faults.failed_read_percent = reads;
                Aftermath::Heals(ms, Healing::DiskAndRestart(shards))
            }
            Kind::FullDisk { bytes_left, ms, shards } => {
                faults.disk_bytes_max = Some(world.used_bytes() + bytes_left);
                Aftermath::Heals(ms, Healing::DiskAndRestart(shards))
            }
            _ => unreachable!("only faults of the disk come here"),
        };
        world.set_faults(faults);
        aftermath
    }
}

impl Healing {
    /// Ends what went wrong; how the node went down for it, if it did.
    pub fn apply(&self, node: &mut Node, number: usize) -> Option<Down> {
        let world = node.world().clone();
        let mut faults = world.faults();
        match self {
            Healing::Links(others) => {
                for other in others {
                    set_links(&world, number, *other, Direction::Both, |link| *link = sound_link());
                }
            }
            Healing::Resets => faults.reset_percent = 0,
            Healing::Disk | Healing::DiskAndRestart(_) => {
                faults = shard::memory::Faults { reset_percent: faults.reset_percent, ..sound_machine() };
            }
        }
        world.set_faults(faults);
        match self {
            Healing::DiskAndRestart(shards) if node.is_up() => {
                node.end(Down::Killed, *shards, 0);
                Some(Down::Killed)
            }
            _ => None,
        }
    }
}

/// A file of the topic that may be damaged, and its length in bytes. The last one, which is written to, comes up most often.
fn brittle_file(world: &World, number: u64) -> Option<(PathBuf, u64)> {
    let is_meant = |path: &PathBuf| path.parent().is_some_and(|dir| dir.ends_with("brittle-0"));
    let files: Vec<PathBuf> = world.paths().into_iter().filter(is_meant).collect();
    let logs: Vec<&PathBuf> =
        files.iter().filter(|path| path.extension().is_some_and(|it| it == "log")).collect();
    let path = match number % 3 {
        0 => files.get((number / 3) as usize % files.len().max(1))?,
        1 => logs.get((number / 3) as usize % logs.len().max(1))?,
        _ => logs.last()?,
    };
    Some((path.clone(), world.file(path)?.len() as u64))
}

/// A machine in which nothing goes wrong: its disk and its sockets take a little time.
pub fn sound_machine() -> shard::memory::Faults {
    shard::memory::Faults {
        latency_ns_max: 30_000,
        disk_latency_ns_max: 300_000,
        ..shard::memory::Faults::default()
    }
}

/// A link on which nothing goes wrong.
pub fn sound_link() -> Link {
    Link { delay_ns_max: 150_000, ..Link::default() }
}

/// Changes what lies between a node and another address.
pub fn set_links(
    world: &World,
    node: usize,
    other: IpAddr,
    direction: Direction,
    change: impl Fn(&mut Link),
) {
    let node = address_of(node).ip();
    for (from, to, is_meant) in
        [(other, node, direction != Direction::Outward), (node, other, direction != Direction::Inward)]
    {
        if is_meant {
            let mut link = world.link(from, to);
            change(&mut link);
            world.set_link(from, to, link);
        }
    }
}
