//! What the first core does for the metadata quorum: its ticks, what its controller's changes lead to, and what goes to other
//! controllers.

use std::sync::Arc;

use net::client::Address;
use net::{CloseReason, Reply};
use quorum::{Members, MessageRefusal, NodeId, TICK_MS};
use shard::Nanos;

use super::{Broker, quorum_timer};
use crate::api;
use crate::mail::Turn;
use crate::metadata::controller::Effects;
use crate::request::Request;

/// How long a stop waits for another node to lead, in ms. An election by time takes longer.
const HANDOVER_MS_MAX: i64 = 300;

impl Broker {
    /// Begins to tick. A node that is a quorum alone has nothing to wait for, and does not.
    pub(super) fn start_quorum(&mut self, turn: &mut Turn<'_>) {
        if self.controller.is_none() {
            return;
        }
        if self.controller().needs_ticks() && !self.is_quorum_ticking {
            self.is_quorum_ticking = true;
            turn.timers.set(turn.now.plus_ms(TICK_MS), quorum_timer());
        }
    }

    pub(super) fn on_quorum_tick(&mut self, turn: &mut Turn<'_>) {
        self.is_quorum_ticking = false;
        let effects = self.controller().on_tick(turn.disk, turn.wall_ms);
        self.carry_out(turn, effects);
        self.send_forwards(turn);
        self.expire_forwards(turn);
        self.on_lifecycle_tick(turn);
        self.start_quorum(turn);
    }

    /// The core is about to stop: another node had better lead.
    pub(super) fn stop_quorum(&mut self, turn: &mut Turn<'_>) {
        self.handover_until = turn.now.plus_ms(HANDOVER_MS_MAX);
        if let Some(controller) = &mut self.controller {
            let effects = controller.on_stop(turn.disk, turn.wall_ms);
            self.carry_out(turn, effects);
        }
    }

    /// Whether a stop can go on: this node does not lead others, or they have had the time to hear that they should choose
    /// another. Its own ticks wake it.
    pub(super) fn has_handed_over(&self, now: Nanos) -> bool {
        self.controller.as_ref().is_none_or(|controller| !controller.leads_others())
            || now >= self.handover_until
    }

    /// Carries out what an input to the controller has led to.
    pub(crate) fn carry_out(&mut self, turn: &mut Turn<'_>, effects: Effects) {
        let Effects { image, answers, voter_changes, letters, members, reads, is_lead_changed } = effects;
        if let Some(members) = members {
            self.set_addresses(&members);
        }
        for (to, bytes) in letters {
            self.send_letter(turn, to, &bytes);
        }
        for (request, frame) in answers {
            self.reply_frame(turn, &request, frame);
        }
        for (request, outcome) in voter_changes {
            api::raft_voters::finish(self, turn, &request, outcome);
        }
        if let Some(image) = image {
            self.publish(turn, &Arc::clone(&image));
        }
        for (id, is_fresh) in reads {
            self.on_read(turn, id, is_fresh);
        }
        if is_lead_changed {
            self.take_forwards_back(turn);
        }
        self.start_quorum(turn);
    }

    /// Says something to another controller. What cannot be sent is lost, as any letter may be; the quorum says it again.
    fn send_letter(&mut self, turn: &mut Turn<'_>, to: NodeId, bytes: &[u8]) {
        if self.tell_controller(turn.now, to.0, bytes).is_err() {
            self.controller().on_unreachable(to);
        }
    }

    /// Lets the controller heed what another one says.
    pub(super) fn heed_letter(
        &mut self,
        turn: &mut Turn<'_>,
        from: i32,
        content: &[u8],
    ) -> Result<(), MessageRefusal> {
        let (effects, heeded) = self.controller().on_letter(turn.disk, turn.wall_ms, NodeId(from), content);
        self.carry_out(turn, effects);
        heeded
    }

    /// Takes note of where the members of the quorum are.
    pub(super) fn set_addresses(&mut self, members: &Members) {
        let me = NodeId(self.node.id);
        for member in members.voters().chain(members.learners()).filter(|member| member.id != me) {
            if let Some(endpoint) = member.endpoints.first() {
                let address = Address { host: endpoint.host.clone(), port: endpoint.port };
                self.set_peer_address(member.id.0, &address);
            }
        }
    }

    /// Keeps a request until the controller can carry it out.
    pub(crate) fn enqueue_for_controller(&mut self, turn: &mut Turn<'_>, request: Request) {
        if let Err(request) = self.controller().enqueue(Box::new(request)) {
            let why = "too many changes of the metadata are waiting".to_owned();
            self.reply_or_close(turn, &request, Reply::Close(CloseReason::Request(why.into())));
        }
    }
}
