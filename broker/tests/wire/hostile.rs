//! Bad input on the wire: mutated frames of everything that is served, and few bytes that claim much.
//!
//! Whatever comes, the broker gives a reply or closes the connection, and other connections are not disturbed.

use broker::api;
use protocol::messages::alter_configs_request::{AlterConfigsRequest, AlterConfigsResource};
use protocol::messages::api_versions_request::ApiVersionsRequest;
use protocol::messages::api_versions_response::ApiVersionsResponse;
use protocol::messages::create_partitions_request::{CreatePartitionsRequest, CreatePartitionsTopic};
use protocol::messages::delete_topics_request::{DeleteTopicState, DeleteTopicsRequest};
use protocol::messages::describe_cluster_request::DescribeClusterRequest;
use protocol::messages::describe_configs_request::{DescribeConfigsRequest, DescribeConfigsResource};
use protocol::messages::describe_configs_response::DescribeConfigsResponse;
use protocol::messages::describe_log_dirs_request::{DescribableLogDirTopic, DescribeLogDirsRequest};
use protocol::messages::describe_topic_partitions_request::{DescribeTopicPartitionsRequest, TopicRequest};
use protocol::messages::incremental_alter_configs_request as incremental;
use protocol::messages::init_producer_id_request::InitProducerIdRequest;
use protocol::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic};
use protocol::messages::metadata_request::{MetadataRequest, MetadataRequestTopic};
use protocol::messages::offset_for_leader_epoch_request::{
    OffsetForLeaderEpochRequest, OffsetForLeaderPartition, OffsetForLeaderTopic,
};
use protocol::{ApiKey, Encoder, ErrorCode, Message, RequestHeader, Uuid, encode_request};
use shard::random::Random;
use storage::Codec;
use storage::batch::BatchBuilder;

use crate::calls::{FETCH, batch, create_request, error, fetch_request, fetched, produce_request, records};
use crate::harness::{Client, Rig, WALL_MS};

/// Connections that are attacked side by side.
const CONNECTIONS: usize = 128;

/// Bad frames until the node is replaced by a new one, so that what they leave behind does not pile up.
const FRAMES_PER_NODE: usize = 12_800;

/// A good request of every served key and version.
fn samples(id: Uuid) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for api in api::ALL {
        for version in api.versions.clone() {
            let known = sample(api.key, version, id);
            all.push(zeros(api.key, version));
            all.extend(known);
        }
    }
    all
}

fn frame<'a>(version: i16, body: &impl Message<'a>, key: ApiKey) -> Vec<u8> {
    let header = RequestHeader {
        api_key: key.code(),
        api_version: version,
        correlation_id: 7,
        client_id: Some("mutant"),
    };
    encode_request(&header, body)
}

fn sample(key: ApiKey, version: i16, id: Uuid) -> Vec<Vec<u8>> {
    let batch = BatchBuilder::new()
        .record_with(WALL_MS, Some(b"key"), Some(b"value"), &[(b"header", Some(b"x"))])
        .record(WALL_MS, None, None)
        .build();
    let packed =
        BatchBuilder::new().codec(Codec::Lz4, None).record(WALL_MS, None, Some(&[b'v'; 100])).build();
    let names = Some(vec![MetadataRequestTopic { name: Some("t"), topic_id: Uuid::ZERO }]);
    match key {
        ApiKey::Produce => {
            let mut request = produce_request(&[("t", 0, &batch), ("t", 1, &packed)]);
            request.topic_data.iter_mut().for_each(|topic| topic.topic_id = id);
            vec![frame(version, &request, key)]
        }
        ApiKey::Fetch => {
            let mut request = fetch_request(&[("t", 0, 0), ("t", 1, 0)]);
            request.topics.iter_mut().for_each(|topic| topic.topic_id = id);
            let session = protocol::messages::fetch_request::FetchRequest {
                session_epoch: 0,
                forgotten_topics_data: vec![Default::default()],
                ..request.clone()
            };
            vec![frame(version, &request, key), frame(version, &session, key)]
        }
        ApiKey::ListOffsets => {
            let partitions = (0..2).map(|partition_index| ListOffsetsPartition {
                partition_index,
                timestamp: 5,
                ..Default::default()
            });
            let topics = vec![ListOffsetsTopic { name: "t", partitions: partitions.collect() }];
            vec![frame(version, &ListOffsetsRequest { topics, ..Default::default() }, key)]
        }
        ApiKey::Metadata => {
            vec![frame(version, &MetadataRequest { topics: names, ..Default::default() }, key)]
        }
        ApiKey::ApiVersions => vec![frame(version, &software(), key)],
        ApiKey::CreateTopics => {
            let mut request = create_request("new", 2, &[("retention.ms", "5")]);
            request.validate_only = true;
            vec![frame(version, &request, key)]
        }
        ApiKey::DeleteTopics => {
            let topics = vec![DeleteTopicState { name: Some("gone"), ..Default::default() }];
            let request = DeleteTopicsRequest { topics, topic_names: vec!["gone"], ..Default::default() };
            vec![frame(version, &request, key)]
        }
        ApiKey::InitProducerId => vec![frame(version, &InitProducerIdRequest::default(), key)],
        ApiKey::CreatePartitions => {
            let topics = vec![CreatePartitionsTopic { name: "t", count: 5, ..Default::default() }];
            let request = CreatePartitionsRequest { topics, validate_only: true, ..Default::default() };
            vec![frame(version, &request, key)]
        }
        _ => rest(key, version),
    }
}

