//! A producer without an id, with acks=1: it never sends a batch twice, and hears of one batch before it sends the next.

use protocol::ErrorCode;
use protocol::messages::produce_response::ProduceResponse;
use shard::Nanos;

use crate::calls;
use crate::client::{Client, Context};
use crate::event::{Event, RecordId, Survives};
use crate::node::{address_of, address_of_client};
use crate::topics::{Place, Topic};
use crate::wire::{Heard, Wire};

/// The longest pause between two batches.
const PAUSE_MS_MAX: u64 = 100;

/// One writer, of one topic.
pub struct Plain {
    wire: Wire,
    writer: u16,
    topic: &'static Topic,
    next_number: u32,
    under_way: Option<(Place, RecordId, u32)>,
    next_at: Nanos,
}

impl Plain {
    /// A producer.
    pub fn new(number: usize, topic: &'static Topic) -> Plain {
        let wire = Wire::new(address_of_client(number), address_of(0));
        let writer = number as u16;
        Plain { wire, writer, topic, next_number: 0, under_way: None, next_at: Nanos::default() }
    }

    fn send(&mut self, cx: &mut Context) {
        let place = self.topic.place(cx.random.below(self.topic.partitions as u64) as i32);
        let place = place.expect("a partition of the topic");
        let first = RecordId { writer: self.writer, number: self.next_number };
        let count = 1 + cx.random.below(3) as u32;
        self.next_number += count;
        cx.tell(Event::Sent { place, first, count, is_sequenced: false, txn: None });
        let bytes = calls::batch(first, count, 50, None, false);
        self.wire.ask(&cx.world, calls::PRODUCE, &calls::produce(place, 1, None, &bytes));
        self.under_way = Some((place, first, count));
        self.next_at = cx.now().plus_ms(cx.random.below(PAUSE_MS_MAX) as i64);
    }
}

impl Client for Plain {
    fn name(&self) -> String {
        format!("producer of {} with acks=1", self.topic.name)
    }

    fn topic(&self) -> Option<&'static Topic> {
        Some(self.topic)
    }

    fn poll(&mut self, cx: &mut Context) {
        while let Some(heard) = self.wire.hear(&cx.world, &mut cx.random) {
            let sent = self.under_way.take();
            if let (Heard::Answer(answer), Some((place, first, count))) = (heard, sent) {
                let response: ProduceResponse<'_> = answer.read();
                let told = &response.responses[0].partition_responses[0];
                if told.error_code == ErrorCode::None.code() {
                    let (offset, survives) = (told.base_offset, Survives::Process);
                    cx.tell(Event::Acked { place, offset, first, count, survives });
                    cx.progress();
                }
            }
        }
        let may_send = self.under_way.is_none() && cx.now() >= self.next_at && cx.is_working();
        if may_send && self.wire.is_up(&cx.world) {
            self.send(cx);
        }
    }

    fn due(&self) -> Option<Nanos> {
        let next = self.under_way.is_none().then_some(self.next_at);
        [self.wire.due(), next].into_iter().flatten().min()
    }

    fn is_quiet(&self) -> bool {
        self.under_way.is_none()
    }
}
