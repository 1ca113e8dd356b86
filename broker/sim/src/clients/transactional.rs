//! A transactional producer of version 2 (KIP-98, KIP-890): it writes to some partitions, and commits or aborts.
//!
//! ```text
//! Fenced ─► InitProducerId ─► Open ─► batches, one at a time ─► Ending ─► EndTxn ─► Open …
//! ```
//! Now and then it dies in the middle: a new producer of the same transactional id takes over, and what is left of the old one,
//! a zombie, sends a batch whose sequence number would be right.

use protocol::ErrorCode;
use protocol::messages::end_txn_request::EndTxnRequest;
use protocol::messages::end_txn_response::EndTxnResponse;
use protocol::messages::init_producer_id_response::InitProducerIdResponse;
use protocol::messages::produce_response::ProduceResponse;
use shard::Nanos;

use crate::calls::{self, ProducerAt};
use crate::client::{Client, Context};
use crate::event::{Event, RecordId, Survives, TxnEnd, TxnId};
use crate::node::{address_of, address_of_client};
use crate::topics::{Place, TRANSACTED};
use crate::wire::{Answer, Heard, Wire};

/// A transaction that is open for longer is aborted by its coordinator.
const TIMEOUT_MS: i32 = 6_000;
const PAUSE_MS_MAX: u64 = 60;
const RETRY_MS: i64 = 40;
const BATCHES_MAX: u64 = 5;
/// Zombies are writers of their own.
const ZOMBIE_WRITERS: u16 = 1000;

/// One producer after another, of one transactional id.
pub struct Transactional {
    wire: Wire,
    zombie_wire: Wire,
    writer: u16,
    name: String,
    state: State,
    id: i64,
    epoch: i16,
    /// The producer that was replaced, until it has sent its last batch.
    zombie: Option<(i64, i16)>,
    zombie_txn: Option<(Place, TxnId)>,
    txn: TxnId,
    sequences: Vec<i32>,
    next_number: u32,
    batches_left: u64,
    under_way: Option<(Place, RecordId, u32)>,
    next_at: Nanos,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It has no epoch of its own.
    Fenced,
    /// A transaction may be begun, or has been.
    Open,
    /// It is to be ended, and nothing else is sent before it is.
    Ending { commits: bool },
}

impl Transactional {
    /// A producer that does not know its epoch yet.
    pub fn new(number: usize) -> Transactional {
        Transactional {
            wire: Wire::new(address_of_client(number), address_of(0)),
            zombie_wire: Wire::new(address_of_client(number), address_of(0)),
            writer: number as u16,
            name: format!("txn-{number}"),
            state: State::Fenced,
            id: -1,
            epoch: -1,
            zombie: None,
            zombie_txn: None,
            txn: TxnId { writer: number as u16, number: 0 },
            sequences: vec![0; TRANSACTED.partitions as usize],
            next_number: 0,
            batches_left: 0,
            under_way: None,
            next_at: Nanos::default(),
        }
    }

    fn is_begun(&self) -> bool {
        self.sequences.iter().any(|sequence| *sequence > 0)
    }

    fn ask(&mut self, cx: &mut Context) {
        match self.state {
            State::Fenced => {
                let request = calls::init_producer(Some(&self.name), TIMEOUT_MS);
                self.wire.ask(&cx.world, calls::INIT_PRODUCER_ID, &request);
            }
            State::Open if !cx.is_working() && !self.is_begun() => {}
            State::Open if self.batches_left > 0 && cx.is_working() => self.send(cx),
            State::Open => {
                let commits = cx.random.chance(70);
                self.begin_end(cx, commits);
                self.ask(cx);
            }
            State::Ending { commits: committed } => {
                let request = EndTxnRequest {
                    transactional_id: &self.name,
                    producer_id: self.id,
                    producer_epoch: self.epoch,
                    committed,
                };
                self.wire.ask(&cx.world, calls::END_TXN, &request);
            }
        }
    }

    fn send(&mut self, cx: &mut Context) {
        let partition = cx.random.below(self.sequences.len() as u64) as usize;
        let place = TRANSACTED.place(partition as i32).expect("a partition of the topic");
        let (count, first) =
            (1 + cx.random.below(3) as u32, RecordId { writer: self.writer, number: self.next_number });
        let at = ProducerAt { id: self.id, epoch: self.epoch, sequence: self.sequences[partition] };
        let bytes = calls::batch(first, count, 30, Some(at), true);
        self.next_number += count;
        self.sequences[partition] += count as i32;
        self.batches_left -= 1;
        self.under_way = Some((place, first, count));
        cx.tell(Event::Sent { place, first, count, is_sequenced: true, txn: Some(self.txn) });
        self.wire.ask(&cx.world, calls::PRODUCE, &calls::produce(place, -1, Some(&self.name), &bytes));
    }

    /// From here on the transaction is not written to.
    fn begin_end(&mut self, cx: &mut Context, commits: bool) {
        self.state = State::Ending { commits };
        cx.tell(Event::TxnEnding { txn: self.txn, commits });
    }

    /// Begins the next transaction, in the epoch that was told.
    fn begin(&mut self, cx: &mut Context, id: i64, epoch: i16) {
        (self.id, self.epoch, self.state) = (id, epoch, State::Open);
        self.txn.number += 1;
        self.sequences.fill(0);
        self.batches_left = 1 + cx.random.below(BATCHES_MAX);
        self.next_at = cx.now().plus_ms(cx.random.below(PAUSE_MS_MAX) as i64);
    }

