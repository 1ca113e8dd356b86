//! What the log says: one reason for each connection that ended, and loud errors where something is lost.

use std::io::Write;
use std::sync::{Arc, Mutex};

use protocol::ErrorCode;
use protocol::messages::metadata_request::MetadataRequest;
use shard::memory::Faults;
use tracing_subscriber::filter::LevelFilter;

use crate::calls::{PRODUCE, batch, produce_request};
use crate::harness::Rig;

/// Lines that were logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What is logged while `act` runs on this thread, from `level` on.
fn logged(level: LevelFilter, act: impl FnOnce()) -> Vec<String> {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .without_time()
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, act);
    let bytes = lines.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
}

fn containing<'a>(lines: &'a [String], words: &[&str]) -> Vec<&'a String> {
    lines.iter().filter(|line| words.iter().all(|word| line.contains(word))).collect()
}

#[test]
fn every_connection_that_ends_has_one_line_with_its_peer_and_its_reason() {
    let rig = Rig::with(2, &[("socket.request.max.bytes", "5000"), ("connections.max.idle.ms", "60000")]);
    let bad_size = (-1_i32).to_be_bytes().to_vec();
    let too_large = 5001_i32.to_be_bytes().to_vec();
    let unknown_key = [&[0, 0, 0, 10][..], &999_i16.to_be_bytes(), &[0; 6], &[0xff, 0xff]].concat();
    let no_header = vec![0, 0, 0, 3, 0, 3, 0];
    let unknown_version = [&[0, 0, 0, 10, 0, 3, 0, 99][..], &[0; 4], &[0xff, 0xff]].concat();
    let no_body = [&[0, 0, 0, 10, 0, 3, 0, 1][..], &[0; 4], &[0xff, 0xff]].concat();
    for (sent, reason) in [
        (bad_size, "a frame claims -1 bytes"),
        (too_large, "a frame claims 5001 bytes, socket.request.max.bytes is 5000"),
        (unknown_key, "API key 999 is not served"),
        (no_header, "its header cannot be read"),
        (unknown_version, "version 99 of Metadata is not served"),
        (no_body, "the body of Metadata version 1 cannot be read"),
    ] {
        let lines = logged(LevelFilter::DEBUG, || {
            let mut client = rig.connect();
            client.send_raw(&sent, None);
            assert!(client.is_closed());
        });
        let closed = containing(&lines, &["connection closed"]);
        assert_eq!(closed.len(), 1, "{lines:?}");
        assert!(closed[0].contains("WARN") && closed[0].contains("127.0.0.1:"), "{closed:?}");
        assert!(closed[0].contains(reason), "{closed:?}");
    }
    // Ends of ordinary life are for those who look closely.
    let lines = logged(LevelFilter::DEBUG, || {
        let (closing, resetting, _idle) = (rig.connect(), rig.connect(), rig.connect());
        closing.peer.close();
        resetting.peer.reset();
        rig.pass_ms(62_000);
    });
    assert_eq!(containing(&lines, &["DEBUG", "connection closed"]).len(), 3, "{lines:?}");
    for reason in ["the peer closed", "the connection broke", "idle for longer than"] {
        assert_eq!(containing(&lines, &["connection closed", reason]).len(), 1, "{lines:?}");
    }
    assert!(containing(&lines, &["WARN"]).is_empty(), "{lines:?}");
}

#[test]
fn q12_a_failed_produce_without_acknowledgement_says_why_it_closed() {
    let rig = Rig::new();
    let lines = logged(LevelFilter::INFO, || {
        let mut client = rig.connect();
        let batch = batch(&["v"]);
        let mut request = produce_request(&[("no-such-topic", 0, &batch)]);
        request.acks = 0;
        client.send_silent(PRODUCE, &request);
        assert!(client.is_closed());
    });
    assert_eq!(
        containing(&lines, &["connection closed", "without acknowledgement failed", "no topic"]).len(),
        1
    );
}

#[test]
fn a_thousand_bad_connections_in_a_second_are_a_few_lines_and_a_count() {
    let rig = Rig::with(1, &[]);
    let lines = logged(LevelFilter::INFO, || {
        for _ in 0..1000 {
            let mut client = rig.connect();
            client.send_raw(&(-1_i32).to_be_bytes(), None);
            rig.settle();
            client.receive_bytes();
        }
        rig.pass_ms(2500);
    });
    assert_eq!(containing(&lines, &["connection closed"]).len(), 10, "{lines:?}");
    assert_eq!(containing(&lines, &["more connections were closed", "990"]).len(), 1, "{lines:?}");
}

#[test]
fn a_partition_that_goes_offline_is_one_loud_line_that_names_it() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    client.create("precious", 3);
    client.append("precious", 2, &batch(&["v"]));
    let lines = logged(LevelFilter::INFO, || {
        rig.faults(Faults { failed_write_percent: 100, failed_sync_percent: 100, ..Faults::default() });
        let answer = client.produce("precious", 2, &batch(&["lost"]));
        assert_eq!(answer.error, ErrorCode::KafkaStorageError);
        rig.faults(Faults::default());
        (0..5).for_each(|_| drop(client.produce("precious", 2, &batch(&["lost"]))));
    });
    assert_eq!(containing(&lines, &["ERROR", "precious", "partition=2", "offline"]).len(), 1, "{lines:?}");
}

#[test]
fn metadata_that_cannot_be_written_is_loud() {
    let rig = Rig::with(2, &[]);
    let mut client = rig.connect();
    rig.faults(Faults { failed_sync_percent: 100, ..Faults::default() });
    let lines = logged(LevelFilter::INFO, || {
        client.send(7, &crate::calls::create_request("t", 1, &[]));
        client.receive();
    });
    assert_eq!(containing(&lines, &["ERROR", "metadata log cannot be written"]).len(), 1, "{lines:?}");
}

#[test]
fn an_ordinary_life_is_quiet() {
    let rig = Rig::with(2, &[]);
    let lines = logged(LevelFilter::INFO, || {
        let mut client = rig.connect();
        client.create("t", 2);
        client.append("t", 0, &batch(&["v"]));
        client.ask(12, &MetadataRequest::default());
        client.produce("t", 9, &batch(&["refused"]));
        client.peer.close();
        rig.pass_ms(5000);
    });
    assert!(lines.is_empty(), "{lines:?}");
}
