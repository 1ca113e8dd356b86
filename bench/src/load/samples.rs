//! What a core counts while it measures.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use shard::Nanos;

use super::arrivals::Intended;

/// The longest time that is told from others, ns; what takes longer counts as this.
const LATENCY_NS_MAX: u64 = 600_000_000_000;

/// A second of a run: what came in it.
#[derive(Debug, Clone)]
pub struct Second {
    /// Records acknowledged or, where none are produced, read.
    pub records: u64,
    /// Their values' bytes.
    pub bytes: u64,
    /// Latencies that ended in it, ns.
    pub latency: Histogram<u64>,
}

/// What a core has counted, or all cores together.
#[derive(Debug, Clone)]
pub struct CoreResult {
    /// How long it measured, ns.
    pub elapsed_ns: u64,
    /// Produce requests that were answered.
    pub requests: u64,
    /// Records acknowledged, and their values' bytes.
    pub records: u64,
    /// See above.
    pub bytes: u64,
    /// Records that tail readers got, and the bytes of their batches.
    pub tail_records: u64,
    /// See above.
    pub tail_bytes: u64,
    /// Records that readers of old data got, and the bytes of their batches.
    pub back_fill_records: u64,
    /// See above.
    pub back_fill_bytes: u64,
    /// Fetches that were answered.
    pub fetches: u64,
    /// From the intended send time to the acknowledgement, ns, a record.
    pub acknowledged: Histogram<u64>,
    /// From the intended send time to a reader, ns, a record and reader.
    pub end_to_end: Histogram<u64>,
    /// From the intended send time to the sending, ns, a batch: what the load itself adds, or a full pipeline.
    pub send_lag: Histogram<u64>,
    /// The run, a second at a time.
    pub seconds: Vec<Second>,
    /// Errors by Kafka's code.
    pub errors: BTreeMap<i16, u64>,
    /// Records whose time came and that were not sent, answered or read by the end of the run.
    pub unanswered: u64,
}

impl CoreResult {
    /// Nothing yet.
    pub fn empty() -> CoreResult {
        CoreResult {
            elapsed_ns: 0,
            requests: 0,
            records: 0,
            bytes: 0,
            tail_records: 0,
            tail_bytes: 0,
            back_fill_records: 0,
            back_fill_bytes: 0,
            fetches: 0,
            acknowledged: histogram(3),
            end_to_end: histogram(3),
            send_lag: histogram(3),
            seconds: Vec::new(),
            errors: BTreeMap::new(),
            unanswered: 0,
        }
    }

    /// Adds what another core has counted.
    pub fn add(&mut self, other: &CoreResult) {
        self.elapsed_ns = self.elapsed_ns.max(other.elapsed_ns);
        self.requests += other.requests;
        self.records += other.records;
        self.bytes += other.bytes;
        self.tail_records += other.tail_records;
        self.tail_bytes += other.tail_bytes;
        self.back_fill_records += other.back_fill_records;
        self.back_fill_bytes += other.back_fill_bytes;
        self.fetches += other.fetches;
        self.unanswered += other.unanswered;
        for (into, from) in [
            (&mut self.acknowledged, &other.acknowledged),
            (&mut self.end_to_end, &other.end_to_end),
            (&mut self.send_lag, &other.send_lag),
        ] {
            into.add(from).expect("histograms of one shape");
        }
        for (code, count) in &other.errors {
            *self.errors.entry(*code).or_default() += count;
        }
        for (index, second) in other.seconds.iter().enumerate() {
            let into = self.second(index);
            into.records += second.records;
            into.bytes += second.bytes;
            into.latency.add(&second.latency).expect("histograms of one shape");
        }
    }

    fn second(&mut self, index: usize) -> &mut Second {
        while self.seconds.len() <= index {
            self.seconds.push(Second { records: 0, bytes: 0, latency: histogram(2) });
        }
        &mut self.seconds[index]
    }
}

fn histogram(digits: u8) -> Histogram<u64> {
    Histogram::new_with_bounds(1_000, LATENCY_NS_MAX, digits).expect("bounds that make sense")
}

/// What a core counts, and since when.
#[derive(Debug)]
pub struct Samples {
    /// The counts.
    pub result: CoreResult,
    /// From when on records count whose time comes, and up to when.
    window: Option<(Nanos, Nanos)>,
    /// Whether the way to the readers is what a second's latency is.
    is_end_to_end: bool,
}

impl Samples {
    /// Counts nothing yet.
    pub fn new(is_end_to_end: bool) -> Samples {
        Samples { result: CoreResult::empty(), window: None, is_end_to_end }
    }

    /// Counts from now on.
    pub fn begin(&mut self, now: Nanos) {
        self.result = CoreResult::empty();
        self.window = Some((now, Nanos(u64::MAX)));
    }

    /// Counts no records any more whose time comes from now on, and nothing for the throughput.
    pub fn end(&mut self, now: Nanos) {
        if let Some((begin, end)) = &mut self.window {
            *end = now;
            self.result.elapsed_ns = now.0 - begin.0;
        }
    }

