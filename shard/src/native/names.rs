//! Host names: the system's resolver blocks, for seconds if a server of names is away, so it runs on a thread of its own.
//!
//! The thread is made for the first name, for addresses need none; it ends when its core is gone, at the latest when the
//! name that it looks up is decided. Nobody waits for it: a deadline is the asker's.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use crate::io::{Completion, IoError, Outcome, Token};
use crate::mail::Bell;

/// Names that may wait for the one that is being looked up.
const WAITING_MAX: usize = 64;

struct Question {
    token: Token,
    host: String,
    port: u16,
}

pub(crate) struct Names {
    questions: Option<SyncSender<Question>>,
    sender: Sender<Completion>,
    done: Receiver<Completion>,
    bell: Arc<Bell>,
}

impl Names {
    /// Nothing was asked yet. `bell` wakes the core when an answer is there.
    pub(crate) fn new(bell: Arc<Bell>) -> Names {
        let (sender, done) = channel();
        Names { questions: None, sender, done, bell }
    }

    /// Asks what a host stands for; the outcome if that is known at once.
    pub(crate) fn ask(&mut self, token: Token, host: String, port: u16) -> Option<Outcome> {
        if let Some(known) = literal(&host, port) {
            return Some(known);
        }
        if self.questions.is_none() {
            self.questions = self.start();
        }
        let is_taken = self
            .questions
            .as_ref()
            .is_some_and(|questions| questions.try_send(Question { token, host, port }).is_ok());
        (!is_taken).then_some(Outcome::Failed(IoError(libc::EAGAIN)))
    }

    /// Takes what has been found out.
    pub(crate) fn reap(&mut self, done: &mut Vec<Completion>) {
        done.extend(self.done.try_iter());
    }

    fn start(&self) -> Option<SyncSender<Question>> {
        let (questions, asked) = sync_channel::<Question>(WAITING_MAX);
        let (sender, bell) = (self.sender.clone(), Arc::clone(&self.bell));
        let body = move || {
            for Question { token, host, port } in asked {
                let outcome = look_up(&host, port);
                if sender.send(Completion { token, outcome, more: false }).is_err() {
                    return;
                }
                bell.wake();
            }
        };
        thread::Builder::new().name("names".into()).spawn(body).ok().map(|_| questions)
    }
}

/// What an address that is written out stands for: itself.
pub(crate) fn literal(host: &str, port: u16) -> Option<Outcome> {
    let address: IpAddr = host.parse().ok()?;
    Some(Outcome::Resolved(vec![SocketAddr::new(address, port)]))
}

fn look_up(host: &str, port: u16) -> Outcome {
    match (host, port).to_socket_addrs() {
        Ok(found) => {
            let mut addresses: Vec<SocketAddr> = found.collect();
            addresses.sort_unstable();
            addresses.dedup();
            Outcome::Resolved(addresses)
        }
        // The resolver's own errors have no number.
        Err(error) => Outcome::Failed(error.raw_os_error().map_or(IoError::NOT_FOUND, IoError)),
    }
}
