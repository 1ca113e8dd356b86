//! Topics that are made because a client asks about them: the controller is asked as any client would ask it, and then the
//! client's request is carried out.

use net::Reply;
use protocol::ApiKey;
use protocol::messages::create_topics_request::{CreatableTopic, CreateTopicsRequest};

use super::Broker;
use crate::api;
use crate::mail::Turn;
use crate::own_requests::{self, Purpose};
use crate::request::Request;

/// The version of CreateTopics that is asked with.
const VERSION: i16 = 7;

/// How long the controller may take, in ms.
const TIMEOUT_MS: i32 = 30_000;

impl Broker {
    /// Asks for topics, and carries the request out once more when that is answered, however it is.
    pub fn create_topics_for(
        &mut self,
        turn: &mut Turn<'_>,
        mut request: Request,
        topics: Vec<CreatableTopic<'_>>,
    ) {
        request.is_retried = true;
        let asked = CreateTopicsRequest { topics, timeout_ms: TIMEOUT_MS, ..Default::default() };
        match self.own_requests.begin(Purpose::Create(Box::new(request))) {
            Ok(number) => {
                let asked = own_requests::request(turn.shard, number, ApiKey::CreateTopics, VERSION, &asked);
                self.forward_to_controller(turn, asked);
            }
            Err(purpose) => self.on_own_answer(turn, purpose, &Reply::Silent),
        }
    }

    /// A request of this broker's is answered, or will not be.
    pub(super) fn on_own_reply(&mut self, turn: &mut Turn<'_>, number: u64, reply: &Reply) {
        if let Some(purpose) = self.own_requests.end(number) {
            self.on_own_answer(turn, purpose, reply);
        }
    }

    fn on_own_answer(&mut self, turn: &mut Turn<'_>, purpose: Purpose, reply: &Reply) {
        match purpose {
            // What could not be made, the request finds missing, and says so.
            Purpose::Create(request) => {
                let api = api::find(request.key).expect("the key was found before");
                (api.handle)(self, turn, *request);
            }
            Purpose::ProducerIds => self.on_producer_ids(turn, reply),
            Purpose::Registration => self.on_registration_answer(turn, reply),
            Purpose::Heartbeat => self.on_heartbeat_answer(turn, reply),
        }
    }
}
