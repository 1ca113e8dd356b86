//! From one protocol to the other while the members work (KIP-848): a classic group of consumers becomes a consumer group when
//! the first member of that protocol comes, and a consumer group becomes a classic one when the last of them is gone.
//!
//! ```text
//!             ConsumerGroupHeartbeat joins                      the last consumer-protocol member
//!   classic ───────────────────────────────► mixed, a consumer  ───────────────────────────────► classic
//!                                            group to everybody  leaves, expires, or is replaced
//! ```
//! Members keep their ids, generation and partitions on either way: generation and member epoch are the same number, and
//! nobody is given what another one may still have.

use std::sync::Arc;

use protocol::ErrorCode;

use super::{Classic, Coordinator, Kind};
use crate::groups::ask::{ConsumerHeartbeat, GroupAnswer, GroupAsk, Join};
use crate::groups::consumer::{Admission, Consumer, Refusal};
use crate::groups::record::Record;
use crate::groups::step::{Context, Downgrade, Effects, Env};
use crate::homes::ReplyTo;

impl Coordinator {
    /// Makes a classic group of consumers a consumer group, if a member may join it with this heartbeat. Nothing has changed
    /// if not.
    pub(super) fn upgrade(
        &mut self,
        env: &Env<'_>,
        id: &Arc<str>,
        asked: &ConsumerHeartbeat,
        effects: &mut Effects,
    ) -> Result<(), Refusal> {
        let not_found = |why: String| (ErrorCode::GroupIdNotFound, format!("group {id} {why}"));
        let Some(known) = self.groups.get_mut(id) else {
            return Err(not_found("is not there".to_owned()));
        };
        let (kind, mut cx) = known.go_on(env, id, effects);
        let Kind::Classic(classic) = kind else { return Ok(()) };
        let settings = env.settings();
        if !settings.group_consumer_migration_policy().can_upgrade() {
            return Err(not_found(
                "is a classic group, and group.consumer.migration.policy does not let it become a consumer group"
                    .to_owned(),
            ));
        }
        if classic.members.len() as u64 > u64::from(settings.group_consumer_max_size()) {
            return Err(not_found("has more members than a consumer group may have".to_owned()));
        }
        let migrants = classic.migrants(env.image).map_err(not_found)?;
        let records = Consumer::founding(id, classic.generation, migrants);
        let mut consumer = Consumer::default();
        records.iter().for_each(|record| consumer.apply(record.clone()));
        consumer.check(&cx, asked)?;
        tracing::info!(group = %id, members = classic.members.len(), "a classic group becomes a consumer group");
        classic.send_away(&mut cx, ErrorCode::RebalanceInProgress);
        consumer.start_sessions(env, id);
        cx.wake_at(consumer.next_deadline().unwrap_or(i64::MAX));
        cx.write(Record::Classic(id.clone(), None));
        records.into_iter().for_each(|record| cx.write(record));
        *kind = Kind::Consumer(Box::new(consumer));
        Ok(())
    }

    /// Makes a consumer group that has only classic members left a classic one, if the step says so.
    pub(super) fn downgrade(&mut self, env: &Env<'_>, id: &Arc<str>, effects: &mut Effects) {
        let Some(downgrade) = effects.downgrade.take() else { return };
        let Some(group) = self.groups.get_mut(id) else { return };
        let (kind, mut cx) = group.go_on(env, id, effects);
        let Kind::Consumer(consumer) = kind else { return };
        let (epoch, _) = consumer.standing();
        let why = match downgrade {
            Downgrade::Departed(why) => Some(why),
            Downgrade::Replaced(why) => why,
        };
        let mut classic = Classic::of_migrants(env, epoch, consumer.migrants(why.is_none()));
        tracing::info!(group = %id, members = classic.members.len(), "a consumer group becomes a classic group");
        consumer.tombstones(id).into_iter().for_each(|record| cx.write(record));
        let mut saved = classic.to_saved();
        // After a crash amid the rebalance all must join again, or nobody would read what others have left behind: for those
        // who only read the log the generation that the rebalance leads to has begun.
        saved.generation += i32::from(why.is_some());
        cx.write(Record::Classic(id.clone(), Some(saved)));
        cx.wake_at(classic.next_deadline().unwrap_or(i64::MAX));
        if let Some(why) = why {
            classic.on_change(&mut cx, why);
        }
        *kind = Kind::Classic(Box::new(classic));
    }
}

/// What members of the classic protocol say in a consumer group. An error is the answer; a JoinGroup comes back if it is for
/// the classic group that this one is to become first.
pub(super) fn ask_consumer(
    group: &mut Consumer,
    cx: &mut Context<'_>,
    to: ReplyTo,
    ask: GroupAsk,
) -> Result<Option<Join>, ErrorCode> {
    let answer = match ask {
        GroupAsk::Join(join) => match group.on_join(cx, join)? {
            Admission::Answered(answer) => answer,
            Admission::ToClassic(join) => return Ok(Some(join)),
        },
        GroupAsk::Sync(sync) => GroupAnswer::Synced(group.on_sync(cx, &sync)?),
        GroupAsk::Heartbeat(who) => group.on_classic_heartbeat(cx, &who)?,
        GroupAsk::Leave(leaving) => group.on_classic_leave(cx, &leaving),
        ask => unreachable!("not a question to members: {ask:?}"),
    };
    cx.reply(to, answer);
    Ok(None)
}
