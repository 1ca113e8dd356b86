//! Bringing a process's cores up: which CPUs there are, one pinned thread each, and stopping them all.

use std::fs::{File, TryLockError};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::buffer::Pool;
use crate::clock::WallMs;
use crate::host::HostChoices;
use crate::mail::{self, Bell, Guest, ShardId};
use crate::native::{Native, NativeError};
use crate::ring::RingError;
use crate::turn::{App, Shard};

/// How long an address may still be held by a process that was killed, and how often that is looked at.
const PROBE_WAIT: Duration = Duration::from_secs(2);
const PROBE_STEP: Duration = Duration::from_millis(5);

/// The CPUs that this process may use, in ascending order.
pub fn allowed_cpus() -> io::Result<Vec<usize>> {
    let set = affinity()?;
    // SAFETY: the index stays below the set's capacity.
    Ok((0..libc::CPU_SETSIZE as usize).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) }).collect())
}

/// The CPUs that the calling thread may use, in the kernel's form.
pub(crate) fn affinity() -> io::Result<libc::cpu_set_t> {
    // SAFETY: a zeroed set is a valid empty one, and the call fills it within the size given.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(set)
    }
}

/// Binds the calling thread to one CPU, which is one of [`allowed_cpus`].
pub fn pin(cpu: usize) -> io::Result<()> {
    // SAFETY: a zeroed set is a valid empty one; the index was among the allowed ones.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        if libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Whether whoever read our standard output is gone: the other end of a pipe was closed. Asks only, waits for nothing.
pub fn is_output_unread() -> bool {
    let mut output = libc::pollfd { fd: libc::STDOUT_FILENO, events: 0, revents: 0 };
    // SAFETY: one descriptor and room for it; a call that fails leaves it as it is.
    let count = unsafe { libc::poll(&raw mut output, 1, 0) };
    count == 1 && output.revents & (libc::POLLERR | libc::POLLHUP) != 0
}

/// Raises the limit of open descriptors as far as it goes; returns the limit then in force.
pub fn raise_descriptor_limit() -> io::Result<u64> {
    // SAFETY: plain system calls on a local.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) < 0 {
            return Err(io::Error::last_os_error());
        }
        // As root the hard limit can be raised too, which matters for 10,000 connections.
        let wanted = libc::rlimit { rlim_cur: 1 << 20, rlim_max: (1 << 20).max(limit.rlim_max) };
        if limit.rlim_max < wanted.rlim_max && libc::setrlimit(libc::RLIMIT_NOFILE, &raw const wanted) == 0 {
            return Ok(wanted.rlim_cur);
        }
        limit.rlim_cur = limit.rlim_max;
        if libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(limit.rlim_cur)
    }
}

/// Every address that a host stands for, with this port; an empty host stands for every interface. Fails if one of them
/// is taken: cores share an address (SO_REUSEPORT), but two processes must not. Port 0 becomes a free port, the same for all.
pub fn free_addresses(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let mut addresses: Vec<SocketAddr> = match host {
        "" => vec![(Ipv4Addr::UNSPECIFIED, port).into(), (Ipv6Addr::UNSPECIFIED, port).into()],
        // Both, whatever the hosts file says (RFC 6761): clients try either first.
        "localhost" => vec![(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()],
        host => (host, port).to_socket_addrs()?.collect(),
    };
    addresses.sort_unstable();
    addresses.dedup();
    let mut port = port;
    let mut free = Vec::new();
    for mut address in addresses {
        address.set_port(port);
        // The probe does not share the address, so it fails if anybody else has it.
        match probe(address) {
            Ok(bound) => {
                port = bound.port();
                free.push(bound);
            }
            // A machine without IPv6 still has its IPv4.
            Err(error) if is_absent(&error) && address.is_ipv6() => {}
            // The unspecified IPv6 address covers IPv4 too when it is not restricted, as here.
            Err(error) if host.is_empty() && address.is_ipv6() && !free.is_empty() => {
                if TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).is_err() {
                    return Err(error);
                }
                free.push(address);
            }
            Err(error) => return Err(error),
        }
    }
    if free.is_empty() { Err(io::ErrorKind::AddrNotAvailable.into()) } else { Ok(free) }
}

/// Binds an address and lets it go. The kernel ends the ring of a killed process a little after the process, and the
/// ring's listening socket with it: an address that is taken is tried again for a while.
fn probe(address: SocketAddr) -> io::Result<SocketAddr> {
    let deadline = Instant::now() + PROBE_WAIT;
    loop {
        match TcpListener::bind(address).and_then(|probe| probe.local_addr()) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && Instant::now() < deadline => {
                thread::sleep(PROBE_STEP);
            }
            probed => return probed,
        }
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAFNOSUPPORT | libc::EADDRNOTAVAIL))
}

/// Holds a directory for this process alone, until dropped.
#[derive(Debug)]
pub struct DirLock {
    _file: Option<File>,
}

