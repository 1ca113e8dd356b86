//! What the operating system knows of the process: looked up on the control thread alone, when somebody asks.

use std::fs;
use std::time::Duration;

use shard::boot;

/// Size of a page, bytes: that of every machine that Ringlog runs on.
const PAGE_BYTES: u64 = 4096;

/// The process at one moment; what cannot be found out is absent.
#[derive(Debug)]
pub struct ProcessFacts {
    /// Memory that is resident, bytes.
    pub resident_bytes: Option<u64>,
    /// Open descriptors.
    pub descriptors: Option<u64>,
    /// CPU time of all threads.
    pub cpu: Duration,
}

impl ProcessFacts {
    pub fn now() -> ProcessFacts {
        ProcessFacts {
            resident_bytes: resident_bytes(),
            // The listing has a descriptor of its own.
            descriptors: fs::read_dir("/proc/self/fd").ok().map(|all| all.count().saturating_sub(1) as u64),
            cpu: boot::process_cpu(),
        }
    }
}

fn resident_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    pages.checked_mul(PAGE_BYTES)
}