    /// Has to get a new epoch. A transaction whose end was not asked for is aborted by that.
    fn be_fenced(&mut self, cx: &mut Context) {
        if self.is_begun() {
            cx.tell(Event::TxnEnded { txn: self.txn, end: TxnEnd::Unknown });
        }
        self.sequences.fill(0);
        self.state = State::Fenced;
    }

    /// Dies, and comes back as another producer of the same name.
    fn die(&mut self, cx: &mut Context) {
        self.zombie = Some((self.id, self.epoch));
        self.wire.drop_connection(&cx.world, &mut cx.random);
        self.be_fenced(cx);
    }

    fn on_answer(&mut self, cx: &mut Context, answer: &Answer) {
        match self.state {
            State::Fenced => {
                let response: InitProducerIdResponse = answer.read();
                if response.error_code == ErrorCode::None.code() {
                    self.begin(cx, response.producer_id, response.producer_epoch);
                } else {
                    self.next_at = cx.now().plus_ms(RETRY_MS);
                }
            }
            State::Open => {
                let response: ProduceResponse<'_> = answer.read();
                let told = &response.responses[0].partition_responses[0];
                let code = ErrorCode::from_code(told.error_code).expect("an error that Kafka has");
                self.on_produced(cx, code, told.base_offset);
            }
            State::Ending { commits } => {
                let response: EndTxnResponse = answer.read();
                let code = ErrorCode::from_code(response.error_code).expect("an error that Kafka has");
                self.on_ended(cx, code, commits, (response.producer_id, response.producer_epoch));
            }
        }
    }

    fn on_produced(&mut self, cx: &mut Context, code: ErrorCode, offset: i64) {
        let Some((place, first, count)) = self.under_way.take() else { return };
        match code {
            ErrorCode::None => {
                cx.tell(Event::Acked { place, offset, first, count, survives: Survives::Power });
                self.next_at = cx.now().plus_ms(cx.random.below(PAUSE_MS_MAX) as i64);
                self.send_as_zombie(cx, place);
                if cx.random.chance(4) {
                    self.die(cx);
                }
            }
            ErrorCode::ProducerFenced
            | ErrorCode::InvalidProducerEpoch
            | ErrorCode::InvalidTxnState
            | ErrorCode::OutOfOrderSequenceNumber
            | ErrorCode::InvalidProducerIdMapping => self.be_fenced(cx),
            // What was not taken must not be missing in a transaction that is committed.
            _ => self.begin_end(cx, false),
        }
    }

    fn on_ended(&mut self, cx: &mut Context, code: ErrorCode, commits: bool, (id, epoch): (i64, i16)) {
        match code {
            ErrorCode::None => {
                let end = if commits { TxnEnd::Committed } else { TxnEnd::Aborted };
                cx.tell(Event::TxnEnded { txn: self.txn, end });
                cx.progress();
                self.begin(cx, id, epoch);
            }
            ErrorCode::ConcurrentTransactions
            | ErrorCode::CoordinatorLoadInProgress
            | ErrorCode::CoordinatorNotAvailable
            | ErrorCode::NotCoordinator => self.next_at = cx.now().plus_ms(RETRY_MS),
            _ => self.be_fenced(cx),
        }
    }

    /// The producer before sends what the newer one would send next.
    fn send_as_zombie(&mut self, cx: &mut Context, place: Place) {
        let Some((id, epoch)) = self.zombie.take() else { return };
        if !self.zombie_wire.is_up(&cx.world) {
            self.zombie = Some((id, epoch));
            return;
        }
        let at = ProducerAt { id, epoch, sequence: self.sequences[place.partition as usize] };
        let first = RecordId { writer: self.writer + ZOMBIE_WRITERS, number: self.next_number };
        let bytes = calls::batch(first, 1, 0, Some(at), true);
        self.zombie_txn = Some((place, self.txn));
        self.zombie_wire.ask(&cx.world, calls::PRODUCE, &calls::produce(place, -1, Some(&self.name), &bytes));
    }

    fn hear_as_zombie(&mut self, cx: &mut Context) {
        while let Some(heard) = self.zombie_wire.hear(&cx.world, &mut cx.random) {
            let sent = self.zombie_txn.take();
            if let (Heard::Answer(answer), Some((place, txn))) = (heard, sent) {
                let response: ProduceResponse<'_> = answer.read();
                if response.responses[0].partition_responses[0].error_code == ErrorCode::None.code() {
                    cx.tell(Event::ZombieAcked { place, txn });
                }
            }
        }
    }
}

impl Client for Transactional {
    fn name(&self) -> String {
        format!("transactional producer {}", self.name)
    }

    fn poll(&mut self, cx: &mut Context) {
        self.hear_as_zombie(cx);
        while let Some(heard) = self.wire.hear(&cx.world, &mut cx.random) {
            match heard {
                Heard::Answer(answer) => self.on_answer(cx, &answer),
                Heard::Lost if self.under_way.take().is_some() && self.state == State::Open => {
                    self.begin_end(cx, false);
                }
                Heard::Lost => {}
            }
        }
        let may_ask = self.wire.asked_count() == 0 && cx.now() >= self.next_at;
        if may_ask && self.wire.is_up(&cx.world) {
            self.ask(cx);
        }
    }

    fn due(&self) -> Option<Nanos> {
        [self.wire.due(), self.zombie_wire.due(), Some(self.next_at)].into_iter().flatten().min()
    }

    fn is_quiet(&self) -> bool {
        self.state == State::Open && !self.is_begun() && self.under_way.is_none()
    }
}
