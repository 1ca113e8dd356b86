//! What the nodes of this thread log, with the core that logs it: it becomes part of the trace.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Write};

use shard::ShardId;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

thread_local! {
    static PLACE: Cell<(usize, u16)> = const { Cell::new((0, 0)) };
    static LINES: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// A line that a node has logged.
#[derive(Debug)]
pub struct Line {
    /// Which node.
    pub node: usize,
    /// Which of its shards.
    pub shard: u16,
    /// Level, message and fields.
    pub text: String,
}

/// What is logged on this thread from now on comes from this core.
pub fn stand_on(node: usize, shard: ShardId) {
    PLACE.set((node, shard.0));
}

/// The lines of this thread since they were taken last.
pub fn take() -> Vec<Line> {
    LINES.take()
}

/// Runs `act` with what is logged on this thread being gathered.
pub fn gathering<R>(act: impl FnOnce() -> R) -> R {
    LINES.take();
    tracing::subscriber::with_default(Gatherer, act)
}

struct Gatherer;

impl Subscriber for Gatherer {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::INFO
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = format!("{}", event.metadata().level());
        event.record(&mut Words(&mut text));
        let (node, shard) = PLACE.get();
        LINES.with_borrow_mut(|lines| lines.push(Line { node, shard, text }));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Words<'a>(&'a mut String);

impl Visit for Words<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string does not fail.
        _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            // How long something took by the clock of the machine that simulates.
            "ms" => Ok(()),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
