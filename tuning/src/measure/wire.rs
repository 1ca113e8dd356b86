//! Loopback sockets between two CPUs: what it costs to wake a thread, and how much goes through.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use shard::boot;

use super::{Plan, Stopwatch, Times, mib_per_second};
use crate::Fault;

/// A small request.
const SMALL_BYTES: usize = 64;

/// A large one.
const LARGE_BYTES: usize = 256 << 10;

/// What sockets do.
#[derive(Debug, Clone, Serialize)]
pub struct WireFigures {
    /// There and back, where the other side sleeps until it is asked.
    pub round_trip_sleeping: Times,
    /// There and back, where it looks all the time.
    pub round_trip_spinning: Times,
    /// One way.
    pub stream_mib_s: f64,
    /// CPU time of the sender, s for a GiB.
    pub send_cpu_s_per_gib: f64,
}

impl WireFigures {
    /// What a request would gain of a broker that does not have to be woken, us.
    pub fn wake_us(&self) -> f64 {
        (self.round_trip_sleeping.p50 - self.round_trip_spinning.p50).max(0.0)
    }
}

/// `None` where there is one CPU only: two threads on it would measure the scheduler.
pub fn measure(plan: &Plan) -> Result<Option<WireFigures>, Fault> {
    let failed = |error: io::Error| Fault::of("loopback sockets", error);
    let cpus = boot::allowed_cpus().map_err(failed)?;
    let (Some(&near), Some(&far)) = (cpus.first(), cpus.get(1)) else { return Ok(None) };
    let each = plan.each;
    // On a thread of its own, so that whoever measures next is not pinned.
    let measuring = thread::spawn(move || -> io::Result<WireFigures> {
        boot::pin(near)?;
        let round_trip_sleeping = round_trips(far, false, each)?;
        let round_trip_spinning = round_trips(far, true, each)?;
        let (stream_mib_s, send_cpu_s_per_gib) = stream(far, each)?;
        Ok(WireFigures { round_trip_sleeping, round_trip_spinning, stream_mib_s, send_cpu_s_per_gib })
    });
    measuring.join().expect("the measuring thread does not panic").map(Some).map_err(failed)
}

fn connect() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    let (far, _) = listener.accept()?;
    for end in [&near, &far] {
        end.set_nodelay(true)?;
    }
    Ok((near, far))
}

fn round_trips(cpu: usize, is_spinning: bool, each: Duration) -> io::Result<Times> {
    let (mut near, far) = connect()?;
    let echo = thread::spawn(move || echo(far, cpu, is_spinning));
    let (mut bytes, mut watch) = ([1; SMALL_BYTES], Stopwatch::new());
    let begin = Instant::now();
    while begin.elapsed() < each {
        let at = Instant::now();
        near.write_all(&bytes)?;
        near.read_exact(&mut bytes)?;
        watch.add(at.elapsed());
    }
    drop(near);
    echo.join().expect("the echo does not panic")?;
    Ok(watch.times())
}

fn echo(mut far: TcpStream, cpu: usize, is_spinning: bool) -> io::Result<()> {
    boot::pin(cpu)?;
    far.set_nonblocking(is_spinning)?;
    let mut bytes = [0; SMALL_BYTES];
    loop {
        match far.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(count) => far.write_all(&bytes[..count])?,
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::hint::spin_loop(),
            Err(error) => return Err(error),
        }
    }
}

fn stream(cpu: usize, each: Duration) -> io::Result<(f64, f64)> {
    let (mut near, mut far) = connect()?;
    let drain = thread::spawn(move || -> io::Result<()> {
        boot::pin(cpu)?;
        let mut bytes = vec![0; LARGE_BYTES];
        while far.read(&mut bytes)? > 0 {}
        Ok(())
    });
    let bytes = vec![1; LARGE_BYTES];
    let (begin, cpu, mut sent) = (Instant::now(), boot::thread_cpu(), 0);
    while begin.elapsed() < each {
        near.write_all(&bytes)?;
        sent += LARGE_BYTES as u64;
    }
    let (took, cpu) = (begin.elapsed(), boot::thread_cpu() - cpu);
    drop(near);
    drain.join().expect("the drain does not panic")?;
    let gib = sent as f64 / f64::from(1 << 30);
    Ok((mib_per_second(sent, took), cpu.as_secs_f64() / gib.max(1e-9)))
}
