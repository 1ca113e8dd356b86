//! How many connections a node has, in all and from each address; shared by its cores.
//!
//! The one thing that cores share in this crate: a connection may land on any of them, and the limits are the node's.
//! The lock is taken when a connection comes and when it goes, and held for a look-up.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// The limits and the counts. Clones share both.
#[derive(Debug, Clone)]
pub struct Admission {
    counts: Arc<Mutex<Counts>>,
    connections_max: usize,
    connections_per_ip_max: usize,
}

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    per_ip: HashMap<IpAddr, usize>,
}

impl Admission {
    /// Nobody is there yet; at most `connections_max` may come (`max.connections`), and so many from one address
    /// (`max.connections.per.ip`).
    pub fn new(connections_max: usize, connections_per_ip_max: usize) -> Admission {
        Admission { counts: Arc::default(), connections_max, connections_per_ip_max }
    }

    /// Counts a connection that has come, whether or not it may stay; `true` if it may.
    pub(crate) fn enter(&self, ip: IpAddr) -> bool {
        // A core that panicked ends the process; until then its counts are as good as ever.
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.all += 1;
        let is_within = counts.all <= self.connections_max;
        let from_here = counts.per_ip.entry(ip).or_default();
        *from_here += 1;
        is_within && *from_here <= self.connections_per_ip_max
    }

    /// Counts a connection as gone.
    pub(crate) fn leave(&self, ip: IpAddr) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.all -= 1;
        if let Some(from_here) = counts.per_ip.get_mut(&ip) {
            *from_here -= 1;
            if *from_here == 0 {
                counts.per_ip.remove(&ip);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold_over_all_cores_and_addresses_are_forgotten() {
        let admission = Admission::new(3, 2);
        let other_core = admission.clone();
        let [a, b] = [IpAddr::from([127, 0, 0, 1]), IpAddr::from([127, 0, 0, 2])];
        assert!(admission.enter(a));
        assert!(other_core.enter(a));
        assert!(!admission.enter(a));
        admission.leave(a);
        assert!(other_core.enter(b));
        assert!(!admission.enter(b));
        for ip in [a, a, b, b] {
            other_core.leave(ip);
        }
        assert!(admission.counts.lock().unwrap().per_ip.is_empty());
    }
}
