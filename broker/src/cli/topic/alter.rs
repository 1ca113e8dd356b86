//! `ringlog topic alter`: more partitions, other settings.

use clap::Args;
use net::client::{Client, ClientError, Target};
use protocol::messages::create_partitions_request::{CreatePartitionsRequest, CreatePartitionsTopic};
use protocol::messages::create_partitions_response::CreatePartitionsResponse;

use super::{find_topics, parse_setting};
use crate::cli::cluster_args::ClusterArgs;
use crate::cli::failure::Failure;
use crate::cli::json::object;
use crate::cli::settings::{Change, Kind, change_settings};

/// What `ringlog topic alter` takes.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true).args(["partitions", "set", "unset"]))]
pub struct AlterArgs {
    /// The topic
    #[arg(value_name = "TOPIC")]
    name: String,
    /// How many partitions it shall have; there cannot be fewer than now
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(i32).range(1..))]
    partitions: Option<i32>,
    /// A setting to change; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    /// A setting to take back to its default; may be repeated
    #[arg(long, value_name = "KEY")]
    unset: Vec<String>,
}

/// Does what was asked: settings first, for they are refused as a whole where one is wrong.
pub fn run(args: &AlterArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    let before = find_topics(&mut client, &[&args.name])?;
    let changes: Vec<Change<'_>> = Change::of(&args.set, &args.unset)?;
    if !changes.is_empty() {
        client.until_done(|client| change_settings(client, Kind::Topic, &args.name, &changes))?;
    }
    let mut partitions = before.first().map_or(0, |topic| topic.partitions.len());
    if let Some(count) = args.partitions {
        client.until_done(|client| grow(client, args, count, cluster.timeout_ms()))?;
        partitions = count as usize;
    }
    let json = || {
        object([
            ("name", args.name.as_str().into()),
            ("partitions", partitions.into()),
            ("settings_changed", changes.len().into()),
        ])
    };
    cluster.print(json, || {
        let settings = match changes.len() {
            0 => String::new(),
            1 => ", 1 setting changed".to_owned(),
            count => format!(", {count} settings changed"),
        };
        let plural = if partitions == 1 { "" } else { "s" };
        format!("altered topic {}: {partitions} partition{plural}{settings}\n", args.name)
    })
}

fn grow(client: &mut Client, args: &AlterArgs, count: i32, timeout_ms: i32) -> Result<(), ClientError> {
    let topic = CreatePartitionsTopic { name: &args.name, count, assignments: None, ..Default::default() };
    let request = CreatePartitionsRequest { topics: vec![topic], timeout_ms, validate_only: false };
    let answer = client.ask(Target::Controller, &request)?;
    let response: CreatePartitionsResponse<'_> = client.read(&answer)?;
    response.results.iter().try_for_each(|result| {
        answer.check(&format!("topic {}", result.name), result.error_code, result.error_message)
    })
}