/// Takes a directory, made if missing, for this process alone; `None` if another process has it.
pub fn lock_dir(dir: &Path) -> io::Result<Option<DirLock>> {
    std::fs::create_dir_all(dir)?;
    let file = File::options().create(true).truncate(false).write(true).open(dir.join(".lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(DirLock { _file: Some(file) })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Keeps processes that want a directory for themselves out of it while it is only read. Makes nothing: a directory that
/// nobody ever locked stays without a lock. `None` if another process has it for itself.
pub fn lock_dir_for_reading(dir: &Path) -> io::Result<Option<DirLock>> {
    let file = match File::open(dir.join(".lock")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(DirLock { _file: None })),
        opened => opened?,
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(Some(DirLock { _file: Some(file) })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The calendar, for a program that runs no core.
pub fn wall_ms() -> WallMs {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    WallMs(since_1970.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
}

/// Why the cores did not come up.
#[derive(Debug)]
pub enum BootError<E> {
    /// No ring for a core.
    Ring(RingError),
    /// A thread, a bell or a CPU could not be had.
    System(io::Error),
    /// The application refused to start.
    App(E),
}

/// Cores that run.
pub struct Running {
    threads: Vec<JoinHandle<()>>,
    bells: Vec<Arc<Bell>>,
    stop: Arc<AtomicBool>,
}

/// Stops running cores, from any thread.
#[derive(Clone)]
pub struct Stopper {
    bells: Vec<Arc<Bell>>,
    stop: Arc<AtomicBool>,
}

impl Stopper {
    /// Asks all cores to stop.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        // Not `ring`: a core that is about to sleep has looked for mail and not for this.
        self.bells.iter().for_each(|bell| bell.wake());
    }
}

impl Running {
    /// What stops these cores.
    pub fn stopper(&self) -> Stopper {
        Stopper { bells: self.bells.clone(), stop: Arc::clone(&self.stop) }
    }

    /// Waits until all cores have ended.
    pub fn join(self) {
        for thread in self.threads {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

/// Cores that run, and the end of the guest on their bus, if there is one.
pub type Booted<M> = (Running, Option<Guest<M>>);

/// Starts one core per entry of `cpus`, pinned where a CPU is named. `build` makes each core's application on the core's
/// own thread. Returns when all have started, or the first error after the others were stopped.
pub fn run<A, E, F>(
    host: HostChoices,
    cpus: &[Option<usize>],
    pool: &Pool,
    build: F,
) -> Result<Running, BootError<E>>
where
    A: App + 'static,
    E: Send + 'static,
    F: Fn(ShardId, &mut Native) -> Result<A, E> + Send + Sync + 'static,
{
    run_with_guest(host, cpus, pool, false, build).map(|(running, _)| running)
}

/// The same, with one more party on the bus if `has_guest`, whose end is given back.
pub fn run_with_guest<A, E, F>(
    host: HostChoices,
    cpus: &[Option<usize>],
    pool: &Pool,
    has_guest: bool,
    build: F,
) -> Result<Booted<A::Mail>, BootError<E>>
where
    A: App + 'static,
    E: Send + 'static,
    F: Fn(ShardId, &mut Native) -> Result<A, E> + Send + Sync + 'static,
{
    let count = u16::try_from(cpus.len()).expect("fewer cores than 65,536");
    let mut mailboxes = mail::connect::<A::Mail>(count + u16::from(has_guest)).map_err(BootError::System)?;
    let guest = if has_guest { mailboxes.pop().map(Guest::new) } else { None };
    let bells = mailboxes[0].bells()[..cpus.len()].to_vec();
    let stop = Arc::new(AtomicBool::new(false));
    let build = Arc::new(build);
    let (report, reports) = mpsc::channel();
    let mut running = Running { threads: Vec::new(), bells, stop: Arc::clone(&stop) };
    for (mailbox, cpu) in mailboxes.into_iter().zip(cpus.iter().copied()) {
        let (pool, stop, build, report) =
            (pool.clone(), Arc::clone(&stop), Arc::clone(&build), report.clone());
        let body = move || {
            let me = mailbox.me();
            let started = start_core(&host, cpu, mailbox, pool, |native| build(me, native));
            let mut shard = match started {
                Ok(shard) => shard,
                Err(error) => return drop(report.send(Err(error))),
            };
            shard.start();
            drop(report.send(Ok(())));
            drop(report);
            while !shard.is_stopped() {
                shard.turn();
                if stop.load(Ordering::SeqCst) {
                    shard.stop();
                }
            }
        };
        let name = format!("core-{}", running.threads.len());
        running.threads.push(thread::Builder::new().name(name).spawn(body).map_err(BootError::System)?);
    }
    drop(report);
    for _ in cpus {
        let ended = || BootError::System(io::Error::other("a core ended before it had started"));
        if let Err(error) = reports.recv().unwrap_or_else(|_| Err(ended())) {
            running.stopper().stop();
            running.join();
            return Err(error);
        }
    }
    Ok((running, guest))
}

/// How much time the calling thread has used on a CPU.
pub fn thread_cpu() -> Duration {
    cpu_clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// How much time all threads of the process have used on CPUs.
pub fn process_cpu() -> Duration {
    cpu_clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn cpu_clock(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a plain system call that fills a local. It fails for unknown clocks alone, and then time stays 0.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
}

fn start_core<A: App, E>(
    host: &HostChoices,
    cpu: Option<usize>,
    mailbox: mail::Mailbox<A::Mail>,
    pool: Pool,
    build: impl FnOnce(&mut Native) -> Result<A, E>,
) -> Result<Shard<Native, A>, BootError<E>> {
    if let Some(cpu) = cpu {
        pin(cpu).map_err(BootError::System)?;
    }
    let native = Native::new(host, pool.clone(), Arc::clone(mailbox.bell()));
    let mut native = native.map_err(|error| match error {
        NativeError::Ring(error) => BootError::Ring(error),
        NativeError::Poll(error) => BootError::System(error),
    })?;
    let app = build(&mut native).map_err(BootError::App)?;
    Ok(Shard::new(native, app, mailbox, pool).with_spin(host.spin))
}

/// Random bits from the kernel.
pub fn random_seed() -> u64 {
    let mut bytes = [0_u8; 8];
    // SAFETY: the buffer is valid for its whole length; eight bytes are always filled at once (getrandom(2)).
    let count = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    assert_eq!(count, 8, "getrandom failed: {}", io::Error::last_os_error());
    u64::from_ne_bytes(bytes)
}
