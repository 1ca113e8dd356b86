//! `ringlog config`: settings of topics, brokers and groups, with where they come from and what they mean.

mod get;
mod put;

use clap::{Args, Subcommand, ValueEnum};
use net::client::{Client, ClientError, Target};
use protocol::messages::describe_configs_request::{DescribeConfigsRequest, DescribeConfigsResource};
use protocol::messages::describe_configs_response::{
    DescribeConfigsResourceResult, DescribeConfigsResponse, DescribeConfigsResult,
};
use protocol::messages::incremental_alter_configs_request::{
    AlterConfigsResource, AlterableConfig, IncrementalAlterConfigsRequest,
};
use protocol::messages::incremental_alter_configs_response::IncrementalAlterConfigsResponse;

use super::cluster_args::ClusterArgs;
use super::failure::Failure;

/// What `ringlog config` takes.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Show settings: value, source, type and default.
    Get(get::GetArgs),
    /// Change settings.
    Set(put::SetArgs),
    /// Take settings back to their defaults.
    Unset(put::UnsetArgs),
}

/// Does what was asked.
pub fn run(args: &ConfigArgs) -> Result<(), Failure> {
    match &args.command {
        ConfigCommand::Get(command) => get::run(command, &args.cluster),
        ConfigCommand::Set(command) => put::set(command, &args.cluster),
        ConfigCommand::Unset(command) => put::unset(command, &args.cluster),
    }
}

/// What has settings; the numbers are Kafka's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[repr(i8)]
pub enum Kind {
    /// A topic.
    Topic = 2,
    /// A broker by its number, or `default` for all of the cluster.
    Broker = 4,
    /// A consumer group.
    Group = 32,
}

/// What stands for the settings of all brokers, which have no name on the wire.
const ALL_BROKERS: &str = "default";

impl Kind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Topic => "topic",
            Kind::Broker => "broker",
            Kind::Group => "group",
        }
    }

    /// Whose settings to ask for on the wire, and whom to ask.
    fn place(self, name: &str) -> Result<(&str, Target<'static>), ClientError> {
        match self {
            Kind::Broker if name == ALL_BROKERS => Ok(("", Target::Any)),
            Kind::Broker => {
                let number = name.parse().map_err(|_| ClientError::Unsupported {
                    what: format!(
                        "broker {name}: a broker is called by its number, or `default` for all of them"
                    ),
                })?;
                Ok((name, Target::Broker(number)))
            }
            Kind::Topic | Kind::Group => Ok((name, Target::Any)),
        }
    }
}

/// Refuses a broker that the cluster does not have. It may be on its way; but whoever names it wants to be told.
pub fn check_broker(client: &Client, kind: Kind, name: &str) -> Result<(), ClientError> {
    let (_, Target::Broker(wanted)) = kind.place(name)? else { return Ok(()) };
    let brokers = &client.map().brokers;
    if brokers.iter().any(|broker| broker.id == wanted) {
        return Ok(());
    }
    let known: Vec<String> = brokers.iter().map(|broker| broker.id.to_string()).collect();
    let what = format!("there is no broker {wanted}; the cluster has {}", known.join(", "));
    Err(ClientError::Unsupported { what })
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Topic,
    Broker,
    AllBrokers,
    File,
    Default,
    Group,
    Other(i8),
}

impl Source {
    fn of(code: i8) -> Source {
        match code {
            1 => Source::Topic,
            2 => Source::Broker,
            3 => Source::AllBrokers,
            4 => Source::File,
            5 => Source::Default,
            8 => Source::Group,
            code => Source::Other(code),
        }
    }

    /// The word for it.
    pub fn word(self) -> String {
        match self {
            Source::Topic => "topic".to_owned(),
            Source::Broker => "broker".to_owned(),
            Source::AllBrokers => "all brokers".to_owned(),
            Source::File => "broker's file".to_owned(),
            Source::Default => "default".to_owned(),
            Source::Group => "group".to_owned(),
            Source::Other(code) => format!("source {code}"),
        }
    }
}

/// A setting as a broker tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    /// `None` for null, and for secrets.
    pub value: Option<String>,
    pub source: Source,
    pub is_read_only: bool,
    pub is_secret: bool,
    pub value_type: &'static str,
    /// What holds where nothing is set, if the broker tells.
    pub default: Option<String>,
    pub documentation: Option<String>,
}

