//! The blocking client against peers that are no good brokers: each ends in an error that says what is wrong, in time.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use net::client::{Address, Client, ClientError};

#[test]
fn another_protocol_is_recognised() {
    let error = connect_to(|mut peer| {
        let _ = peer.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        let _ = peer.read_to_end(&mut Vec::new());
    });
    assert!(error.contains("is this Kafka, without TLS?"), "{error}");
}

#[test]
fn a_peer_that_closes_is_told() {
    let error = connect_to(drop);
    assert!(error.contains("broke during ApiVersions"), "{error}");
}

#[test]
fn a_peer_that_says_nothing_has_a_deadline() {
    let error = connect_to(|mut peer| {
        // Until the client has given up and closed.
        let _ = peer.read_to_end(&mut Vec::new());
    });
    assert!(error.contains("did not answer ApiVersions within 0.3 s"), "{error}");
}

#[test]
fn a_frame_that_is_no_answer_is_told() {
    let error = connect_to(|mut peer| {
        let _ = peer.write_all(b"\0\0\0\x06\0\0\0\x09\0\0");
        let _ = peer.read_to_end(&mut Vec::new());
    });
    assert!(error.contains("it answered question 9 where 0 was the next"), "{error}");
}

#[test]
fn every_address_of_the_list_is_tried_and_named() {
    let closed: Vec<Address> =
        (0..2).map(|_| address_of(&TcpListener::bind("127.0.0.1:0").unwrap())).collect();
    let error = Client::connect(closed.clone(), "test", Duration::from_secs(5)).unwrap_err();
    let ClientError::NoneReachable { tried } = &error else { panic!("{error}") };
    assert!(!tried.is_empty());
    assert!(closed.iter().all(|address| error.to_string().contains(&address.to_string())), "{error}");
}

/// What a client says about a peer that does `answer` with its connection.
fn connect_to(answer: impl FnOnce(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = address_of(&listener);
    let peer = thread::spawn(move || answer(listener.accept().unwrap().0));
    let error = Client::connect(vec![address], "test", Duration::from_millis(300)).unwrap_err();
    peer.join().unwrap();
    error.to_string()
}

fn address_of(listener: &TcpListener) -> Address {
    Address { host: "127.0.0.1".to_owned(), port: listener.local_addr().unwrap().port() }
}