fn rest(key: ApiKey, version: i16) -> Vec<Vec<u8>> {
    let name = "t";
    match key {
        ApiKey::OffsetForLeaderEpoch => {
            let partitions = vec![OffsetForLeaderPartition::default(); 2];
            let topics = vec![OffsetForLeaderTopic { topic: name, partitions }];
            vec![frame(version, &OffsetForLeaderEpochRequest { topics, ..Default::default() }, key)]
        }
        ApiKey::DescribeConfigs => {
            let resource = |resource_type| DescribeConfigsResource {
                resource_type,
                resource_name: if resource_type == 2 { name } else { "3" },
                configuration_keys: None,
            };
            let resources = vec![resource(2), resource(4)];
            vec![frame(version, &DescribeConfigsRequest { resources, ..Default::default() }, key)]
        }
        ApiKey::AlterConfigs => {
            let resource =
                AlterConfigsResource { resource_type: 2, resource_name: name, ..Default::default() };
            vec![frame(
                version,
                &AlterConfigsRequest { resources: vec![resource], ..Default::default() },
                key,
            )]
        }
        ApiKey::IncrementalAlterConfigs => {
            let config =
                incremental::AlterableConfig { name: "retention.ms", value: Some("5"), ..Default::default() };
            let resource = incremental::AlterConfigsResource {
                resource_type: 2,
                resource_name: name,
                configs: vec![config],
            };
            let request = incremental::IncrementalAlterConfigsRequest {
                resources: vec![resource],
                ..Default::default()
            };
            vec![frame(version, &request, key)]
        }
        ApiKey::DescribeLogDirs => {
            let topic = DescribableLogDirTopic { topic: name, partitions: vec![0, 1] };
            vec![frame(version, &DescribeLogDirsRequest { topics: Some(vec![topic]) }, key)]
        }
        ApiKey::DescribeCluster => vec![frame(version, &DescribeClusterRequest::default(), key)],
        ApiKey::DescribeTopicPartitions => {
            let topics = vec![TopicRequest { name }];
            let request =
                DescribeTopicPartitionsRequest { topics, response_partition_limit: 5, ..Default::default() };
            vec![frame(version, &request, key)]
        }
        _ => Vec::new(),
    }
}

/// A header of a key that [`sample`] does not know yet, and zeros that mutate into something.
fn zeros(key: ApiKey, version: i16) -> Vec<u8> {
    let header =
        RequestHeader { api_key: key.code(), api_version: version, correlation_id: 7, client_id: None };
    let mut e = Encoder::new();
    let start = e.begin_frame();
    header.encode(&mut e);
    e.raw(&[0; 16]);
    e.end_frame(start);
    e.into_vec()
}

fn software() -> ApiVersionsRequest<'static> {
    ApiVersionsRequest { client_software_name: "mutant", client_software_version: "1" }
}

/// Changes a frame in one to four ways, mostly keeping its size true.
fn mutate(random: &mut Random, samples: &[Vec<u8>]) -> Vec<u8> {
    let pick = |random: &mut Random| samples[random.below(samples.len() as u64) as usize].clone();
    let mut frame = pick(random);
    for _ in 0..=random.below(4) {
        let at = 4 + random.below(frame.len().max(5) as u64 - 4) as usize;
        let at = at.min(frame.len());
        match random.below(8) {
            0 => frame.truncate(at),
            1 => frame.insert(at, random.next_u64() as u8),
            2 if at < frame.len() => frame[at] ^= 1 << random.below(8),
            3 if at < frame.len() => frame[at] = random.next_u64() as u8,
            4 => overwrite(&mut frame, at, &[0x7f, 0xff, 0xff, 0xff]),
            5 => overwrite(&mut frame, at, &[0xff, 0xff, 0xff, 0xff]),
            6 => overwrite(&mut frame, at, &[0xff, 0xff, 0xff, 0xff, 0x07]),
            _ => {
                let other = pick(random);
                let from = random.below(other.len() as u64) as usize;
                frame.extend_from_slice(&other[from..]);
            }
        }
    }
    if random.chance(98) {
        set_size(&mut frame);
    }
    frame
}

