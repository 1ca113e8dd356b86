//! The control thread: metrics and health over HTTP. It touches no partition: it asks each core by mail, as one more party on
//! the bus, and makes text of the numbers that come back.
//!
//! ```text
//!   GET /metrics ─► hub ─ Inspect ─► cores ─ Report, slice by slice ─► hub ─► snapshot ─► text, piece by piece
//!   GET /health/…─► hub ─ Inspect ─► cores ─ Report ─────────────────► hub ─► 200 or 503 with the reasons
//! ```
//! It is the only place with tokio. Everything has a deadline and a bound: connections, requests, rounds of questions. A core
//! that does not answer is named; nothing waits for it.

mod families;
mod health;
mod http;
mod hub;
mod pages;
mod process;
mod snapshot;
mod text;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use shard::Guest;
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::LocalSet;

use crate::mail::Mail;
use crate::node::Node;
use hub::Hub;

pub use families::described;

/// A core that has not answered after this time is silent.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// The control thread, as long as it runs.
#[derive(Debug)]
pub struct Control {
    /// Where it listens.
    pub addresses: Vec<SocketAddr>,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Control {
    /// Starts it; it serves at these listeners from now on.
    pub fn start(
        listeners: Vec<TcpListener>,
        guest: Guest<Mail>,
        node: Arc<Node>,
        descriptors_max: u64,
    ) -> io::Result<Control> {
        let mut addresses = Vec::new();
        for listener in &listeners {
            listener.set_nonblocking(true)?;
            addresses.push(listener.local_addr()?);
        }
        let runtime = runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let (stop, stopped) = oneshot::channel();
        let body = move || {
            let work = async move {
                // Both only fail where the kernel has no memory left for a descriptor to be waited for.
                let (hub, listeners) = match Hub::new(guest, node, descriptors_max, ANSWER_MAX).and_then(
                    |hub| {
                        let listeners = listeners.into_iter().map(tokio::net::TcpListener::from_std);
                        Ok((hub, listeners.collect::<io::Result<Vec<_>>>()?))
                    },
                ) {
                    Ok(ready) => ready,
                    Err(error) => {
                        tracing::error!(%error, "there are no metrics: the control thread cannot wait for anything");
                        return;
                    }
                };
                tokio::task::spawn_local(Hub::listen(std::rc::Rc::clone(&hub)));
                for listener in listeners {
                    tokio::task::spawn_local(http::accept(listener, std::rc::Rc::clone(&hub)));
                }
                // Whether it was told to stop or its handle is gone, it is over.
                _ = stopped.await;
            };
            LocalSet::new().block_on(&runtime, work);
        };
        let thread = thread::Builder::new().name("control".to_owned()).spawn(body)?;
        Ok(Control { addresses, stop, thread })
    }

    /// Ends it, and every connection with it.
    pub fn stop(self) {
        // It may have ended by itself.
        _ = self.stop.send(());
        if let Err(panic) = self.thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}
