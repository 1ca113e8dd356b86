//! `ringlog group delete`: deletes groups that have no members, after asking.

use clap::Args;
use net::client::{Client, ClientError, CoordinatorKind, Target};
use protocol::ErrorCode;
use protocol::messages::delete_groups_request::DeleteGroupsRequest;
use protocol::messages::delete_groups_response::DeleteGroupsResponse;

use crate::cli::cluster_args::{ClusterArgs, confirm};
use crate::cli::failure::{Failure, tell};
use crate::cli::json::{Json, object};
use crate::cli::topic::distinct;

/// What `ringlog group delete` takes.
#[derive(Debug, Args)]
pub struct DeleteArgs {
    /// Groups to delete
    #[arg(required = true, value_name = "GROUP")]
    groups: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Be content where there is no such group
    #[arg(long)]
    if_exists: bool,
}

/// Does what was asked.
pub fn run(args: &DeleteArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let names = distinct(&args.groups);
    if !args.yes {
        confirm(&format!("Deleting {} with all offsets", names.join(", ")))?;
    }
    let mut client = cluster.connect()?;
    let mut deleted: Vec<&str> = Vec::new();
    let mut is_whole = true;
    for name in names {
        match client.until_done(|client| delete(client, name)) {
            Ok(()) => deleted.push(name),
            Err(error) if args.if_exists && error.code() == Some(ErrorCode::GroupIdNotFound) => {}
            Err(error) => {
                tell(&error);
                is_whole = false;
            }
        }
    }
    let json = || object([("deleted", Json::from(&deleted[..]))]);
    cluster.print(json, || deleted.iter().map(|name| format!("deleted group {name}\n")).collect())?;
    if is_whole { Ok(()) } else { Err(Failure::Told) }
}

fn delete(client: &mut Client, name: &str) -> Result<(), ClientError> {
    let request = DeleteGroupsRequest { groups_names: vec![name], ..Default::default() };
    let answer = client.ask(Target::Coordinator(CoordinatorKind::Group, name), &request)?;
    let response: DeleteGroupsResponse<'_> = client.read(&answer)?;
    response.results.iter().try_for_each(|result| {
        let hint = (result.error_code == ErrorCode::NonEmptyGroup.code()).then_some(
            "the group has members: stop them first, `ringlog group describe` says where they run",
        );
        answer.check(&format!("group {name}"), result.error_code, hint)
    })
}