fn overwrite(frame: &mut [u8], at: usize, bytes: &[u8]) {
    for (into, byte) in frame.iter_mut().skip(at).zip(bytes) {
        *into = *byte;
    }
}

fn set_size(frame: &mut Vec<u8>) {
    if frame.len() < 4 {
        frame.resize(4, 0);
    }
    let size = frame.len() as i32 - 4;
    frame[..4].copy_from_slice(&size.to_be_bytes());
}

/// A node without automatic topics, a client of it that must not notice anything, and the topic's id.
fn victim() -> (Rig, Client, Uuid) {
    let rig = Rig::with(2, &[("auto.create.topics.enable", "false")]);
    let mut bystander = rig.connect();
    let id = bystander.create("t", 2);
    (rig, bystander, id)
}

/// What became of bad requests.
#[derive(Debug, Default)]
struct Tally {
    answered: usize,
    closed: usize,
    silent: usize,
    /// Answered once, and then neither the good request behind it was nor did the connection end: a part of another frame
    /// lies between.
    stuck: usize,
}

/// Sends each frame on a connection of its own, and a good request after each that was answered; all must come to an end.
fn attack(rig: &Rig, frames: Vec<Vec<u8>>, tally: &mut Tally) {
    let mut clients: Vec<Client> = frames.iter().map(|_| rig.connect()).collect();
    for (client, frame) in clients.iter().zip(&frames) {
        client.peer.send(frame);
    }
    rig.turns(12);
    let mut answered = Vec::new();
    for mut client in clients.drain(..) {
        if client.take_frame().is_some() {
            tally.answered += 1;
            client.peer.send(&probe());
            answered.push(client);
        } else if client.peer.is_closed() {
            tally.closed += 1;
        } else {
            // A fetch that waits, a produce that wants no answer, a frame that claims more bytes than came.
            tally.silent += 1;
            client.peer.close();
        }
    }
    rig.turns(8);
    for mut client in answered {
        let is_over = client.take_frame().is_some() || client.peer.is_closed();
        tally.stuck += usize::from(!is_over);
        client.peer.close();
    }
    rig.turns(6);
    if rig.sum(|broker| broker.pending.len()) > 0 {
        // Behind a fetch that waits came bytes that are not read before it is over, and neither is the end.
        rig.pass_ms(601_000);
    }
    assert_eq!(rig.sum(|broker| broker.pending.len()), 0, "requests are left behind");
    assert_eq!(rig.sum(|broker| broker.parked.len() + broker.watch_count()), 0, "fetches are left behind");
}

/// A good request.
fn probe() -> Vec<u8> {
    frame(0, &software(), ApiKey::ApiVersions)
}

