//! `ringlog cluster`: who is there, what it can do, and who keeps the metadata.

use std::collections::BTreeMap;

use clap::Args;
use net::client::{Client, ClientError, ClusterMap, Target, WantedTopics};
use protocol::ApiKey;
use protocol::messages::api_versions_request::ApiVersionsRequest;
use protocol::messages::api_versions_response::ApiVersionsResponse;
use protocol::messages::describe_quorum_request::{self, DescribeQuorumRequest};
use protocol::messages::describe_quorum_response::{DescribeQuorumResponse, ReplicaState};

use super::cluster_args::ClusterArgs;
use super::failure::Failure;
use super::json::{Json, list, object};
use super::table::{Table, or_dash};
use super::when::{duration_text, now_ms};

/// What `ringlog cluster` takes.
#[derive(Debug, Args)]
pub struct ClusterCommandArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Show which versions of each request the broker serves, and which this program speaks
    #[arg(long)]
    api_versions: bool,
}

/// What a cluster says about itself.
struct Description {
    map: ClusterMap,
    features: BTreeMap<String, Feature>,
    apis: Vec<Api>,
    quorum: Option<Quorum>,
}

/// A feature: what is in force, and what the broker could do.
#[derive(Default)]
struct Feature {
    finalized: Option<i16>,
    supported: Option<(i16, i16)>,
}

struct Api {
    code: i16,
    name: String,
    served: (i16, i16),
    spoken: Option<(i16, i16)>,
}

struct Quorum {
    leader: i32,
    leader_epoch: i32,
    high_watermark: i64,
    members: Vec<Member>,
}

struct Member {
    id: i32,
    is_voter: bool,
    log_end_offset: i64,
    /// ms since 1970, or -1.
    last_caught_up: i64,
}

/// Does what was asked.
pub fn run(args: &ClusterCommandArgs) -> Result<(), Failure> {
    let mut client = args.cluster.connect()?;
    let it = client.until_done(describe)?;
    args.cluster.print(|| json_of(&it, args.api_versions), || text_of(&it, args.api_versions))
}

fn describe(client: &mut Client) -> Result<Description, ClientError> {
    let map = client.metadata(WantedTopics::None)?;
    let request = ApiVersionsRequest {
        client_software_name: "ringlog",
        client_software_version: env!("CARGO_PKG_VERSION"),
        ..Default::default()
    };
    let answer = client.ask(Target::Any, &request)?;
    let response: ApiVersionsResponse<'_> = client.read(&answer)?;
    answer.check("", response.error_code, None)?;
    let mut features: BTreeMap<String, Feature> = BTreeMap::new();
    for feature in &response.supported_features {
        let range = (feature.min_version, feature.max_version);
        features.entry(feature.name.to_owned()).or_default().supported = Some(range);
    }
    for feature in &response.finalized_features {
        features.entry(feature.name.to_owned()).or_default().finalized = Some(feature.max_version_level);
    }
    let api = |api: &protocol::messages::api_versions_response::ApiVersion| {
        let key = ApiKey::from_code(api.api_key);
        let spoken = key.and_then(ApiKey::versions).map(|range| (*range.start(), *range.end()));
        let name = key.map_or("(not known here)".to_owned(), |key| format!("{key:?}"));
        Api { code: api.api_key, name, served: (api.min_version, api.max_version), spoken }
    };
    let mut apis: Vec<Api> = response.api_keys.iter().map(api).collect();
    apis.sort_by_key(|api| api.code);
    Ok(Description { map, features, apis, quorum: quorum(client)? })
}

/// Who keeps the metadata; `None` where the broker does not tell.
fn quorum(client: &mut Client) -> Result<Option<Quorum>, ClientError> {
    let partitions = vec![describe_quorum_request::PartitionData::default()];
    let topic = describe_quorum_request::TopicData {
        topic_name: "__cluster_metadata",
        partitions,
        ..Default::default()
    };
    let request = DescribeQuorumRequest { topics: vec![topic], ..Default::default() };
    let answer = match client.ask(Target::Any, &request) {
        Err(ClientError::Session { .. }) => return Ok(None),
        answer => answer?,
    };
    let response: DescribeQuorumResponse<'_> = client.read(&answer)?;
    let partition = response.topics.first().and_then(|topic| topic.partitions.first());
    let Some(partition) = partition.filter(|it| response.error_code == 0 && it.error_code == 0) else {
        return Ok(None);
    };
    let member = |state: &ReplicaState, is_voter| Member {
        id: state.replica_id,
        is_voter,
        log_end_offset: state.log_end_offset,
        last_caught_up: state.last_caught_up_timestamp,
    };
    let voters = partition.current_voters.iter().map(|state| member(state, true));
    let observers = partition.observers.iter().map(|state| member(state, false));
    Ok(Some(Quorum {
        leader: partition.leader_id,
        leader_epoch: partition.leader_epoch,
        high_watermark: partition.high_watermark,
        members: voters.chain(observers).collect(),
    }))
}

