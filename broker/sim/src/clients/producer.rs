//! An idempotent producer (KIP-98): up to five batches under way, and what is not acknowledged when a connection is lost is
//! sent again in the same order.

use std::collections::VecDeque;

use protocol::ErrorCode;
use protocol::messages::init_producer_id_response::InitProducerIdResponse;
use protocol::messages::produce_response::ProduceResponse;
use shard::Nanos;

use crate::calls::{self, ProducerAt};
use crate::client::{Client, Context};
use crate::event::{Event, RecordId, Survives};
use crate::node::{address_of, address_of_client};
use crate::topics::{Place, Topic};
use crate::wire::{Answer, Heard, Wire};

/// What Java's producer has under way at most, and what brokers recognise repetitions among (Q41).
const IN_FLIGHT_MAX: usize = 5;
/// The longest pause between two batches.
const PAUSE_MS_MAX: u64 = 60;
const RECORDS_MAX: u64 = 4;
const PADDING_MAX: u64 = 200;

/// One writer, of one topic.
pub struct Producer {
    wire: Wire,
    writer: u16,
    topic: &'static Topic,
    id: Option<i64>,
    /// The next sequence number of each partition.
    sequences: Vec<i32>,
    next_number: u32,
    /// Not acknowledged, oldest first.
    unanswered: VecDeque<Batch>,
    /// How many of them were sent on this connection.
    sent_count: usize,
    next_at: Nanos,
}

struct Batch {
    place: Place,
    first: RecordId,
    count: u32,
    bytes: Vec<u8>,
}

impl Producer {
    /// A producer that has no id yet.
    pub fn new(number: usize, topic: &'static Topic) -> Producer {
        Producer {
            wire: Wire::new(address_of_client(number), address_of(0)),
            writer: number as u16,
            topic,
            id: None,
            sequences: vec![0; topic.partitions as usize],
            next_number: 0,
            unanswered: VecDeque::new(),
            sent_count: 0,
            next_at: Nanos::default(),
        }
    }

    fn on_answer(&mut self, cx: &mut Context, answer: &Answer) {
        if self.id.is_none() {
            let response: InitProducerIdResponse = answer.read();
            match ErrorCode::from_code(response.error_code) {
                Some(ErrorCode::None) => self.id = Some(response.producer_id),
                _ => self.begin_again(cx),
            }
            return;
        }
        let response: ProduceResponse<'_> = answer.read();
        let told = &response.responses[0].partition_responses[0];
        let code = ErrorCode::from_code(told.error_code).expect("an error that Kafka has");
        match code {
            ErrorCode::None => self.on_acked(cx, told.base_offset),
            ErrorCode::OutOfOrderSequenceNumber | ErrorCode::InvalidProducerEpoch => {
                self.on_refused(cx, code)
            }
            _ => self.begin_again(cx),
        }
    }

    fn on_acked(&mut self, cx: &mut Context, offset: i64) {
        let batch = self.unanswered.pop_front().expect("an answer to a batch");
        self.sent_count -= 1;
        let survives = match self.topic.settings.contains(&("ringlog.durability", "os")) {
            true => Survives::Process,
            false => Survives::Power,
        };
        let Batch { place, first, count, .. } = batch;
        cx.tell(Event::Acked { place, offset, first, count, survives });
        cx.progress();
    }

    /// All before it was acknowledged or sent before it on this connection, so that the log must have lost something. Where
    /// the topic may, the producer goes on as another one (KIP-360).
    fn on_refused(&mut self, cx: &mut Context, error: ErrorCode) {
        let batch = self.unanswered.front().expect("an answer to a batch");
        cx.tell(Event::Refused { place: batch.place, first: batch.first, error });
        self.id = None;
        self.sequences.fill(0);
        self.unanswered.clear();
        self.begin_again(cx);
    }

    fn begin_again(&mut self, cx: &mut Context) {
        self.wire.drop_connection(&cx.world, &mut cx.random);
        self.sent_count = 0;
    }

    fn go_on(&mut self, cx: &mut Context) {
        let Some(id) = self.id else {
            if self.wire.asked_count() == 0 {
                self.wire.ask(&cx.world, calls::INIT_PRODUCER_ID, &calls::init_producer(None, 60_000));
            }
            return;
        };
        if cx.is_working() && self.unanswered.len() < IN_FLIGHT_MAX && cx.now() >= self.next_at {
            let batch = self.next_batch(cx, id);
            self.unanswered.push_back(batch);
            self.next_at = cx.now().plus_ms(cx.random.below(PAUSE_MS_MAX) as i64);
        }
        while let Some(batch) = self.unanswered.get(self.sent_count) {
            let request = calls::produce(batch.place, -1, None, &batch.bytes);
            self.wire.ask(&cx.world, calls::PRODUCE, &request);
            self.sent_count += 1;
        }
    }

    fn next_batch(&mut self, cx: &mut Context, id: i64) -> Batch {
        let partition = cx.random.below(self.sequences.len() as u64) as usize;
        let place = self.topic.place(partition as i32).expect("a partition of the topic");
        let count = 1 + cx.random.below(RECORDS_MAX) as u32;
        let first = RecordId { writer: self.writer, number: self.next_number };
        let sequence = self.sequences[partition];
        let padding = cx.random.below(PADDING_MAX) as usize;
        let bytes = calls::batch(first, count, padding, Some(ProducerAt { id, epoch: 0, sequence }), false);
        self.next_number += count;
        self.sequences[partition] += count as i32;
        cx.tell(Event::Sent { place, first, count, is_sequenced: true, txn: None });
        Batch { place, first, count, bytes }
    }
}

impl Client for Producer {
    fn name(&self) -> String {
        format!("idempotent producer of {}", self.topic.name)
    }

    fn topic(&self) -> Option<&'static Topic> {
        Some(self.topic)
    }

    fn poll(&mut self, cx: &mut Context) {
        while let Some(heard) = self.wire.hear(&cx.world, &mut cx.random) {
            match heard {
                Heard::Answer(answer) => self.on_answer(cx, &answer),
                Heard::Lost => self.sent_count = 0,
            }
        }
        if self.wire.is_up(&cx.world) {
            self.go_on(cx);
        }
    }

    fn due(&self) -> Option<Nanos> {
        let next = (self.unanswered.len() < IN_FLIGHT_MAX).then_some(self.next_at);
        [self.wire.due(), next].into_iter().flatten().min()
    }

    fn is_quiet(&self) -> bool {
        self.unanswered.is_empty()
    }
}
