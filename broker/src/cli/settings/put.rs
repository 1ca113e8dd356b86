//! `ringlog config set` and `unset`: changes settings of one topic, broker or group, all of them or none.

use clap::Args;

use super::{Change, Kind, change_settings, check_broker};
use crate::cli::cluster_args::ClusterArgs;
use crate::cli::failure::Failure;
use crate::cli::json::object;
use crate::cli::topic::{find_topics, parse_setting};

/// What `ringlog config set` takes.
#[derive(Debug, Args)]
pub struct SetArgs {
    /// What has the settings
    kind: Kind,
    /// The topic, the group, the broker's number, or `default` for all brokers
    name: String,
    /// Settings and their values
    #[arg(required = true, value_name = "KEY=VALUE", value_parser = parse_setting)]
    settings: Vec<(String, String)>,
}

/// What `ringlog config unset` takes.
#[derive(Debug, Args)]
pub struct UnsetArgs {
    /// What has the settings
    kind: Kind,
    /// The topic, the group, the broker's number, or `default` for all brokers
    name: String,
    /// Settings to take back
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<String>,
}

/// Does what `set` was asked for.
pub fn set(args: &SetArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    change(cluster, args.kind, &args.name, &Change::of(&args.settings, &[])?)
}

/// Does what `unset` was asked for.
pub fn unset(args: &UnsetArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    change(cluster, args.kind, &args.name, &Change::of(&[], &args.keys)?)
}

fn change(cluster: &ClusterArgs, kind: Kind, name: &str, changes: &[Change<'_>]) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    check_broker(&client, kind, name)?;
    if kind == Kind::Topic {
        find_topics(&mut client, &[name])?;
    }
    client.until_done(|client| change_settings(client, kind, name, changes))?;
    let json =
        || object([("kind", kind.word().into()), ("name", name.into()), ("changed", changes.len().into())]);
    cluster.print(json, || {
        let line = |change: &Change<'_>| match change {
            Change::Set(key, value) => format!("{} {name}: {key} is now {value}\n", kind.word()),
            Change::Unset(key) => format!("{} {name}: {key} is back at its default\n", kind.word()),
        };
        changes.iter().map(line).collect()
    })
}
