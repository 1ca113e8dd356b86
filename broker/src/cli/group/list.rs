//! `ringlog group list`: every group of every coordinator, with its state and how many members it has.

use net::client::{Client, ClientError, Target};
use protocol::messages::list_groups_request::ListGroupsRequest;
use protocol::messages::list_groups_response::ListGroupsResponse;

use super::state::{GroupState, describe_at};
use crate::cli::cluster_args::ClusterArgs;
use crate::cli::failure::Failure;
use crate::cli::json::{list, object};
use crate::cli::table::{Table, or_dash};

/// So many groups are described by one request.
const DESCRIBED_AT_ONCE: usize = 500;

/// Does what was asked.
pub fn run(cluster: &ClusterArgs) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    let groups = client.until_done(all_groups)?;
    let json = |it: &GroupState| {
        object([
            ("group", it.id.as_str().into()),
            ("protocol", it.protocol.into()),
            ("state", it.state.as_str().into()),
            ("assignor", some(&it.assignor).into()),
            ("members", it.members.len().into()),
        ])
    };
    cluster.print(|| object([("groups", list(&groups, json))]), || text_of(&groups))
}

/// A text, unless it is empty.
pub fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

fn all_groups(client: &mut Client) -> Result<Vec<GroupState>, ClientError> {
    let brokers: Vec<i32> = client.map().brokers.iter().map(|broker| broker.id).collect();
    let mut groups: Vec<GroupState> = Vec::new();
    for broker in brokers {
        let answer = client.ask(Target::Broker(broker), &ListGroupsRequest::default())?;
        let response: ListGroupsResponse<'_> = client.read(&answer)?;
        answer.check("", response.error_code, None)?;
        let names: Vec<&str> = response.groups.iter().map(|group| group.group_id).collect();
        for names in names.chunks(DESCRIBED_AT_ONCE) {
            groups.extend(describe_at(client, Target::Broker(broker), names)?);
        }
    }
    groups.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(groups)
}

fn text_of(groups: &[GroupState]) -> String {
    if groups.is_empty() {
        return "there are no groups\n".to_owned();
    }
    let mut table = Table::new(&["GROUP", "PROTOCOL", "STATE", "ASSIGNOR", "MEMBERS"]);
    for it in groups {
        let assignor = or_dash(some(&it.assignor));
        table.push([
            it.id.clone(),
            it.protocol.to_owned(),
            it.state.clone(),
            assignor,
            it.members.len().to_string(),
        ]);
    }
    table.text("")
}
