//! What may be told to Raft of what a peer says. Raft takes its peers for honest and its own log for whole, and gives up at once
//! where they contradict it; here that is a refusal in words.
//!
//! Requests are taken from any node of the cluster, whether this one knows it as a member or not: its own list of members may
//! be the one that is behind, and then the leader, or a candidate that needs its vote, is a stranger to it. Answers are taken
//! from members only.

use raft::eraftpb::{Message, MessageType};
use raft::{Raft, StateRole};

use crate::batch::facts_of;
use crate::error::MessageRefusal;
use crate::members::NodeId;
use crate::store::Store;

/// Whether Raft can be given this message.
pub(crate) fn check(raft: &Raft<Store>, from: NodeId, message: &Message) -> Result<(), MessageRefusal> {
    match message.get_msg_type() {
        MessageType::MsgAppend => check_append(raft, message),
        MessageType::MsgHeartbeat => check_heartbeat(raft, message),
        MessageType::MsgAppendResponse => {
            check_member(raft, from)?;
            check_append_response(raft, message)
        }
        MessageType::MsgHeartbeatResponse
        | MessageType::MsgRequestVoteResponse
        | MessageType::MsgRequestPreVoteResponse
        | MessageType::MsgReadIndex => check_member(raft, from),
        MessageType::MsgReadIndexResp => match raft.leader_id == from.to_raft() {
            true => Ok(()),
            false => Err(MessageRefusal::UnknownSender(from)),
        },
        MessageType::MsgTimeoutNow | MessageType::MsgRequestVote | MessageType::MsgRequestPreVote => Ok(()),
        _ => Err(MessageRefusal::Absurd("nodes do not say this to each other")),
    }
}

fn check_member(raft: &Raft<Store>, from: NodeId) -> Result<(), MessageRefusal> {
    match raft.prs().get(from.to_raft()) {
        Some(_) => Ok(()),
        None => Err(MessageRefusal::UnknownSender(from)),
    }
}

/// Whether Raft will act on what a leader of this term says.
fn is_heeded(raft: &Raft<Store>, message: &Message) -> bool {
    message.term > raft.term || (message.term == raft.term && raft.state != StateRole::Leader)
}

fn check_append(raft: &Raft<Store>, message: &Message) -> Result<(), MessageRefusal> {
    let mut term_before = message.log_term;
    for entry in &message.entries {
        if entry.term < term_before || entry.term > message.term {
            return Err(MessageRefusal::Absurd("the terms in it do not go up"));
        }
        term_before = entry.term;
    }
    let log = &raft.raft_log;
    let is_taken = is_heeded(raft, message)
        && message.index >= log.committed
        && message.index <= log.last_index()
        && log.match_term(message.index, message.log_term);
    if !is_taken {
        return Ok(());
    }
    let conflict = log.find_conflict(&message.entries);
    if conflict != 0 && conflict <= log.committed {
        return Err(MessageRefusal::Contradicts(
            "the leader has other batches than those that are committed here",
        ));
    }
    let base = message.entries.first().and_then(|entry| facts_of(&entry.data)).map(|facts| facts.base_offset);
    let end = raft.store().mark(message.index).map(|mark| mark.next_offset);
    // The first batch of all may begin anywhere: a log that was cut before there were quorums does.
    if message.index > 0 && base.is_some_and(|base| end.is_some_and(|end| base != end)) {
        return Err(MessageRefusal::Contradicts("the leader counts other offsets"));
    }
    Ok(())
}

fn check_heartbeat(raft: &Raft<Store>, message: &Message) -> Result<(), MessageRefusal> {
    if is_heeded(raft, message) && message.commit > raft.raft_log.last_index() {
        return Err(MessageRefusal::Contradicts(
            "the leader says that this node had more batches than it has",
        ));
    }
    Ok(())
}

fn check_append_response(raft: &Raft<Store>, message: &Message) -> Result<(), MessageRefusal> {
    let is_heeded = message.term == raft.term && raft.state == StateRole::Leader;
    let last = raft.raft_log.last_index();
    if is_heeded && (message.index > last || message.reject_hint > last) {
        return Err(MessageRefusal::Absurd("it acknowledges what was never sent"));
    }
    Ok(())
}
