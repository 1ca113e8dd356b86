//! What a broker of Ringlog remembers of a group: its last rebalances, its last commit, and how long records have waited
//! for it. A tagged field of DescribeGroups asks (`docs/protocol-extensions.md`); Kafka skips it, and then there is no such section.

use net::client::{Client, ClientError, CoordinatorKind, Target};
use protocol::group_history::{AskHistory, Awaited, GroupHistory, Rebalance, ToldHistory};
use protocol::messages::describe_groups_request::DescribeGroupsRequest;

use super::list::some;
use crate::cli::json::{Json, list, object};
use crate::cli::table::{Table, or_dash};
use crate::cli::when::{date_of, duration_text, now_ms};

/// Asks for it; nothing if the broker tells none.
pub fn ask(client: &mut Client, group: &str) -> Result<Option<GroupHistory>, ClientError> {
    let request = DescribeGroupsRequest { groups: vec![group], ..Default::default() };
    let target = Target::Coordinator(CoordinatorKind::Group, group);
    let answer = client.ask(target, &AskHistory { request })?;
    let told: ToldHistory<'_> = client.read(&answer)?;
    Ok(told.histories.unwrap_or_default().into_iter().find(|history| history.group == group))
}

/// How long the oldest unread record of a partition has waited, ms; 0 if there is none.
pub fn waiting_ms(history: &GroupHistory, topic: &str, partition: i32) -> Option<i64> {
    let lag = history.lags.iter().find(|lag| lag.partition == partition && lag.topic == topic)?;
    known(lag.age_ms)
}

/// The longest of all partitions.
pub fn longest_waiting_ms(history: &GroupHistory) -> Option<i64> {
    history.lags.iter().filter_map(|lag| known(lag.age_ms)).max()
}

/// When it last committed, and who did.
pub fn last_commit_text(history: &GroupHistory) -> String {
    match &history.last_commit {
        None => "none since the coordinator loaded the group".to_owned(),
        Some((at_ms, member)) => {
            let ago = duration_text(now_ms().saturating_sub(*at_ms).max(0));
            let by =
                some(member).map_or("a client that is no member".to_owned(), |it| format!("member {it}"));
            format!("{}, {ago} ago, by {by}", date_of(*at_ms))
        }
    }
}

/// The last rebalances, the newest first.
pub fn rebalances(history: &GroupHistory) -> String {
    if history.rebalances.is_empty() {
        return String::new();
    }
    let titles = ["REBALANCE", "TOOK", "CAUSE", "MEMBER", "GENERATION", "MEMBERS", "SLOWEST", "REASON"];
    let mut table = Table::new(&titles);
    for one in &history.rebalances {
        table.push([
            date_of(one.began_ms),
            took(one),
            cause(one),
            or_dash(some(&one.member)),
            or_dash(known(one.generation.into())),
            format!("{} to {}", one.members_before, one.members_after),
            slowest(one),
            one.reason.clone(),
        ]);
    }
    table.text("  ")
}

fn took(one: &Rebalance) -> String {
    match known(one.took_ms) {
        _ if one.is_superseded => "superseded".to_owned(),
        None => "under way".to_owned(),
        Some(ms) => duration_text(ms),
    }
}

fn cause(one: &Rebalance) -> String {
    match one.further {
        0 => one.cause.to_string(),
        further => format!("{}, and {further} more", one.cause),
    }
}

fn slowest(one: &Rebalance) -> String {
    let text = |(member, ms, what): &(String, i64, Awaited)| {
        // A member's id is long, and stands in the row already if it was its joining that began all this.
        let who = if *member == one.member { "the same" } else { member };
        format!("{who}, {} {}", duration_text(*ms), what.text())
    };
    or_dash(one.slowest.as_ref().map(text))
}

/// All of it, but for what stands with the partitions.
pub fn json_of(history: &GroupHistory) -> Json {
    let (at_ms, member) = history.last_commit.clone().unzip();
    object([
        ("last_commit_ms", at_ms.into()),
        ("last_commit_member", member.into()),
        ("waiting_ms", longest_waiting_ms(history).into()),
        ("rebalances", list(&history.rebalances, json_of_rebalance)),
    ])
}

fn json_of_rebalance(one: &Rebalance) -> Json {
    let slowest = one.slowest.as_ref().map(|(member, ms, awaited)| {
        let member = member.as_str().into();
        object([("member", member), ("waited_ms", (*ms).into()), ("for", awaited.name().into())])
    });
    object([
        ("began_ms", one.began_ms.into()),
        ("took_ms", known(one.took_ms).into()),
        ("superseded", one.is_superseded.into()),
        ("cause", one.cause.kind.name().into()),
        ("after_ms", known(one.cause.after_ms).into()),
        ("member", some(&one.member).into()),
        ("reason", some(&one.reason).into()),
        ("further", i64::from(one.further).into()),
        ("generation", known(one.generation.into()).into()),
        ("members_before", i64::from(one.members_before).into()),
        ("members_after", i64::from(one.members_after).into()),
        ("slowest", slowest.unwrap_or(Json::Null)),
    ])
}

/// The protocol's -1 is what is not known.
fn known(number: i64) -> Option<i64> {
    Some(number).filter(|number| *number >= 0)
}
