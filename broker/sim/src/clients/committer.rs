//! A client that commits offsets without being a member of a group, and asks what it has committed.

use protocol::ErrorCode;
use protocol::messages::offset_commit_response::OffsetCommitResponse;
use protocol::messages::offset_fetch_response::OffsetFetchResponse;
use shard::Nanos;

use crate::calls;
use crate::client::{Client, Context};
use crate::event::Event;
use crate::node::{address_of, address_of_client};
use crate::topics::{DURABLE, Place};
use crate::wire::{Answer, Heard, Wire};

const GROUP: &str = "alone";
const PAUSE_MS_MAX: u64 = 80;

/// One client, one question at a time.
pub struct Committer {
    wire: Wire,
    asked: Option<Asked>,
    next_offset: i64,
    count: u32,
    next_at: Nanos,
}

#[derive(Clone, Copy)]
enum Asked {
    Commit { attempt: u32 },
    Committed { place: Place, question: u32 },
}

impl Committer {
    /// A client that has committed nothing yet.
    pub fn new(number: usize) -> Committer {
        let wire = Wire::new(address_of_client(number), address_of(0));
        Committer { wire, asked: None, next_offset: 1, count: 0, next_at: Nanos::default() }
    }

    fn ask(&mut self, cx: &mut Context) {
        let place = DURABLE.place(cx.random.below(2) as i32).expect("the topic has two partitions");
        let number = self.count;
        self.count += 1;
        if cx.random.chance(60) {
            let offset = self.next_offset;
            self.next_offset += 1 + cx.random.below(5) as i64;
            cx.tell(Event::CommitAsked { group: GROUP, place, offset, attempt: number });
            self.asked = Some(Asked::Commit { attempt: number });
            let request = calls::commit(GROUP, ("", -1), place, offset);
            self.wire.ask(&cx.world, calls::OFFSET_COMMIT, &request);
        } else {
            cx.tell(Event::CommittedAsked { group: GROUP, place, question: number });
            self.asked = Some(Asked::Committed { place, question: number });
            self.wire.ask(&cx.world, calls::OFFSET_FETCH, &calls::committed(GROUP, place));
        }
    }

    fn on_answer(&mut self, cx: &mut Context, answer: &Answer) {
        match self.asked.take() {
            Some(Asked::Commit { attempt }) => {
                let response: OffsetCommitResponse<'_> = answer.read();
                if response.topics[0].partitions[0].error_code == ErrorCode::None.code() {
                    cx.tell(Event::CommitAcked { group: GROUP, attempt });
                    cx.progress();
                } else {
                    cx.tell(Event::CommitRefused { group: GROUP, attempt });
                }
            }
            Some(Asked::Committed { place, question }) => {
                if let Some(offset) = committed_in(answer) {
                    cx.tell(Event::CommittedRead { group: GROUP, place, question, offset });
                }
            }
            None => {}
        }
        self.next_at = cx.now().plus_ms(cx.random.below(PAUSE_MS_MAX) as i64);
    }
}

/// The one offset that was asked for; nothing if the coordinator refuses.
pub fn committed_in(answer: &Answer) -> Option<i64> {
    let response: OffsetFetchResponse<'_> = answer.read();
    let group = &response.groups[0];
    let partition = group.topics.first()?.partitions.first()?;
    let is_told = [group.error_code, partition.error_code] == [ErrorCode::None.code(); 2];
    is_told.then_some(partition.committed_offset)
}

impl Client for Committer {
    fn name(&self) -> String {
        "committer without a group".to_owned()
    }

    fn poll(&mut self, cx: &mut Context) {
        while let Some(heard) = self.wire.hear(&cx.world, &mut cx.random) {
            match heard {
                Heard::Answer(answer) => self.on_answer(cx, &answer),
                Heard::Lost => self.asked = None,
            }
        }
        let may_ask = self.wire.asked_count() == 0 && cx.now() >= self.next_at && cx.is_working();
        if may_ask && self.wire.is_up(&cx.world) {
            self.ask(cx);
        }
    }

    fn due(&self) -> Option<Nanos> {
        [self.wire.due(), Some(self.next_at)].into_iter().flatten().min()
    }

    fn is_quiet(&self) -> bool {
        self.wire.asked_count() == 0
    }
}
