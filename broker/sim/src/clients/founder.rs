//! Makes the topics of a run before anything goes wrong, and those of the coordinators.

use protocol::messages::create_topics_response::CreateTopicsResponse;
use protocol::messages::find_coordinator_response::FindCoordinatorResponse;
use shard::Nanos;

use crate::calls;
use crate::client::{Client, Context};
use crate::event::Event;
use crate::node::{address_of, address_of_client};
use crate::topics;
use crate::wire::{Heard, Wire};

/// One request after another, until all are answered.
pub struct Founder {
    wire: Wire,
    done: usize,
}

/// The topics, then the coordinators of groups and of transactions.
const STEPS: usize = topics::ALL.len() + 2;

impl Founder {
    /// Speaks to node 0.
    pub fn new(number: usize) -> Founder {
        Founder { wire: Wire::new(address_of_client(number), address_of(0)), done: 0 }
    }

    fn ask(&mut self, cx: &Context) {
        match topics::ALL.get(self.done) {
            Some(topic) => {
                let request = calls::create_topic(topic.name, topic.partitions, topic.settings);
                self.wire.ask(&cx.world, calls::CREATE_TOPICS, &request);
            }
            None => {
                let key_type = i8::from(self.done > topics::ALL.len());
                let request = calls::find_coordinator("founder", key_type);
                self.wire.ask(&cx.world, calls::FIND_COORDINATOR, &request);
            }
        }
    }
}

impl Client for Founder {
    fn name(&self) -> String {
        "founder".to_owned()
    }

    fn poll(&mut self, cx: &mut Context) {
        while let Some(Heard::Answer(answer)) = self.wire.hear(&cx.world, &mut cx.random) {
            let code = if self.done < topics::ALL.len() {
                answer.read::<CreateTopicsResponse<'_>>().topics[0].error_code
            } else {
                answer.read::<FindCoordinatorResponse<'_>>().coordinators[0].error_code
            };
            assert_eq!(code, 0, "topics can be made while nothing goes wrong");
            if let Some(topic) = topics::ALL.get(self.done) {
                cx.tell(Event::TopicMade { name: topic.name.into() });
            }
            self.done += 1;
        }
        if self.done < STEPS && self.wire.is_up(&cx.world) && self.wire.asked_count() == 0 {
            self.ask(cx);
        }
    }

    fn due(&self) -> Option<Nanos> {
        self.wire.due()
    }

    fn is_quiet(&self) -> bool {
        self.done == STEPS
    }
}
