//! Reading until the end, a limit, or a signal: prints what was fetched and keeps the positions.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use net::client::{Answer, Client};
use protocol::ErrorCode;
use protocol::messages::fetch_response::{FetchResponse, PartitionData};

use super::ConsumeArgs;
use super::fetching::{Fetching, News, Span, is_topic, unreadable};
use super::format::Placed;
use super::output::Output;
use crate::cli::batches::{AbortFilter, Batch, Batches};
use crate::cli::failure::{Failure, tell};
use crate::cli::offsets::{EARLIEST, Isolation, LATEST, Want, look_up_all};
use crate::cli::position::Position;
use crate::cli::when::now_ms;

/// How often signals and the clock are looked at.
const TICK: Duration = Duration::from_millis(50);

/// Asked to stop by a signal.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    pub asked: Arc<AtomicBool>,
    /// Set when somebody saw that it was asked.
    pub noticed: Arc<AtomicBool>,
}

impl Stop {
    /// Whether it was.
    pub fn is_asked(&self) -> bool {
        let is_asked = self.asked.load(Ordering::Relaxed);
        if is_asked {
            self.noticed.store(true, Ordering::Relaxed);
        }
        is_asked
    }
}

/// One run of the command.
pub struct Reading<'a> {
    pub args: &'a ConsumeArgs,
    pub output: Output,
    pub stop: Stop,
    /// When the command began.
    pub started_ms: i64,
}

impl Reading<'_> {
    /// Reads all spans, following those without an end.
    pub fn run_alone(&mut self, client: &mut Client, mut spans: Vec<Span>) -> Result<(), Failure> {
        let mut fetching: Option<Fetching> = None;
        while !self.is_over(&spans) {
            fetching = self.step(client, &mut spans, fetching)?;
        }
        Ok(self.output.flush()?)
    }

    /// Whether there is nothing left to do.
    pub fn is_over(&self, spans: &[Span]) -> bool {
        let is_read = !spans.is_empty() && spans.iter().all(Span::is_done);
        is_read || self.is_ended()
    }

    /// Whether a limit, the clock or a signal ends it.
    pub fn is_ended(&self) -> bool {
        let is_late =
            matches!(self.args.end(), Some(Position::Time(timestamp)) if self.ends_by_clock(timestamp));
        self.output.is_full() || self.stop.is_asked() || is_late
    }

    fn ends_by_clock(&self, timestamp: i64) -> bool {
        // Where it was over when the command began, offsets end the reading.
        timestamp > self.started_ms && now_ms() >= timestamp
    }

    /// Prints the next answer, if one comes within a tick. Starts to fetch where nothing is under way, and anew when
    /// leaders have moved.
    pub fn step(
        &mut self,
        client: &mut Client,
        spans: &mut [Span],
        fetching: Option<Fetching>,
    ) -> Result<Option<Fetching>, Failure> {
        let isolation = self.args.isolation();
        let fetching = match fetching {
            Some(fetching) => fetching,
            None => client.until_done(|client| Fetching::start(client, spans, isolation))?,
        };
        match fetching.next(Duration::ZERO) {
            None => self.output.flush()?,
            Some(news) => return self.on_news(client, spans, fetching, news),
        }
        if shard::boot::is_output_unread() {
            // With nothing to write, nothing else tells.
            return Err(Failure::Local(io::ErrorKind::BrokenPipe.into()));
        }
        match fetching.next(TICK) {
            None => Ok(Some(fetching)),
            Some(news) => self.on_news(client, spans, fetching, news),
        }
    }

    fn on_news(
        &mut self,
        client: &mut Client,
        spans: &mut [Span],
        fetching: Fetching,
        news: News,
    ) -> Result<Option<Fetching>, Failure> {
        match news {
            News::Fetched(answer) => {
                self.print(&answer, spans)?;
                Ok(Some(fetching))
            }
            News::Failed(error) if error.code() == Some(ErrorCode::OffsetOutOfRange) => {
                drop(fetching);
                into_range(client, spans, self.args.isolation())?;
                Ok(None)
            }
            News::Failed(error) if error.may_pass() => {
                tell(&format!("{error}; looking for the leader"));
                Ok(None)
            }
            News::Failed(error) => Err(error.into()),
        }
    }

    fn print(&mut self, answer: &Answer, spans: &mut [Span]) -> Result<(), Failure> {
        let response: FetchResponse<'_> = answer.decode().map_err(|fault| unreadable(answer, fault))?;
        for topic in &response.responses {
            for partition in &topic.partitions {
                let is_it = |span: &&mut Span| {
                    is_topic(span, topic.topic, topic.topic_id) && span.partition == partition.partition_index
                };
                if let Some(span) = spans.iter_mut().find(is_it) {
                    self.print_partition(partition, span)?;
                }
                if self.output.is_full() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn print_partition(&mut self, partition: &PartitionData<'_>, span: &mut Span) -> Result<(), Failure> {
        let mut filter = AbortFilter::of(partition.aborted_transactions.as_deref());
        let damaged = |span: &Span, why: String| Failure::Refused(format!("{}: {why}", span.name()));
        for batch in Batches::of(partition.records.unwrap_or_default()) {
            let batch = batch.map_err(|why| damaged(span, why))?;
            if filter.shows(&batch) {
                self.print_batch(&batch, span)?;
            }
            if self.output.is_full() || span.is_done() {
                break;
            }
            span.next = span.next.max(batch.header.last_offset().0 + 1);
        }
        Ok(())
    }

    fn print_batch(&mut self, batch: &Batch<'_>, span: &mut Span) -> Result<(), Failure> {
        let damaged = |span: &Span, why: String| Failure::Refused(format!("{}: {why}", span.name()));
        let header = &batch.header;
        let mut records = batch.records().map_err(|why| damaged(span, why))?;
        let unreadable =
            |fault| format!("the batch at offset {} cannot be read: {fault}", header.base_offset.0);
        while let Some(record) = records.next().map_err(|fault| damaged(span, unreadable(fault)))? {
            let offset = header.base_offset.0.saturating_add(record.offset_delta.into());
            if offset < span.next {
                continue;
            }
            if span.stop.is_some_and(|stop| offset >= stop) {
                span.next = offset;
                return Ok(());
            }
            let timestamp = header.timestamp_of(record.timestamp_delta);
            self.output.put(&Placed {
                topic: &span.topic,
                partition: span.partition,
                offset,
                timestamp,
                record,
            })?;
            span.next = offset + 1;
            if self.output.is_full() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Moves positions that fell out of their logs to where the logs begin, and says so.
fn into_range(client: &mut Client, spans: &mut [Span], isolation: Isolation) -> Result<(), Failure> {
    let mut limits: HashMap<usize, (i64, i64)> = HashMap::new();
    for timestamp in [EARLIEST, LATEST] {
        let want = |span: &Span| Want { topic: span.topic.to_string(), partition: span.partition, timestamp };
        let wants: Vec<Want> = spans.iter().map(want).collect();
        let found = client.until_done(|client| look_up_all(client, &wants, isolation))?;
        for (index, found) in found.iter().enumerate() {
            let limit = limits.entry(index).or_insert((0, i64::MAX));
            match timestamp {
                EARLIEST => limit.0 = found.offset.unwrap_or(0),
                _ => limit.1 = found.offset.unwrap_or(i64::MAX),
            }
        }
    }
    for (index, span) in spans.iter_mut().enumerate() {
        let (start, end) = limits[&index];
        if span.next < start || span.next > end {
            tell(&format!("{}: offset {} is gone, going on at {start}", span.name(), span.next));
            span.next = start;
        }
    }
    Ok(())
}
