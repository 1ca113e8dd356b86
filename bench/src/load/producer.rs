//! One producing connection: when records are due, how they gather in batches, and what is under way.

use std::collections::VecDeque;

use shard::{Buf, Nanos};

use super::arrivals::Intended;
use super::frames::Batches;
use crate::scenario::Scenario;

/// Batches that may wait to be sent. A broker that is so far behind does not take the rate, and is not waited for.
const READY_MAX: usize = 1 << 20;

/// A batch that is to be sent, or was.
#[derive(Debug, Clone, Copy)]
pub struct Batch {
    /// Where it goes.
    pub partition: i32,
    /// Its records.
    pub intended: Intended,
}

/// A producing connection.
pub struct Producer {
    partitions: Vec<i32>,
    /// The next record's partition, by its place in the list above.
    turn: usize,
    batches: Batches,
    batch_records: u32,
    in_flight_max: usize,
    linger_ns: u64,
    /// Between two records, ns; none if they are not due at a time.
    step_ns: Option<f64>,
    /// When records began to be due, and how many were.
    begin: Nanos,
    due_count: u64,
    /// What gathers, by partition: since when, and how many.
    gathering: Vec<Option<Intended>>,
    ready: VecDeque<Batch>,
    in_flight: VecDeque<Batch>,
    /// The next sequence number, by partition.
    sequences: Vec<i32>,
    /// Whether records whose time had come were left out.
    pub is_overrun: bool,
}

impl Producer {
    /// A producer of `share` of the scenario's rate, to these partitions, its records due from `begin` on.
    pub fn new(
        scenario: &Scenario,
        partitions: Vec<i32>,
        share: f64,
        begin: Nanos,
        batches: Batches,
    ) -> Producer {
        let count = partitions.len();
        Producer {
            partitions,
            turn: 0,
            batches,
            batch_records: u32::try_from(scenario.batch_records).expect("a batch has a bounded size"),
            in_flight_max: scenario.in_flight,
            linger_ns: u64::try_from(scenario.linger.as_nanos()).unwrap_or(u64::MAX),
            step_ns: scenario.rate.map(|rate| 1e9 / (rate * share)),
            begin,
            due_count: 0,
            gathering: vec![None; count],
            ready: VecDeque::new(),
            in_flight: VecDeque::new(),
            sequences: vec![0; count],
            is_overrun: false,
        }
    }

    fn due_at(&self, step_ns: f64, number: u64) -> Nanos {
        Nanos(self.begin.0 + (number as f64 * step_ns) as u64)
    }

    /// All records are due so much later.
    pub fn delay(&mut self, by_ns: u64) {
        self.begin = Nanos(self.begin.0 + by_ns);
    }

    /// Makes batches of the records that are due by `now`. Without lingering, a batch's records are due together.
    pub fn gather(&mut self, now: Nanos) {
        let Some(step_ns) = self.step_ns else { return };
        let each = if self.linger_ns == 0 { self.batch_records } else { 1 };
        loop {
            let at = self.due_at(step_ns, self.due_count);
            if at > now {
                break;
            }
            if self.ready.len() >= READY_MAX {
                self.is_overrun = true;
                break;
            }
            self.due_count += u64::from(each);
            let place = self.next_place();
            if self.linger_ns == 0 {
                let intended = Intended { first: at, step_ns: 0, count: each };
                self.ready.push_back(Batch { partition: self.partitions[place], intended });
            } else {
                let between_ns = (step_ns * self.partitions.len() as f64) as u64;
                let fresh = Intended { first: at, step_ns: between_ns.max(1), count: 0 };
                let gathering = self.gathering[place].get_or_insert(fresh);
                gathering.count += 1;
                if gathering.count == self.batch_records {
                    self.flush(place);
                }
            }
        }
        for place in 0..self.partitions.len() {
            let since = self.gathering[place].map(|gathering| gathering.first);
            if since.is_some_and(|first| first.0 + self.linger_ns <= now.0) {
                self.flush(place);
            }
        }
    }

    fn flush(&mut self, place: usize) {
        if let Some(intended) = self.gathering[place].take() {
            self.ready.push_back(Batch { partition: self.partitions[place], intended });
        }
    }

    /// Nothing more becomes due: what gathers goes now.
    pub fn flush_all(&mut self) {
        (0..self.partitions.len()).for_each(|place| self.flush(place));
    }

