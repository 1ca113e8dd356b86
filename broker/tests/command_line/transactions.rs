//! `ringlog txn`, with a transaction that a client of this test leaves open.

use std::time::Duration;

use net::client::{Address, Client, CoordinatorKind, Target, WantedTopics};
use protocol::messages::init_producer_id_request::InitProducerIdRequest;
use protocol::messages::init_producer_id_response::InitProducerIdResponse;
use protocol::messages::produce_request::{PartitionProduceData, ProduceRequest, TopicProduceData};
use protocol::messages::produce_response::ProduceResponse;
use storage::batch::BatchBuilder;
use storage::{ProducerEpoch, ProducerId, Sequence};

use crate::place::{Place, steady};

const TRANSACTIONAL: i16 = 1 << 4;

#[test]
fn an_open_transaction_is_shown_and_can_be_ended() {
    let place = Place::start("txn");
    place.ok("topic create a -p 1");
    assert_eq!(place.ok("txn list"), "there are no such transactions\n");
    assert_eq!(place.ok("txn find-hanging"), "no transaction hangs\n");
    leave_open(&place);
    place.ok_with("produce a", b"after\n");
    let listed = place.ok("txn list --json");
    assert!(
        listed.contains("\"transactional_id\":\"t\"") && listed.contains("\"state\":\"Ongoing\""),
        "{listed}"
    );
    assert_eq!(place.ok("txn list --state Empty"), "there are no such transactions\n");
    assert_eq!(place.ok("txn list --older-than 1h"), "there are no such transactions\n");
    place.refused("txn list --state Nonsense", 1, "there is no state Nonsense");
    let said = steady(&place.ok("txn describe t"), &place);
    assert!(said.starts_with("transaction t\n  state        Ongoing\n"), "{said}");
    assert!(said.contains("verdict      open for ") && said.contains("partitions   a:0\n"), "{said}");
    place.refused("txn describe nobody", 1, "transactional id nobody");
    // Its coordinator knows of it, so it does not hang, however old it were.
    assert_eq!(place.ok("txn find-hanging --older-than 0s"), "no transaction hangs\n");
    assert_eq!(place.ok("consume a -e --read-committed"), "");
    assert_eq!(place.ok("consume a -e"), "open\nafter\n");
    let group = "group reset-offsets g --topic a --to earliest";
    place.ok(group);
    assert!(place.ok("group describe g").contains("2 held back by an open transaction"));
    place.refused("txn abort a 0 --start-offset 1 --yes", 1, "open ones begin at 0");
    place.refused("txn abort a 5 --start-offset 0 --yes", 1, "topic a has no partition 5");
    place.refused("txn abort a 0 --start-offset 0", 2, "and may still commit it) needs a yes");
    let said = place.ok("txn abort a 0 --start-offset 0 --yes");
    assert!(said.starts_with("aborted the transaction of producer "), "{said}");
    assert_eq!(place.ok("consume a -e --read-committed"), "after\n");
    assert_eq!(place.ok("consume a -e"), "open\nafter\n");
}

/// Begins a transaction with a record, and goes.
fn leave_open(place: &Place) {
    let addresses = Address::parse_list(&place.bootstrap).unwrap();
    let mut client = Client::connect(addresses, "test", Duration::from_secs(30)).unwrap();
    let request = InitProducerIdRequest {
        transactional_id: Some("t"),
        transaction_timeout_ms: 600_000,
        producer_id: -1,
        producer_epoch: -1,
        ..Default::default()
    };
    let answer = client
        .until_done(|client| {
            let answer = client.ask(Target::Coordinator(CoordinatorKind::Transaction, "t"), &request)?;
            let response: InitProducerIdResponse = client.read(&answer)?;
            answer.check("t", response.error_code, None)?;
            Ok(answer)
        })
        .unwrap();
    let producer: InitProducerIdResponse = client.read(&answer).unwrap();
    let (id, epoch) = (ProducerId(producer.producer_id), ProducerEpoch(producer.producer_epoch));
    let batch = BatchBuilder::new().producer(id, epoch, Sequence(0)).attributes(TRANSACTIONAL);
    let batch = batch.record(1_700_000_000_000, None, Some(b"open")).build();
    let map = client.metadata(WantedTopics::Named(&["a"])).unwrap();
    let topic = map.topic("a").unwrap();
    let partition = PartitionProduceData { index: 0, records: Some(&batch), ..Default::default() };
    let data = TopicProduceData {
        name: "a",
        topic_id: topic.id,
        partition_data: vec![partition],
        ..Default::default()
    };
    let request = ProduceRequest {
        transactional_id: Some("t"),
        acks: -1,
        timeout_ms: 30_000,
        topic_data: vec![data],
        ..Default::default()
    };
    let answer = client.ask(Target::Broker(0), &request).unwrap();
    let response: ProduceResponse<'_> = client.read(&answer).unwrap();
    assert_eq!(response.responses[0].partition_responses[0].error_code, 0);
}
