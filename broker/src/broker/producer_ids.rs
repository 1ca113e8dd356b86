//! Producer ids: the first core has a block of them, and asks the controller for another when it is used up (KIP-730).

use std::collections::VecDeque;

use net::Reply;
use protocol::messages::allocate_producer_ids_request::AllocateProducerIdsRequest;
use protocol::messages::allocate_producer_ids_response::AllocateProducerIdsResponse;
use protocol::{ApiKey, ErrorCode};

use super::Broker;
use crate::api;
use crate::mail::Turn;
use crate::own_requests::{self, Purpose};
use crate::request::Request;

/// The version that is asked with.
const VERSION: i16 = 0;

/// Requests that may wait for a block.
const WAITING_MAX: usize = 10_000;

/// The ids that this broker may give to producers.
#[derive(Debug, Default)]
pub struct ProducerIds {
    block: std::ops::Range<i64>,
    /// Requests that wait for the next block, which is asked for if there are any.
    waiting: VecDeque<Request>,
}

impl Iterator for ProducerIds {
    type Item = i64;

    /// An id that nobody has, if any is left of the block.
    fn next(&mut self) -> Option<i64> {
        self.block.next()
    }
}

impl Broker {
    /// Asks for another block, and begins the request anew when it is there, or cannot be had; gives it back if too many wait.
    pub fn allocate_producer_ids_for(&mut self, turn: &mut Turn<'_>, request: Request) -> Option<Request> {
        if self.producer_ids.waiting.len() >= WAITING_MAX {
            return Some(request);
        }
        self.producer_ids.waiting.push_back(request);
        if self.producer_ids.waiting.len() > 1 {
            return None;
        }
        let broker_epoch = self.image.broker(self.node.id).map_or(-1, |broker| broker.epoch);
        let asked =
            AllocateProducerIdsRequest { broker_id: self.node.id, broker_epoch, ..Default::default() };
        match self.own_requests.begin(Purpose::ProducerIds) {
            Ok(number) => {
                let asked =
                    own_requests::request(turn.shard, number, ApiKey::AllocateProducerIds, VERSION, &asked);
                self.forward_to_controller(turn, asked);
            }
            Err(_) => self.on_producer_ids(turn, &Reply::Silent),
        }
        None
    }

    /// The controller has answered, or cannot be reached.
    pub(super) fn on_producer_ids(&mut self, turn: &mut Turn<'_>, reply: &Reply) {
        let frame = own_requests::frame_of(reply);
        let answer = own_requests::read::<AllocateProducerIdsResponse>(&frame, VERSION);
        match answer {
            Some(answer) if answer.error_code == ErrorCode::None.code() => {
                let first = answer.producer_id_start;
                self.producer_ids.block = first..first + i64::from(answer.producer_id_len.max(0));
            }
            Some(answer) => {
                tracing::warn!(code = answer.error_code, "the controller gives no producer ids");
            }
            None => tracing::warn!("the controller could not be asked for producer ids"),
        }
        for mut request in std::mem::take(&mut self.producer_ids.waiting) {
            request.is_retried = true;
            let api = api::find(request.key).expect("the key was found before");
            (api.handle)(self, turn, request);
        }
    }
}
