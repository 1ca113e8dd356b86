//! A consumer without a group: it reads all partitions of a topic from their start, and goes on as they grow. In an audit it
//! reads them once, to their end.

use std::rc::Rc;

use protocol::ErrorCode;
use protocol::messages::fetch_response::{FetchResponse, PartitionData};
use shard::Nanos;

use crate::calls;
use crate::client::{Client, Context};
use crate::event::{Event, Isolation, RecordId};
use crate::node::{address_of, address_of_client};
use crate::topics::{Place, Topic};
use crate::wire::{Answer, Heard, Wire};

/// After an error there is nothing to be had for a moment.
const RETRY_MS: i64 = 50;

/// One reader, of one topic.
pub struct Reader {
    wire: Wire,
    number: u16,
    topic: &'static Topic,
    isolation: Isolation,
    positions: Vec<i64>,
    audit: Option<Vec<Audit>>,
    next_at: Nanos,
}

/// What an audit has found in one partition.
#[derive(Default, Clone)]
struct Audit {
    records: Vec<(i64, RecordId)>,
    is_done: bool,
}

impl Reader {
    /// A reader that never ends.
    pub fn new(number: usize, topic: &'static Topic, isolation: Isolation) -> Reader {
        Reader {
            wire: Wire::new(address_of_client(number), address_of(0)),
            number: number as u16,
            topic,
            isolation,
            positions: vec![0; topic.partitions as usize],
            audit: None,
            next_at: Nanos::default(),
        }
    }

    /// A reader that reads everything once.
    pub fn auditing(number: usize, topic: &'static Topic, isolation: Isolation) -> Reader {
        let audit = Some(vec![Audit::default(); topic.partitions as usize]);
        Reader { audit, ..Reader::new(number, topic, isolation) }
    }

    fn is_read(&self, place: Place) -> bool {
        self.audit.as_ref().is_some_and(|audit| audit[place.partition as usize].is_done)
    }

    fn ask(&mut self, cx: &mut Context) {
        let places = self.topic.places().filter(|place| !self.is_read(*place));
        let wanted: Vec<_> = places.map(|place| (place, self.positions[place.partition as usize])).collect();
        if !wanted.is_empty() {
            cx.tell(Event::FetchAsked { reader: self.number });
            self.wire.ask(&cx.world, calls::FETCH, &calls::fetch(&wanted, self.isolation));
        }
    }

    fn on_answer(&mut self, cx: &mut Context, answer: &Answer) {
        let response: FetchResponse<'_> = answer.read();
        if response.error_code != ErrorCode::None.code() {
            self.next_at = cx.now().plus_ms(RETRY_MS);
        }
        for data in response.responses.iter().flat_map(|topic| &topic.partitions) {
            let Some(place) = self.topic.place(data.partition_index) else { continue };
            match ErrorCode::from_code(data.error_code) {
                Some(ErrorCode::None) => self.on_data(cx, place, data),
                Some(ErrorCode::OffsetOutOfRange) => self.rewind(cx, place),
                _ => self.next_at = cx.now().plus_ms(RETRY_MS),
            }
        }
    }

    fn on_data(&mut self, cx: &mut Context, place: Place, data: &PartitionData<'_>) {
        let (reader, isolation) = (self.number, self.isolation);
        cx.tell(Event::Ends {
            reader,
            place,
            log_start: data.log_start_offset,
            last_stable: data.last_stable_offset,
            high_watermark: data.high_watermark,
        });
        let aborted = data.aborted_transactions.iter().flatten();
        let aborted: Vec<_> = aborted.map(|txn| (txn.producer_id, txn.first_offset)).collect();
        let position = &mut self.positions[place.partition as usize];
        let (records, next, checked) = calls::consume(data.records.unwrap_or_default(), &aborted, *position);
        if let Err(fault) = checked {
            assert!(!place.is_promised(), "{place}: {fault:?}");
            self.next_at = cx.now().plus_ms(RETRY_MS);
        }
        let is_at_end = next == *position && next >= data.high_watermark;
        *position = next;
        for &(offset, record) in &records {
            cx.tell(Event::Read { reader, isolation, place, offset, record });
        }
        cx.progress();
        let Some(audit) = &mut self.audit else { return };
        let audit = &mut audit[place.partition as usize];
        audit.records.extend(records);
        if is_at_end && !std::mem::replace(&mut audit.is_done, true) {
            let records = Rc::new(std::mem::take(&mut audit.records));
            cx.tell(Event::Audited { place, isolation, records });
        }
    }

    fn rewind(&mut self, cx: &mut Context, place: Place) {
        cx.tell(Event::Rewound { reader: self.number, place });
        self.positions[place.partition as usize] = 0;
        if let Some(audit) = &mut self.audit {
            audit[place.partition as usize].records.clear();
        }
    }
}

impl Client for Reader {
    fn name(&self) -> String {
        let kind = if self.audit.is_some() { "audit" } else { "reader" };
        format!("{kind} of {} ({:?})", self.topic.name, self.isolation)
    }

    fn topic(&self) -> Option<&'static Topic> {
        Some(self.topic)
    }

    fn poll(&mut self, cx: &mut Context) {
        while let Some(heard) = self.wire.hear(&cx.world, &mut cx.random) {
            if let Heard::Answer(answer) = heard {
                self.on_answer(cx, &answer);
            }
        }
        let may_ask = self.wire.asked_count() == 0 && cx.now() >= self.next_at;
        let wants = cx.is_working() || self.audit.is_some();
        if may_ask && wants && self.wire.is_up(&cx.world) {
            self.ask(cx);
        }
    }

    fn due(&self) -> Option<Nanos> {
        [self.wire.due(), Some(self.next_at)].into_iter().flatten().min()
    }

    fn is_quiet(&self) -> bool {
        self.audit.as_ref().is_none_or(|audit| audit.iter().all(|place| place.is_done))
    }
}
