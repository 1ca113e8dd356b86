//! Threads for what would wait for the disk: reads of what is not cached, syncs, durable writes.
//!
//! Two lanes, so that the journal, which acknowledgements wait for, never queues behind a segment's sync. Threads are
//! made when there is work for them and stay; they run on their core's CPU, and sleep nearly all the time. They end with the
//! core, as the ring's operations do: whoever opens the same files next must not find them written to by the one before.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::buffer::{AlignedBuf, BufMut};
use crate::io::{Completion, IoError, Outcome, Token};
use crate::mail::Bell;
use crate::native::files::read_some;

/// Threads for reads, syncs and write-back.
const DATA_THREADS_MAX: usize = 4;

/// The journal has one write under way at a time.
const JOURNAL_THREADS_MAX: usize = 1;

pub(super) struct Job {
    pub(super) token: Token,
    pub(super) file: Arc<File>,
    pub(super) work: Work,
}

pub(super) enum Work {
    Read { offset: u64, left: usize, buffer: BufMut, flags: i32 },
    WriteDurable { offset: u64, buffer: AlignedBuf, needs_flush: bool },
    Sync,
    Writeback { offset: u64, len: u32 },
}

pub(super) struct DiskThreads {
    journal: Lane,
    data: Lane,
    done: Receiver<Completion>,
}

struct Lane {
    name: &'static str,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    threads_max: usize,
}

struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
    done: Sender<Completion>,
    bell: Arc<Bell>,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    idle_threads: usize,
    is_closed: bool,
}

impl DiskThreads {
    /// None yet. `bell` wakes the core when an operation has ended.
    pub(super) fn new(bell: Arc<Bell>) -> DiskThreads {
        let (sender, done) = channel();
        DiskThreads {
            journal: Lane::new("journal", JOURNAL_THREADS_MAX, sender.clone(), Arc::clone(&bell)),
            data: Lane::new("disk", DATA_THREADS_MAX, sender, bell),
            done,
        }
    }

    /// Has a thread do it; here and now if no thread can be had.
    pub(super) fn push(&mut self, job: Job, ready: &mut Vec<Completion>) {
        let lane = match job.work {
            Work::WriteDurable { .. } => &mut self.journal,
            Work::Read { .. } | Work::Sync | Work::Writeback { .. } => &mut self.data,
        };
        lane.push(job, ready);
    }

    /// Takes what has ended.
    pub(super) fn reap(&mut self, done: &mut Vec<Completion>) {
        done.extend(self.done.try_iter());
    }
}

impl Lane {
    fn new(name: &'static str, threads_max: usize, done: Sender<Completion>, bell: Arc<Bell>) -> Lane {
        let shared = Shared { queue: Mutex::new(Queue::default()), changed: Condvar::new(), done, bell };
        Lane { name, shared: Arc::new(shared), threads: Vec::new(), threads_max }
    }

    fn push(&mut self, job: Job, ready: &mut Vec<Completion>) {
        let mut queue = self.shared.lock();
        let wants_thread = queue.jobs.len() >= queue.idle_threads && self.threads.len() < self.threads_max;
        if wants_thread {
            let shared = Arc::clone(&self.shared);
            let spawned = thread::Builder::new().name(self.name.into()).spawn(move || shared.run());
            self.threads.extend(spawned);
        }
        if self.threads.is_empty() {
            drop(queue);
            return ready.push(job.perform());
        }
        queue.jobs.push_back(job);
        drop(queue);
        self.shared.changed.notify_one();
    }
}

impl Drop for Lane {
    /// What has not begun is dropped, for nobody waits for it; what has is waited for.
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.is_closed = true;
        let dropped = std::mem::take(&mut queue.jobs);
        drop(queue);
        drop(dropped);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A panic of its own was reported where it happened.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing panics while it holds the lock, and a queue is whole between any two of its lines.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        while let Some(job) = self.next() {
            // The core may be about to go; then nobody wants to know.
            let _ = self.done.send(job.perform());
            self.bell.wake();
        }
    }

    /// The next job, waited for; `None` when there will be no more.
    fn next(&self) -> Option<Job> {
        let mut queue = self.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                return Some(job);
            }
            if queue.is_closed {
                return None;
            }
            queue.idle_threads += 1;
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.idle_threads -= 1;
        }
    }
}

impl Job {
    fn perform(self) -> Completion {
        let Job { token, file, work } = self;
        let outcome = match work {
            Work::Read { offset, left, buffer, flags } => {
                let read = read(&file, offset, left, buffer, flags);
                read.map_or_else(Outcome::Failed, |buffer| Outcome::Read(buffer.freeze()))
            }
            Work::WriteDurable { offset, buffer, needs_flush } => {
                let written = file.write_all_at(buffer.filled(), offset);
                match written.and_then(|()| if needs_flush { file.sync_data() } else { Ok(()) }) {
                    Ok(()) => Outcome::WrittenDurable(buffer),
                    Err(error) if error.kind() == io::ErrorKind::WriteZero => {
                        Outcome::Failed(IoError::NO_SPACE)
                    }
                    Err(error) => Outcome::Failed(IoError::from_std(&error)),
                }
            }
            Work::Sync => file
                .sync_data()
                .map_or_else(|error| Outcome::Failed(IoError::from_std(&error)), |()| Outcome::Synced),
            Work::Writeback { offset, len } => {
                begin_writeback(&file, offset, len);
                Outcome::WritebackBegun
            }
        };
        Completion { token, outcome, more: false }
    }
}

/// Reads `left` bytes, or up to the end of the file.
fn read(
    file: &File,
    mut offset: u64,
    mut left: usize,
    mut buffer: BufMut,
    flags: i32,
) -> Result<BufMut, IoError> {
    while left > 0 {
        match read_some(file, offset, &mut buffer.spare_mut()[..left], flags) {
            Ok(0) => break,
            Ok(count) => {
                buffer.advance(count);
                offset += count as u64;
                left -= count;
            }
            Err(IoError(libc::EINTR)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(buffer)
}

fn begin_writeback(file: &File, offset: u64, len: u32) {
    // SAFETY: a plain system call on an open file. What becomes of it is seen by the next sync.
    unsafe {
        libc::sync_file_range(file.as_raw_fd(), offset as i64, len.into(), libc::SYNC_FILE_RANGE_WRITE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_once_the_core_is_gone() {
        let path = std::env::temp_dir().join(format!("ringlog-disk-threads-{}", std::process::id()));
        let file = Arc::new(File::create(&path).unwrap());
        let mut threads = DiskThreads::new(Arc::new(Bell::new().unwrap()));
        for number in 0..2000 {
            let mut buffer = AlignedBuf::new(4096);
            buffer.put(&[7; 4096]);
            let work = Work::WriteDurable { offset: number * 4096, buffer, needs_flush: false };
            threads.push(Job { token: Token(number), file: Arc::clone(&file), work }, &mut Vec::new());
            let sync = Job { token: Token(number), file: Arc::clone(&file), work: Work::Sync };
            threads.push(sync, &mut Vec::new());
        }
        drop(threads);
        assert_eq!(Arc::strong_count(&file), 1, "an operation is under way");
        std::fs::remove_file(&path).unwrap();
    }
}
