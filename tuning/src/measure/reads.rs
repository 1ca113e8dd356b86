//! Reads of what the page cache has, sent to a socket: copied, or lent from a mapping. From some length on lending is cheaper.

use std::io::Read;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use shard::{FileId, HostChoices, Kind, Op, OpenMode, Outcome, SocketId, boot};

use super::{Driver, Plan, Scratch};
use crate::Fault;

/// The file: more than the processor's own caches hold.
const FILE_BYTES: usize = 64 << 20;

/// The lengths that are tried.
const LENGTHS: [usize; 6] = [8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10];

/// Another length is better than the usual one if it costs less than this share.
const CLEARLY: f64 = 0.95;

/// How often the two ways take turns, for each length.
const ROUNDS: u32 = 4;

/// What a read and a send cost, by their length.
#[derive(Debug, Clone, Serialize)]
pub struct ReadFigures {
    /// The shortest first.
    pub lengths: Vec<Length>,
}

/// What one length costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Length {
    /// How much is read and sent at a time.
    pub bytes: usize,
    /// CPU time of the core, copied, s for a GiB.
    pub copied_cpu_s_per_gib: f64,
    /// The same, lent.
    pub lent_cpu_s_per_gib: f64,
}

impl ReadFigures {
    /// The length from which lending costs least over all lengths; `None` if copying does. What is usual stays unless
    /// another saves more than these figures tremble.
    pub fn lent_bytes_min(&self, usual: usize) -> Option<usize> {
        let lengths = self.lengths.iter().map(|length| length.bytes);
        let (best, least) = lengths
            .map(|bytes| (Some(bytes), self.cost(bytes)))
            .chain([(None, self.cost(usize::MAX))])
            .min_by(|(_, one), (_, other)| one.total_cmp(other))?;
        if self.cost(usual) * CLEARLY <= least { Some(usual) } else { best }
    }

    /// What all lengths cost together if those from `lent_bytes_min` on are lent.
    fn cost(&self, lent_bytes_min: usize) -> f64 {
        let of_length = |length: &Length| match length.bytes >= lent_bytes_min {
            true => length.lent_cpu_s_per_gib,
            false => length.copied_cpu_s_per_gib,
        };
        self.lengths.iter().map(of_length).sum()
    }
}

struct Reader {
    driver: Driver,
    file: FileId,
    socket: SocketId,
    offset: usize,
}

/// All lengths, both ways in turns.
pub fn measure(plan: &Plan, kind: Kind) -> Result<ReadFigures, Fault> {
    let scratch = Scratch::new(&plan.dir, "cached");
    let failed = |error| Fault::of(scratch.path().display(), error);
    std::fs::write(scratch.path(), vec![7; FILE_BYTES]).map_err(failed)?;
    let mut copied =
        Reader::new(HostChoices { lent_bytes_min: usize::MAX, ..HostChoices::of(kind) }, &scratch)?;
    let mut lent = Reader::new(HostChoices { lent_bytes_min: 0, ..HostChoices::of(kind) }, &scratch)?;
    let each = plan.each / (2 * ROUNDS * LENGTHS.len() as u32 / 2);
    let mut lengths = Vec::new();
    for bytes in LENGTHS {
        let (mut of_copied, mut of_lent) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            of_copied.push(copied.run(bytes, each)?);
            of_lent.push(lent.run(bytes, each)?);
        }
        lengths.push(Length {
            bytes,
            copied_cpu_s_per_gib: median(&mut of_copied),
            lent_cpu_s_per_gib: median(&mut of_lent),
        });
    }
    Ok(ReadFigures { lengths })
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl Reader {
    fn new(host: HostChoices, scratch: &Scratch) -> Result<Reader, Fault> {
        let mut driver = Driver::new(&host)?;
        let opened = driver.disk().open(scratch.path(), OpenMode::Read);
        let file = opened.map_err(|error| Fault::of(scratch.path().display(), error))?;
        let stream = drained_stream().map_err(|error| Fault::of("a loopback connection", error))?;
        let adopted = driver.native().adopt(stream);
        let socket = adopted.map_err(|error| Fault::of("a loopback connection", error))?;
        Ok(Reader { driver, file, socket, offset: 0 })
    }

    /// CPU time of this thread for a GiB.
    fn run(&mut self, len: usize, each: Duration) -> Result<f64, Fault> {
        let (begin, cpu, mut sent) = (Instant::now(), boot::thread_cpu(), 0);
        while begin.elapsed() < each {
            let op = Op::Read { file: self.file, offset: self.offset as u64, len };
            let Outcome::Read(bytes) = self.driver.perform(op, "a read")? else {
                unreachable!("a read ends as a read")
            };
            self.driver.perform(Op::Send { socket: self.socket, parts: vec![bytes] }, "a send")?;
            sent += len;
            self.offset = (self.offset + len) % FILE_BYTES;
        }
        let gib = sent as f64 / f64::from(1 << 30);
        Ok((boot::thread_cpu() - cpu).as_secs_f64() / gib.max(1e-9))
    }
}

/// A connection whose other end takes everything, on a thread that ends with it.
fn drained_stream() -> std::io::Result<TcpStream> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let stream = TcpStream::connect(listener.local_addr()?)?;
    let (mut peer, _) = listener.accept()?;
    thread::spawn(move || {
        let mut buffer = vec![0; 256 << 10];
        while peer.read(&mut buffer).is_ok_and(|count| count > 0) {}
    });
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(costs: &[(usize, f64, f64)]) -> ReadFigures {
        let length = |&(bytes, copied_cpu_s_per_gib, lent_cpu_s_per_gib): &(usize, f64, f64)| Length {
            bytes,
            copied_cpu_s_per_gib,
            lent_cpu_s_per_gib,
        };
        ReadFigures { lengths: costs.iter().map(length).collect() }
    }

    #[test]
    fn lending_begins_where_all_together_costs_least() {
        let costs = [(8, 1.0, 2.0), (16, 1.0, 0.9), (32, 1.0, 1.3), (64, 1.0, 0.8), (128, 1.0, 0.5)];
        assert_eq!(figures(&costs).lent_bytes_min(8), Some(64));
        assert_eq!(figures(&costs).lent_bytes_min(32), Some(64));
        assert_eq!(figures(&costs[..3]).lent_bytes_min(8), None);
    }

    #[test]
    fn what_is_usual_stays_unless_another_is_clearly_better() {
        let costs = [(16, 1.0, 0.99), (32, 1.0, 0.9), (64, 1.0, 0.8)];
        assert_eq!(figures(&costs).lent_bytes_min(32), Some(32));
    }
}
