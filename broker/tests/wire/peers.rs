//! The listener of other nodes: what it serves, what clients' listeners do not, and messages among controllers.

use protocol::controller_message::{self, ControllerMessage, ControllerMessageAnswer};
use protocol::messages::api_versions_request::ApiVersionsRequest;
use protocol::messages::api_versions_response::ApiVersionsResponse;
use protocol::messages::metadata_request::MetadataRequest;
use protocol::{ApiKey, Decoder, ErrorCode};

use crate::harness::{Client, Rig};

const CLUSTER: &str = "wire-cluster-AAAAAAAAA";
/// The listener that stands behind that of clients.
const PEERS: u16 = 1;

fn rig() -> Rig {
    Rig::with(2, &[("ringlog.peer.listen", "peers.test:9093")])
}

fn said<'a>(cluster_id: &'a str, to: i32) -> ControllerMessage<'a> {
    ControllerMessage { cluster_id, from: 4, to, content: b"hear" }
}

/// The error code and the text that a message is answered with.
fn answer(client: &mut Client, message: &ControllerMessage<'_>) -> (ErrorCode, String) {
    client.send_raw(&message.encode_request(77, "test"), None);
    client.rig.settle();
    let frame = client.take_frame().expect("a message is answered at once");
    let mut d = Decoder::new(&frame);
    assert_eq!(d.i32(), Ok(77));
    let answer = ControllerMessageAnswer::decode(&mut d).unwrap();
    d.finish().unwrap();
    (ErrorCode::from_code(answer.error_code).unwrap(), answer.message.unwrap_or_default().to_owned())
}

fn keys(client: &mut Client) -> Vec<i16> {
    let request = ApiVersionsRequest { client_software_name: "test", client_software_version: "1" };
    let reply = client.ask(4, &request);
    reply.read::<ApiVersionsResponse<'_>>().api_keys.iter().map(|api| api.api_key).collect()
}

#[test]
fn each_listener_tells_what_it_serves_and_serves_nothing_else() {
    let rig = rig();
    let of_clients = keys(&mut rig.connect());
    assert!(of_clients.contains(&ApiKey::Metadata.code()));
    assert!(!of_clients.contains(&controller_message::KEY));
    let of_peers = keys(&mut rig.connect_listener(PEERS));
    assert!(of_peers.contains(&controller_message::KEY));
    assert!(of_peers.contains(&ApiKey::ApiVersions.code()));
    assert!(!of_peers.contains(&ApiKey::Produce.code()));
    let mut client = rig.connect();
    client.send_raw(&said(CLUSTER, 3).encode_request(1, "test"), None);
    assert!(client.is_closed(), "clients say nothing to the controller");
    let mut peer = rig.connect_listener(PEERS);
    peer.send(12, &MetadataRequest::default());
    assert!(peer.is_closed(), "peers are no clients");
}

#[test]
fn a_message_for_another_cluster_or_node_or_in_another_format_is_refused_in_words() {
    let rig = rig();
    // Whichever core takes the connection.
    for _ in 0..4 {
        let peer = &mut rig.connect_listener(PEERS);
        let (code, text) = answer(peer, &said("another", 3));
        assert_eq!(
            (code, text.as_str()),
            (ErrorCode::InconsistentClusterId, "this is cluster wire-cluster-AAAAAAAAA, not another")
        );
        let (code, text) = answer(peer, &said(CLUSTER, 5));
        assert_eq!(code, ErrorCode::InvalidVoterKey);
        assert!(text.starts_with("this is node 3, not 5"), "{text}");
        let (code, text) = answer(peer, &said(CLUSTER, 3));
        assert_eq!(
            (code, text.as_str()),
            (
                ErrorCode::InvalidRequest,
                "messages of the quorum in format 104 are not known here: upgrade this node"
            )
        );
    }
}

#[test]
fn what_is_no_message_closes_the_connection() {
    let rig = rig();
    let whole = said(CLUSTER, 3).encode_request(1, "test");
    for cut in 1..40 {
        let mut peer = rig.connect_listener(PEERS);
        let mut frame = whole[..whole.len() - cut].to_vec();
        let size = (frame.len() - 4) as i32;
        frame[..4].copy_from_slice(&size.to_be_bytes());
        peer.send_raw(&frame, None);
        assert!(peer.is_closed(), "{cut} bytes cut off");
    }
    let mut newer = whole.clone();
    newer[7] = 1;
    let mut peer = rig.connect_listener(PEERS);
    peer.send_raw(&newer, None);
    assert!(peer.is_closed(), "version 1 is not served");
}

#[test]
fn clients_cannot_take_the_places_of_other_nodes() {
    let settings = [("ringlog.peer.listen", "peers.test:9093"), ("max.connections", "2")];
    let rig = Rig::with(1, &settings);
    let mut clients: Vec<Client> = (0..3).map(|_| rig.connect()).collect();
    rig.settle();
    assert!(clients[2].is_closed());
    keys(&mut rig.connect_listener(PEERS));
}