/// The controller: whoever leads the quorum, for brokers name any of them in its place.
fn controller(it: &Description) -> Option<i32> {
    it.quorum.as_ref().map(|quorum| quorum.leader).or(it.map.controller_id)
}

fn range(range: Option<(i16, i16)>) -> Json {
    range.map_or(Json::Null, |(min, max)| object([("min", min.into()), ("max", max.into())]))
}

fn json_of(it: &Description, with_apis: bool) -> Json {
    let controller = controller(it);
    let broker = |broker: &net::client::BrokerMap| {
        object([
            ("id", broker.id.into()),
            ("host", broker.address.host.as_str().into()),
            ("port", i32::from(broker.address.port).into()),
            ("rack", broker.rack.clone().into()),
            ("controller", (controller == Some(broker.id)).into()),
        ])
    };
    let feature = |(name, feature): (&String, &Feature)| {
        object([
            ("name", name.as_str().into()),
            ("finalized", feature.finalized.into()),
            ("supported", range(feature.supported)),
        ])
    };
    let quorum = it.quorum.as_ref().map(|quorum| {
        let member = |member: &Member| {
            object([
                ("id", member.id.into()),
                ("voter", member.is_voter.into()),
                ("log_end_offset", member.log_end_offset.into()),
                ("last_caught_up_ms", Some(member.last_caught_up).filter(|ms| *ms >= 0).into()),
            ])
        };
        object([
            ("leader", quorum.leader.into()),
            ("leader_epoch", quorum.leader_epoch.into()),
            ("high_watermark", quorum.high_watermark.into()),
            ("members", list(&quorum.members, member)),
        ])
    });
    let mut json = object([
        ("cluster_id", it.map.cluster_id.clone().into()),
        ("controller", controller.into()),
        ("brokers", list(&it.map.brokers, broker)),
        ("features", list(&it.features, feature)),
        ("quorum", quorum.unwrap_or(Json::Null)),
    ]);
    if let (true, Json::Object(fields)) = (with_apis, &mut json) {
        let api = |api: &Api| {
            object([
                ("key", api.code.into()),
                ("name", api.name.as_str().into()),
                ("served", range(Some(api.served))),
                ("spoken", range(api.spoken)),
            ])
        };
        fields.push(("apis".to_owned(), list(&it.apis, api)));
    }
    json
}

fn text_of(it: &Description, with_apis: bool) -> String {
    let controller = controller(it);
    let mut text = format!("cluster {}\n\n", or_dash(it.map.cluster_id.as_deref()));
    let mut brokers = Table::new(&["BROKER", "ADDRESS", "RACK", "CONTROLLER"]);
    for broker in &it.map.brokers {
        let mark = if controller == Some(broker.id) { "yes" } else { "" };
        let (id, address) = (broker.id.to_string(), broker.address.to_string());
        brokers.push([id, address, or_dash(broker.rack.as_deref()), mark.to_owned()]);
    }
    text.push_str(&brokers.text("  "));
    if !it.features.is_empty() {
        let mut features = Table::new(&["FEATURE", "FINALIZED", "SUPPORTED"]);
        for (name, feature) in &it.features {
            features.push([name.clone(), or_dash(feature.finalized), range_text(feature.supported)]);
        }
        text.push_str(&format!("\n{}", features.text("  ")));
    }
    if let Some(quorum) = &it.quorum {
        text.push_str(&format!("\n{}", quorum_text(quorum)));
    }
    if with_apis {
        let mut apis = Table::new(&["KEY", "REQUEST", "SERVED", "SPOKEN HERE"]);
        for api in &it.apis {
            let (served, spoken) = (range_text(Some(api.served)), range_text(api.spoken));
            apis.push([api.code.to_string(), api.name.clone(), served, spoken]);
        }
        text.push_str(&format!("\n{}", apis.text("  ")));
    }
    text
}

fn quorum_text(quorum: &Quorum) -> String {
    let mut table = Table::new(&["METADATA", "ROLE", "LOG END", "CAUGHT UP"]);
    for member in &quorum.members {
        let role = match (member.id == quorum.leader, member.is_voter) {
            (true, _) => "leader",
            (false, true) => "voter",
            (false, false) => "observer",
        };
        let caught_up = match (role, member.last_caught_up) {
            ("leader", _) | (_, ..0) => "-".to_owned(),
            (_, ms) => format!("{} ago", duration_text((now_ms() - ms).max(0))),
        };
        table.push([member.id.to_string(), role.to_owned(), member.log_end_offset.to_string(), caught_up]);
    }
    let (epoch, high_watermark) = (quorum.leader_epoch, quorum.high_watermark);
    format!("{}\n  metadata epoch {epoch}, high watermark {high_watermark}\n", table.text("  "))
}

fn range_text(range: Option<(i16, i16)>) -> String {
    match range {
        None => "-".to_owned(),
        Some((min, max)) if min == max => min.to_string(),
        Some((min, max)) => format!("{min} to {max}"),
    }
}
