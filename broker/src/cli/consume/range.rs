//! From where to where each partition is read: the words of the command line as offsets.

use net::client::{Client, TopicMap};

use super::ConsumeArgs;
use super::fetching::Span;
use crate::cli::failure::Failure;
use crate::cli::offsets::{EARLIEST, Found, Isolation, LATEST, Want, look_up_all};
use crate::cli::position::Position;

/// What to read.
pub fn plan(
    client: &mut Client,
    args: &ConsumeArgs,
    topics: &[TopicMap],
    started_ms: i64,
) -> Result<Vec<Span>, Failure> {
    let mut spans = Vec::new();
    for topic in topics {
        if let Some(missing) = args.partition.iter().find(|index| topic.partition(**index).is_none()) {
            return Err(Failure::Refused(format!("topic {} has no partition {missing}", topic.name)));
        }
        let all = topic.partitions.iter().map(|partition| partition.index);
        let is_meant = |index: &i32| args.partition.is_empty() || args.partition.contains(index);
        spans.extend(all.filter(is_meant).map(|partition| Span::new(&topic.name, topic.id, partition)));
    }
    begin(client, &mut spans, args.from, args.isolation())?;
    end(client, &mut spans, args.end(), args.isolation(), started_ms)?;
    Ok(spans)
}

/// Sets where each span begins.
pub fn begin(
    client: &mut Client,
    spans: &mut [Span],
    from: Position,
    isolation: Isolation,
) -> Result<(), Failure> {
    let starts = offsets(client, spans, EARLIEST, isolation)?;
    let ends = offsets(client, spans, LATEST, isolation)?;
    let timed = match from {
        Position::Time(timestamp) => offsets(client, spans, timestamp, isolation)?,
        _ => Vec::new(),
    };
    for (index, span) in spans.iter_mut().enumerate() {
        let start = starts[index].offset.unwrap_or(0);
        let end = ends[index].offset.unwrap_or(start);
        span.next = match from {
            Position::Earliest => start,
            Position::Latest => end,
            Position::Time(_) => timed[index].offset.unwrap_or(end),
            // Records before the start are gone; there is nothing else to begin with.
            Position::Offset(offset) => offset.max(start),
        };
        if span.next > end {
            return Err(Failure::Refused(format!(
                "partition {} of {} has no offset {}: it ends at {end}",
                span.partition, span.topic, span.next
            )));
        }
    }
    Ok(())
}

/// Sets where each span ends.
pub fn end(
    client: &mut Client,
    spans: &mut [Span],
    to: Option<Position>,
    isolation: Isolation,
    started_ms: i64,
) -> Result<(), Failure> {
    let Some(to) = to else { return Ok(()) };
    // A time that is yet to come ends by the clock, not by an offset.
    if matches!(to, Position::Time(timestamp) if timestamp > started_ms) {
        return Ok(());
    }
    let ends = offsets(client, spans, LATEST, isolation)?;
    let timed = match to {
        Position::Time(timestamp) => offsets(client, spans, timestamp, isolation)?,
        _ => Vec::new(),
    };
    for (index, span) in spans.iter_mut().enumerate() {
        let end = ends[index].offset;
        span.stop = match to {
            Position::Offset(offset) => Some(offset),
            Position::Time(_) => timed[index].offset.or(end),
            Position::Latest | Position::Earliest => end,
        };
    }
    Ok(())
}

fn offsets(
    client: &mut Client,
    spans: &[Span],
    timestamp: i64,
    isolation: Isolation,
) -> Result<Vec<Found>, Failure> {
    let want = |span: &Span| Want { topic: span.topic.to_string(), partition: span.partition, timestamp };
    let wants: Vec<Want> = spans.iter().map(want).collect();
    Ok(client.until_done(|client| look_up_all(client, &wants, isolation))?)
}
