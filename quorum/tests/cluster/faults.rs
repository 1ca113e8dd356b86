//! What goes wrong, drawn tick by tick.

use shard::memory::{Crash, Faults};

use crate::world::{Cluster, Weather, voter};

/// How much goes wrong in a run.
#[derive(Clone, Copy)]
pub struct Plan {
    pub founders: i32,
    pub others: i32,
    pub ticks: u64,
    pub weather: Weather,
    /// In a thousand ticks, so many of each.
    pub kills: u64,
    pub power_cuts: u64,
    pub dooms: u64,
    pub pauses: u64,
    pub partitions: u64,
    pub disk_faults: u64,
    pub changes: u64,
    pub transfers: u64,
}

impl Plan {
    /// The plan that belongs to a seed.
    pub fn of(seed: u64) -> Plan {
        let (founders, others) = [(1, 0), (3, 0), (3, 2), (5, 0), (1, 2), (3, 0)][seed as usize % 6];
        let stormy = Weather { drop_percent: 10, double_percent: 10, delay_max: 4 };
        let calm = Weather { delay_max: 1, ..Weather::default() };
        Plan {
            founders,
            others,
            ticks: 600,
            weather: if seed % 4 == 3 { calm } else { stormy },
            kills: 10,
            power_cuts: 20,
            dooms: 15,
            pauses: 10,
            partitions: 10,
            disk_faults: if seed.is_multiple_of(5) { 5 } else { 0 },
            changes: if others > 0 { 20 } else { 0 },
            transfers: 5,
        }
    }

    /// Runs a cluster through it, and lets it recover.
    pub fn run(&self, seed: u64) -> Cluster {
        let mut cluster = Cluster::new(seed, self.founders, self.others);
        cluster.weather = self.weather;
        for _ in 0..self.ticks {
            self.strike(&mut cluster);
            self.work(&mut cluster);
            cluster.step();
        }
        recover(&mut cluster);
        cluster
    }

    fn strike(&self, cluster: &mut Cluster) {
        let count = cluster.nodes.len() as u64;
        let victim = cluster.random.below(count) as usize;
        let later = cluster.tick + 1 + cluster.random.below(60);
        let is_up = cluster.nodes[victim].quorum.is_some();
        let comes = |cluster: &mut Cluster, thousandth: u64| cluster.random.below(1000) < thousandth;
        if comes(cluster, self.kills) && is_up {
            cluster.crash(victim, Crash::Process, later);
        } else if comes(cluster, self.power_cuts) && is_up {
            cluster.crash(victim, Crash::Power, later);
        } else if comes(cluster, self.dooms) {
            let changes = cluster.random.below(12);
            cluster.nodes[victim].world.doom(changes);
        }
        if comes(cluster, self.pauses) {
            cluster.nodes[victim].paused_until = later;
        }
        if comes(cluster, self.partitions) {
            let sides = cluster.nodes.iter().map(|node| node.id).collect::<Vec<_>>();
            cluster.sides = sides.into_iter().map(|id| (id, cluster.random.below(2) as u8)).collect();
        } else if comes(cluster, 3 * self.partitions) {
            cluster.sides.clear();
        }
        if comes(cluster, self.disk_faults) {
            let faults = Faults { failed_write_percent: 20, failed_sync_percent: 20, ..Faults::default() };
            cluster.nodes[victim].world.set_faults(faults);
        } else if comes(cluster, 100) {
            cluster.nodes[victim].world.set_faults(Faults::default());
        }
    }

    fn work(&self, cluster: &mut Cluster) {
        let count = cluster.nodes.len() as u64;
        for number in 0..cluster.nodes.len() {
            if cluster.random.chance(30) {
                let records = 1 + cluster.random.below(4);
                cluster.propose(number, records);
            }
            if cluster.random.chance(5) {
                cluster.read(number);
            }
        }
        let number = cluster.random.below(count) as usize;
        if cluster.random.below(1000) < self.transfers {
            cluster.with(number, |quorum, io, now| quorum.transfer_leadership(shard::Io::disk(io), now));
        }
        if cluster.random.below(1000) < self.changes
            && let Some(leader) = cluster.leader()
        {
            change_members(cluster, leader, number);
        }
    }
}

/// Makes a node a voter, or takes it out.
fn change_members(cluster: &mut Cluster, leader: usize, number: usize) {
    let id = cluster.nodes[number].id;
    let is_removal = cluster.random.chance(40);
    cluster.with(leader, |quorum, io, now| {
        let disk = shard::Io::disk(io);
        match is_removal {
            true if quorum.members().voters().len() > 2 => _ = quorum.remove_voter(disk, now, id),
            true => {}
            false => _ = quorum.add_voter(disk, now, voter(id)),
        }
    });
}

/// Nothing goes wrong any more: a leader has to come about, something has to be committed, and everybody has to have it.
fn recover(cluster: &mut Cluster) {
    cluster.sides.clear();
    cluster.weather = Weather::default();
    for number in 0..cluster.nodes.len() {
        let node = &mut cluster.nodes[number];
        node.world.set_faults(Faults::default());
        node.world.forgo_doom();
        node.paused_until = 0;
        if let Some(at) = &mut node.restart_at {
            *at = cluster.tick;
        }
    }
    let has_leader = cluster.run_until(200, |cluster| cluster.leader().is_some());
    assert!(has_leader, "no leader comes about");
    let before = cluster.ledger.end();
    let is_committed = (0..40).any(|_| {
        // A leader that is handing over takes nothing, and may still be replaced.
        let leader = cluster.leader();
        let is_proposed = leader.is_some_and(|leader| cluster.propose(leader, 1).is_some());
        let end = if is_proposed { before } else { u64::MAX };
        cluster.run_until(10, |cluster| cluster.ledger.end() > end)
    });
    assert!(is_committed, "nothing can be committed");
    assert!(cluster.run_until(300, Cluster::has_converged), "the nodes do not converge");
}
