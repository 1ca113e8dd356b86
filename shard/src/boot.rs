//! Bringing a process's cores up: which CPUs there are, one pinned thread each, and stopping them all.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use crate::buffer::Pool;
use crate::mail::{self, Bell, ShardId};
use crate::ring::{Ring, RingError};
use crate::turn::{App, Shard};

/// The CPUs that this process may use, in ascending order.
pub fn allowed_cpus() -> io::Result<Vec<usize>> {
    // SAFETY: a zeroed set is a valid empty one, and the call fills it within the size given.
    let set = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) < 0 {
            return Err(io::Error::last_os_error());
        }
        set
    };
    // SAFETY: the index stays below the set's capacity.
    Ok((0..libc::CPU_SETSIZE as usize).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) }).collect())
}

/// Binds the calling thread to one CPU.
fn pin(cpu: usize) -> io::Result<()> {
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
        self.bells.iter().for_each(|bell| bell.ring());
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

/// Starts one core per entry of `cpus`, pinned where a CPU is named. `build` makes each core's application on the
/// core's own thread. Returns when all have started, or the first error after the others were stopped.
pub fn run<A, E, F>(cpus: &[Option<usize>], pool: &Pool, build: F) -> Result<Running, BootError<E>>
where
    A: App + 'static,
    E: Send + 'static,
    F: Fn(ShardId, &mut Ring) -> Result<A, E> + Send + Sync + 'static,
{
    let count = u16::try_from(cpus.len()).expect("fewer cores than 65,536");
    let mailboxes = mail::connect::<A::Mail>(count).map_err(BootError::System)?;
    let bells = mailboxes[0].bells().to_vec();
    let stop = Arc::new(AtomicBool::new(false));
    let build = Arc::new(build);
    let (report, reports) = mpsc::channel();
    let mut running = Running { threads: Vec::new(), bells, stop: Arc::clone(&stop) };
    for (mailbox, cpu) in mailboxes.into_iter().zip(cpus.iter().copied()) {
        let (pool, stop, build, report) =
            (pool.clone(), Arc::clone(&stop), Arc::clone(&build), report.clone());
        let body = move || {
            let me = mailbox.me();
            let started = start_core(cpu, mailbox, pool, |ring| build(me, ring));
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
    for started in reports.iter().take(cpus.len()) {
        if let Err(error) = started {
            running.stopper().stop();
            running.join();
            return Err(error);
        }
    }
    Ok(running)
}

fn start_core<A: App, E>(
    cpu: Option<usize>,
    mailbox: mail::Mailbox<A::Mail>,
    pool: Pool,
    build: impl FnOnce(&mut Ring) -> Result<A, E>,
) -> Result<Shard<Ring, A>, BootError<E>> {
    if let Some(cpu) = cpu {
        pin(cpu).map_err(BootError::System)?;
    }
    let mut ring = Ring::new(pool.clone(), Arc::clone(mailbox.bell())).map_err(BootError::Ring)?;
    let app = build(&mut ring).map_err(BootError::App)?;
    Ok(Shard::new(ring, app, mailbox, pool))
}