impl Setting {
    fn of(result: &DescribeConfigsResourceResult<'_>) -> Setting {
        let default = result.synonyms.iter().find(|synonym| Source::of(synonym.source) == Source::Default);
        let source = Source::of(result.config_source);
        let value = result.value.map(str::to_owned);
        let own = if source == Source::Default { value.clone() } else { None };
        Setting {
            name: result.name.to_owned(),
            default: default.and_then(|synonym| synonym.value).map(str::to_owned).or(own),
            value,
            source,
            is_read_only: result.read_only,
            is_secret: result.is_sensitive,
            value_type: type_word(result.config_type),
            documentation: result.documentation.map(str::to_owned).filter(|text| !text.is_empty()),
        }
    }
}

fn type_word(code: i8) -> &'static str {
    match code {
        1 => "boolean",
        2 => "string",
        3 => "int",
        4 => "short",
        5 => "long",
        6 => "double",
        7 => "list",
        8 => "class",
        9 => "password",
        _ => "unknown",
    }
}

/// The settings of each of these, by name.
pub fn settings_of(
    client: &mut Client,
    whose: &[(Kind, &str)],
    documented: bool,
) -> Result<Vec<Vec<Setting>>, ClientError> {
    let mut found = vec![Vec::new(); whose.len()];
    let mut left: Vec<usize> = (0..whose.len()).collect();
    // Brokers tell about themselves only: what goes to one target goes in one request.
    while let Some(first) = left.first() {
        let (_, target) = whose[*first].0.place(whose[*first].1)?;
        let (now, later): (Vec<usize>, Vec<usize>) = left
            .iter()
            .partition(|index| whose[**index].0.place(whose[**index].1).is_ok_and(|it| it.1 == target));
        let mut resources = Vec::new();
        for index in &now {
            let (kind, name) = whose[*index];
            resources.push(DescribeConfigsResource {
                resource_type: kind as i8,
                resource_name: kind.place(name)?.0,
                configuration_keys: None,
                ..Default::default()
            });
        }
        let request = DescribeConfigsRequest {
            resources,
            include_synonyms: true,
            include_documentation: documented,
            ..Default::default()
        };
        let answer = client.ask(target, &request)?;
        let response: DescribeConfigsResponse<'_> = client.read(&answer)?;
        for index in now {
            let (kind, name) = whose[index];
            let wire_name = kind.place(name)?.0;
            let is_it = |result: &&DescribeConfigsResult<'_>| {
                result.resource_type == kind as i8 && result.resource_name == wire_name
            };
            let Some(result) = response.results.iter().find(is_it) else { continue };
            let about = format!("{} {name}", kind.word());
            answer.check(&about, result.error_code, result.error_message)?;
            found[index] = result.configs.iter().map(Setting::of).collect();
            found[index].sort_by(|a, b| a.name.cmp(&b.name));
        }
        left = later;
    }
    Ok(found)
}

/// One change of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'a> {
    Set(&'a str, &'a str),
    Unset(&'a str),
}

impl<'a> Change<'a> {
    /// The changes of a command line; each setting may be named once.
    pub fn of(set: &'a [(String, String)], unset: &'a [String]) -> Result<Vec<Change<'a>>, Failure> {
        let sets = set.iter().map(|(name, value)| Change::Set(name, value));
        let changes: Vec<Change<'a>> = sets.chain(unset.iter().map(|name| Change::Unset(name))).collect();
        for (index, change) in changes.iter().enumerate() {
            if changes[..index].iter().any(|earlier| earlier.name() == change.name()) {
                return Err(Failure::Misuse(format!("{} is named twice", change.name())));
            }
        }
        Ok(changes)
    }

    fn name(&self) -> &'a str {
        match self {
            Change::Set(name, _) | Change::Unset(name) => name,
        }
    }

    fn wire(&self) -> AlterableConfig<'a> {
        // The operations are Kafka's: 0 sets, 1 deletes.
        let (name, config_operation, value) = match self {
            Change::Set(name, value) => (*name, 0, Some(*value)),
            Change::Unset(name) => (*name, 1, None),
        };
        AlterableConfig { name, config_operation, value, ..Default::default() }
    }
}

/// Makes all of the changes or none.
pub fn change_settings(
    client: &mut Client,
    kind: Kind,
    name: &str,
    changes: &[Change<'_>],
) -> Result<(), ClientError> {
    let (resource_name, target) = kind.place(name)?;
    let resource = AlterConfigsResource {
        resource_type: kind as i8,
        resource_name,
        configs: changes.iter().map(Change::wire).collect(),
        ..Default::default()
    };
    let request = IncrementalAlterConfigsRequest {
        resources: vec![resource],
        validate_only: false,
        ..Default::default()
    };
    let answer = client.ask(target, &request)?;
    let response: IncrementalAlterConfigsResponse<'_> = client.read(&answer)?;
    response.responses.iter().try_for_each(|result| {
        answer.check(&format!("{} {name}", kind.word()), result.error_code, result.error_message)
    })
}