    fn is_counting(&self, now: Nanos) -> bool {
        self.window.is_some_and(|(begin, end)| begin <= now && now < end)
    }

    /// Whether a record counts that is to be sent at this time.
    pub fn counts(&self, intended: Nanos) -> bool {
        self.is_counting(intended)
    }

    fn second_at(&mut self, now: Nanos) -> Option<&mut Second> {
        let (begin, _) = self.window.filter(|(begin, end)| *begin <= now && now < *end)?;
        Some(self.result.second(((now.0 - begin.0) / 1_000_000_000) as usize))
    }

    /// A batch was sent.
    pub fn on_sent(&mut self, intended: Nanos, now: Nanos) {
        if self.is_counting(intended) {
            self.result.send_lag.saturating_record(now.0.saturating_sub(intended.0));
        }
    }

    /// A batch was acknowledged.
    pub fn on_acknowledged(&mut self, intended: Intended, value_bytes: u64, now: Nanos) {
        if self.is_counting(now) {
            let records = u64::from(intended.count);
            self.result.requests += 1;
            self.result.records += records;
            self.result.bytes += value_bytes;
            let second = self.second_at(now).expect("it is counting");
            second.records += records;
            second.bytes += value_bytes;
        }
        let is_primary = !self.is_end_to_end;
        self.add_latencies(intended, now, is_primary, |result| &mut result.acknowledged);
    }

    /// A tail reader got a batch.
    pub fn on_arrived(&mut self, intended: Intended, now: Nanos) {
        let is_primary = self.is_end_to_end;
        self.add_latencies(intended, now, is_primary, |result| &mut result.end_to_end);
    }

    fn add_latencies(
        &mut self,
        intended: Intended,
        now: Nanos,
        is_primary: bool,
        histogram: impl Fn(&mut CoreResult) -> &mut Histogram<u64>,
    ) {
        // Records that were due together are one entry.
        let (entries, each) =
            if intended.step_ns == 0 { (1, u64::from(intended.count)) } else { (intended.count, 1) };
        for i in 0..u64::from(entries) {
            let at = Nanos(intended.first.0 + i * intended.step_ns);
            if !self.is_counting(at) {
                continue;
            }
            let latency_ns = now.0.saturating_sub(at.0);
            histogram(&mut self.result).saturating_record_n(latency_ns, each);
            if is_primary && let Some(second) = self.second_at(now) {
                second.latency.saturating_record_n(latency_ns, each);
            }
        }
    }

    /// A fetch was answered: for a tail reader, or for one of old data, which is what counts when nobody produces.
    pub fn on_fetched(
        &mut self,
        is_tail: bool,
        is_primary: bool,
        records: u64,
        bytes: u64,
        sent: Nanos,
        now: Nanos,
    ) {
        if !self.is_counting(now) {
            return;
        }
        self.result.fetches += 1;
        if is_tail {
            self.result.tail_records += records;
            self.result.tail_bytes += bytes;
            return;
        }
        self.result.back_fill_records += records;
        self.result.back_fill_bytes += bytes;
        if is_primary {
            let second = self.second_at(now).expect("it is counting");
            second.records += records;
            second.bytes += bytes;
            second.latency.saturating_record(now.0 - sent.0);
        }
    }

    /// A request was refused.
    pub fn on_error(&mut self, code: i16) {
        *self.result.errors.entry(code).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(first: u64, step_ns: u64, count: u32) -> Intended {
        Intended { first: Nanos(first), step_ns, count }
    }

    #[test]
    fn each_record_of_a_batch_is_timed_from_its_own_moment() {
        let mut samples = Samples::new(false);
        samples.begin(Nanos(0));
        samples.on_acknowledged(batch(1_000_000, 1_000_000, 3), 30, Nanos(5_000_000));
        let seen: Vec<u64> = samples
            .result
            .acknowledged
            .iter_recorded()
            .map(|value| value.value_iterated_to() / 1_000_000)
            .collect();
        assert_eq!(seen, [2, 3, 4]);
        assert_eq!((samples.result.records, samples.result.bytes, samples.result.requests), (3, 30, 1));
    }

    #[test]
    fn what_was_due_before_or_after_the_window_does_not_count() {
        let mut samples = Samples::new(true);
        samples.on_arrived(batch(1, 0, 1), Nanos(2));
        samples.begin(Nanos(1_000));
        samples.on_arrived(batch(999, 0, 1), Nanos(2_000));
        samples.on_arrived(batch(1_000, 0, 1), Nanos(2_000));
        samples.end(Nanos(3_000));
        // Late, but due in time: leaving it out would make a slow broker look better.
        samples.on_arrived(batch(2_999, 0, 1), Nanos(9_000_000));
        samples.on_arrived(batch(3_000, 0, 1), Nanos(9_000_000));
        assert_eq!(samples.result.end_to_end.len(), 2);
        assert!(samples.result.end_to_end.max() >= 8_900_000);
    }
}
