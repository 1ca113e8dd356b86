//! `ringlog group describe`: sections about the group itself, its members, its partitions, and what its coordinator
//! remembers.

use clap::Args;
use net::client::{Client, ClientError, CoordinatorKind};
use protocol::group_history::GroupHistory;

use super::history;
use super::lag::{PartitionLag, lags};
use super::list::some;
use super::state::{GroupState, MemberState, describe};
use crate::cli::cluster_args::ClusterArgs;
use crate::cli::commits::committed;
use crate::cli::failure::{Failure, tell};
use crate::cli::json::{Json, list, object};
use crate::cli::table::{Table, numbers, or_dash};
use crate::cli::topic::distinct;
use crate::cli::when::duration_text;

/// What `ringlog group describe` takes.
#[derive(Debug, Args)]
pub struct DescribeArgs {
    /// Groups to describe
    #[arg(required = true, value_name = "GROUP")]
    groups: Vec<String>,
}

struct Description {
    group: GroupState,
    coordinator: String,
    partitions: Vec<PartitionLag>,
    /// What a broker of Ringlog remembers; Kafka does not tell.
    history: Option<GroupHistory>,
}

/// Does what was asked.
pub fn run(args: &DescribeArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    let mut found = Vec::new();
    let mut is_whole = true;
    for name in distinct(&args.groups) {
        match client.until_done(|client| look_at(client, name))? {
            Some(description) => found.push(description),
            None => {
                tell(&format!(
                    "group {name}: there is no such group; `ringlog group list` shows those that exist"
                ));
                is_whole = false;
            }
        }
    }
    let text = || found.iter().map(text_of).collect::<Vec<_>>().join("\n");
    cluster.print(|| object([("groups", list(&found, json_of))]), text)?;
    if is_whole { Ok(()) } else { Err(Failure::Told) }
}

fn look_at(client: &mut Client, name: &str) -> Result<Option<Description>, ClientError> {
    let Some(group) = describe(client, name)? else { return Ok(None) };
    let id = client.coordinator(CoordinatorKind::Group, name)?;
    let broker = client.map().brokers.iter().find(|broker| broker.id == id);
    let coordinator = broker.map_or(format!("broker {id}"), |it| format!("broker {id} at {}", it.address));
    let commits = committed(client, name)?;
    let partitions = lags(client, &group, &commits)?;
    let history = history::ask(client, name)?;
    Ok(Some(Description { group, coordinator, partitions, history }))
}

/// Of all partitions that have committed something.
fn total(it: &Description) -> (i64, Option<i64>) {
    let records = it.partitions.iter().filter_map(PartitionLag::records).sum();
    (records, it.partitions.iter().filter_map(|lag| lag.behind_ms).max())
}

fn text_of(it: &Description) -> String {
    let rebalances = it.history.as_ref().map(history::rebalances).unwrap_or_default();
    let sections = [head(it), members(it), partitions(it), rebalances];
    sections.into_iter().filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n")
}

fn head(it: &Description) -> String {
    let (records, behind) = total(it);
    let behind = match behind {
        Some(ms) if records > 0 => format!(", the oldest {} old", duration_text(ms)),
        _ => String::new(),
    };
    let last_commit = it
        .history
        .as_ref()
        .map_or(String::new(), |history| format!("  last commit  {}\n", history::last_commit_text(history)));
    let plural = if records == 1 { "record" } else { "records" };
    format!(
        "group {}\n  state        {}\n  protocol     {}, assignor {}\n  coordinator  {}\n  members      {}\n  lag          {records} {plural}{behind}\n{last_commit}",
        it.group.id,
        it.group.state,
        it.group.protocol,
        or_dash(some(&it.group.assignor)),
        it.coordinator,
        it.group.members.len(),
    )
}

fn members(it: &Description) -> String {
    if it.group.members.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["MEMBER", "INSTANCE", "CLIENT", "HOST", "PARTITIONS"]);
    for member in &it.group.members {
        table.push([
            member.id.clone(),
            or_dash(member.instance_id.as_deref()),
            member.client_id.clone(),
            member.host.clone(),
            assigned(member),
        ]);
    }
    table.text("  ")
}

fn assigned(member: &MemberState) -> String {
    let topic = |(topic, partitions): (&String, &Vec<i32>)| format!("{topic}:{}", numbers(partitions));
    match member.partitions.is_empty() {
        true => "-".to_owned(),
        false => member.partitions.iter().map(topic).collect::<Vec<_>>().join(" "),
    }
}

fn partitions(it: &Description) -> String {
    if it.partitions.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[
        "TOPIC",
        "PARTITION",
        "COMMITTED",
        "START",
        "END",
        "LAG",
        "BEHIND",
        "WAITING",
        "CLIENT",
        "METADATA",
        "NOTE",
    ]);
    for lag in &it.partitions {
        let client = it.group.members.iter().find(|member| Some(&member.id) == lag.member.as_ref());
        let metadata = lag.committed.as_ref().and_then(|commit| some(&commit.metadata));
        table.push([
            lag.topic.clone(),
            lag.partition.to_string(),
            or_dash(lag.committed.as_ref().map(|commit| commit.offset)),
            or_dash(lag.log_start),
            or_dash(lag.high_watermark),
            or_dash(lag.records()),
            or_dash(lag.behind_ms.map(duration_text)),
            or_dash(waiting_ms(it, lag).map(duration_text)),
            or_dash(client.map(|member| &member.client_id)),
            or_dash(metadata),
            lag.note.clone().unwrap_or_default(),
        ]);
    }
    table.text("  ")
}

/// As the broker knows it.
fn waiting_ms(it: &Description, lag: &PartitionLag) -> Option<i64> {
    it.history.as_ref().and_then(|history| history::waiting_ms(history, &lag.topic, lag.partition))
}

fn json_of(it: &Description) -> Json {
    let (records, behind) = total(it);
    object([
        ("group", it.group.id.as_str().into()),
        ("protocol", it.group.protocol.into()),
        ("state", it.group.state.as_str().into()),
        ("assignor", some(&it.group.assignor).into()),
        ("coordinator", it.coordinator.as_str().into()),
        ("lag", records.into()),
        ("behind_ms", behind.into()),
        ("members", list(&it.group.members, json_of_member)),
        ("partitions", list(&it.partitions, |lag| json_of_partition(it, lag))),
        ("history", it.history.as_ref().map_or(Json::Null, history::json_of)),
    ])
}

fn json_of_member(member: &MemberState) -> Json {
    let assigned = member.partitions.iter().map(|(topic, partitions)| (topic.clone(), partitions[..].into()));
    object([
        ("member", member.id.as_str().into()),
        ("instance", member.instance_id.clone().into()),
        ("client", member.client_id.as_str().into()),
        ("host", member.host.as_str().into()),
        ("partitions", Json::Object(assigned.collect())),
    ])
}

fn json_of_partition(it: &Description, lag: &PartitionLag) -> Json {
    object([
        ("topic", lag.topic.as_str().into()),
        ("partition", lag.partition.into()),
        ("committed", lag.committed.as_ref().map(|commit| commit.offset).into()),
        ("metadata", lag.committed.as_ref().map(|commit| commit.metadata.clone()).into()),
        ("start_offset", lag.log_start.into()),
        ("last_stable_offset", lag.last_stable.into()),
        ("end_offset", lag.high_watermark.into()),
        ("lag", lag.records().into()),
        ("behind_ms", lag.behind_ms.into()),
        ("waiting_ms", waiting_ms(it, lag).into()),
        ("member", lag.member.clone().into()),
        ("note", lag.note.clone().into()),
    ])
}