    fn next_place(&mut self) -> usize {
        let place = self.turn;
        self.turn = (place + 1) % self.partitions.len();
        place
    }

    /// The next request, if one may be sent: what is ready, or, without a rate, a whole batch at any time.
    pub fn next_request(&mut self, now: Nanos) -> Option<(Batch, Buf)> {
        if self.in_flight.len() >= self.in_flight_max {
            return None;
        }
        let batch = match self.step_ns {
            Some(_) => self.ready.pop_front()?,
            None => {
                let place = self.next_place();
                let intended = Intended { first: now, step_ns: 0, count: self.batch_records };
                Batch { partition: self.partitions[place], intended }
            }
        };
        self.in_flight.push_back(batch);
        let place = self.partitions.iter().position(|known| *known == batch.partition)?;
        let (sequence, count) = (self.sequences[place], batch.intended.count);
        // They begin again after 2^31-1.
        self.sequences[place] = ((i64::from(sequence) + i64::from(count)) & 0x7fff_ffff) as i32;
        Some((batch, self.batches.frame(batch.partition, count as usize, sequence)))
    }

    /// The request that the next reply answers.
    pub fn on_reply(&mut self) -> Option<Batch> {
        self.in_flight.pop_front()
    }

    /// What was due and is not answered.
    pub fn unanswered(&self) -> impl Iterator<Item = Intended> {
        let whole = self.ready.iter().chain(&self.in_flight).map(|batch| batch.intended);
        whole.chain(self.gathering.iter().flatten().copied())
    }

    /// Whether requests are under way.
    pub fn is_waiting(&self) -> bool {
        !self.in_flight.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn producer(text: &str, partitions: Vec<i32>) -> Producer {
        let scenario = Scenario::parse("x", text).unwrap();
        let batches = Batches::new(&scenario, "t", 0, None);
        Producer::new(&scenario, partitions, 1.0, Nanos(0), batches)
    }

    fn drain(producer: &mut Producer) -> Vec<(i32, u64, u32)> {
        let next = || producer.next_request(Nanos(0)).map(|(batch, _)| batch);
        let all = std::iter::from_fn(next);
        all.map(|batch| (batch.partition, batch.intended.first.0 / 1_000_000, batch.intended.count)).collect()
    }

    #[test]
    fn records_are_due_at_a_steady_rate_whatever_is_answered() {
        let mut producer = producer("producers=1\nrate=1000\nin.flight=5", vec![0, 1]);
        producer.gather(Nanos(3_500_000));
        assert_eq!(drain(&mut producer), [(0, 0, 1), (1, 1, 1), (0, 2, 1), (1, 3, 1)]);
        // A late look finds all that has become due meanwhile, each with its own time.
        producer.gather(Nanos(9_999_999));
        assert_eq!(drain(&mut producer), [(0, 4, 1)], "five are under way");
        assert_eq!(producer.unanswered().count(), 10);
        for _ in 0..5 {
            producer.on_reply();
        }
        assert_eq!(drain(&mut producer), [(1, 5, 1), (0, 6, 1), (1, 7, 1), (0, 8, 1), (1, 9, 1)]);
    }

    #[test]
    fn lingering_records_go_together_when_the_time_is_over_or_the_batch_full() {
        let text = "producers=1\nrate=1000\nlinger.ms=5\nbatch.records=4\nin.flight=100";
        let mut producer = producer(text, vec![0]);
        producer.gather(Nanos(2_000_000));
        assert_eq!(drain(&mut producer), []);
        producer.gather(Nanos(3_000_000));
        assert_eq!(drain(&mut producer), [(0, 0, 4)], "full");
        producer.gather(Nanos(4_000_000));
        assert_eq!(drain(&mut producer), []);
        producer.gather(Nanos(9_000_000));
        assert_eq!(drain(&mut producer), [(0, 4, 4)], "full, and its time is over as well");
    }

    #[test]
    fn a_closed_loop_keeps_its_requests_under_way() {
        let mut producer = producer("producers=1\nbatch.records=2\nin.flight=3", vec![5]);
        assert_eq!(drain(&mut producer), [(5, 0, 2); 3]);
        producer.on_reply();
        assert_eq!(drain(&mut producer), [(5, 0, 2); 1]);
    }
}