#[test]
fn mutated_frames_of_everything_that_is_served_come_to_an_end() {
    let mut random = Random::from_seed(20_260_710);
    let mut tally = Tally::default();
    for _ in 0..16 {
        let (rig, mut bystander, id) = victim();
        let samples = samples(id);
        for _ in 0..FRAMES_PER_NODE / CONNECTIONS {
            let frames = (0..CONNECTIONS).map(|_| mutate(&mut random, &samples)).collect();
            attack(&rig, frames, &mut tally);
            let reply = bystander.ask(0, &software());
            assert_eq!(reply.read::<ApiVersionsResponse<'_>>().error_code, 0);
        }
        // What was appended is whole, whatever it was.
        if bystander.describe("t").0 == ErrorCode::None {
            records(&bystander.fetch("t", 0, 0).records);
        }
    }
    let total = tally.answered + tally.closed + tally.silent;
    assert_eq!(total, 16 * FRAMES_PER_NODE);
    assert!(tally.answered > total / 6 && tally.closed > total / 5, "{tally:?}");
    assert!(tally.silent < total / 10 && tally.stuck < total / 50, "{tally:?}");
}

#[test]
fn every_sample_is_answered_when_it_is_not_mutated() {
    let (rig, _bystander, id) = victim();
    for api in api::ALL {
        for version in api.versions.clone() {
            for sample in sample(api.key, version, id) {
                let mut client = rig.connect();
                client.peer.send(&sample);
                rig.settle();
                assert!(client.take_frame().is_some(), "{:?} version {version}", api.key);
            }
        }
    }
}

#[test]
fn a_few_bytes_that_claim_much_are_refused_at_once() {
    let (rig, mut bystander, _) = victim();
    let claims: [&[u8]; 7] = [
        &[0x7f, 0xff, 0xff, 0xff],
        &[0x00, 0x7f, 0xff, 0xff],
        &[0x80, 0, 0, 0],
        &[0xff, 0xff, 0xff, 0xff, 0x07],
        &[0xff, 0xff, 0xff, 0xff, 0x0f],
        &[0x00, 0xff, 0xff, 0xff, 0xff, 0x0f],
        &[0xff, 0xff, 0x7f],
    ];
    let mut tally = Tally::default();
    for api in api::ALL {
        let mut frames = Vec::new();
        for version in api.versions.clone() {
            for claim in claims {
                for before in 0..24 {
                    let mut frame =
                        [&[0; 4][..], &api.key.code().to_be_bytes(), &version.to_be_bytes()].concat();
                    frame.extend([0, 0, 0, 7, 0xff, 0xff]);
                    frame.extend(vec![0; before]);
                    frame.extend(claim);
                    frame.extend([1; 9]);
                    set_size(&mut frame);
                    frames.push(frame);
                }
            }
        }
        for frames in frames.chunks(CONNECTIONS) {
            attack(&rig, frames.to_vec(), &mut tally);
        }
    }
    assert!(tally.closed > tally.answered / 2, "{tally:?}");
    assert_eq!(bystander.append("t", 0, &batch(&["still here"])), 0);
}

#[test]
fn a_resource_that_is_asked_for_a_thousand_times_is_described_once() {
    let (_rig, mut client, _) = victim();
    let resource = DescribeConfigsResource { resource_type: 4, resource_name: "3", configuration_keys: None };
    let mut resources = vec![resource; 1000];
    for (index, resource) in resources.iter_mut().enumerate() {
        resource.resource_name = ["3", "+3", "03", "0003"][index % 4];
    }
    let reply = client.ask(4, &DescribeConfigsRequest { resources, ..Default::default() });
    assert!(reply.frame.len() < 100_000, "{} bytes", reply.frame.len());
    assert_eq!(reply.read::<DescribeConfigsResponse<'_>>().results.len(), 1);
}

#[test]
fn a_batch_that_unpacks_to_more_than_it_may_is_refused() {
    let (_rig, mut client, _) = victim();
    let zeros = vec![0; 65 << 20];
    for codec in [Codec::Lz4, Codec::Zstd] {
        let bomb = BatchBuilder::new().codec(codec, None).record(WALL_MS, None, Some(&zeros)).build();
        assert!(bomb.len() < 1 << 20, "{} bytes", bomb.len());
        assert_eq!(client.produce("t", 0, &bomb).error, ErrorCode::MessageTooLarge, "{codec:?}");
    }
    assert_eq!(client.append("t", 0, &batch(&["v"])), 0);
}

#[test]
fn half_a_request_is_forgotten_with_its_connection() {
    let (rig, mut bystander, id) = victim();
    for sample in samples(id) {
        let client = rig.connect();
        client.peer.send(&sample[..sample.len() / 2]);
        rig.turn();
        client.peer.close();
    }
    rig.settle();
    assert_eq!(rig.sum(|broker| broker.pending.len()), 0);
    bystander.append("t", 1, &batch(&["v"]));
}

#[test]
fn a_reader_that_never_reads_costs_a_bounded_amount_and_disturbs_nobody() {
    let (rig, mut bystander, _) = victim();
    let large = BatchBuilder::new().record(WALL_MS, None, Some(&vec![7; 900_000])).build();
    (0..20).for_each(|_| drop(bystander.produce("t", 0, &large)));
    let mut greedy = fetch_request(&[("t", 0, 0)]);
    greedy.topics[0].partitions[0].partition_max_bytes = i32::MAX;
    let mut readers: Vec<Client> = (0..30).map(|_| rig.connect()).collect();
    for reader in &mut readers {
        (0..10).for_each(|_| reader.send(12, &greedy));
    }
    rig.settle();
    let began = rig.now_ms();
    assert_eq!(bystander.append("t", 1, &batch(&["v"])), 0);
    assert_eq!(bystander.fetch("t", 1, 0).values(), ["v"]);
    assert_eq!(rig.now_ms(), began);
    // Each connection has one reply on its way; its other requests wait for it.
    assert!(rig.sum(|broker| broker.pending.len()) <= readers.len());
    drop(readers);
    assert_eq!(error(0), ErrorCode::None);
}

#[test]
fn a_request_that_names_too_many_partitions_is_closed_and_costs_nobody_else() {
    const NAMED_MAX: i32 = 100_000;
    let rig = Rig::new();
    let mut other = rig.connect();
    other.create("t", 1);
    for (count, is_refused) in [(NAMED_MAX, false), (NAMED_MAX + 1, true)] {
        let mut client = rig.connect();
        let parts: Vec<_> = (0..count).map(|partition| ("t", partition, 0)).collect();
        client.send(FETCH, &fetch_request(&parts));
        if is_refused {
            assert!(client.is_closed());
        } else {
            assert_eq!(fetched(&client.receive()).len(), parts.len());
        }
    }
    assert_eq!(other.produce("t", 0, &batch(&["a"])).error, ErrorCode::None);
}
