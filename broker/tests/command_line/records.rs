//! `ringlog produce` and `ringlog consume`.

use std::io::{BufRead, BufReader};

use crate::place::{Place, Said};

#[test]
fn lines_come_back_as_they_were_sent() {
    let place = Place::start("lines");
    place.ok("topic create a -p 1");
    let said = place.ok_with("produce a", b"one\n\nlast without end");
    assert_eq!(
        said,
        "3 records acknowledged\n  PARTITION  RECORDS  FIRST  LAST\n          0        3      0     2\n"
    );
    assert_eq!(place.ok("consume a -e"), "one\n\nlast without end\n");
    assert_eq!(place.ok("produce a"), "nothing was sent, for nothing was read\n");
    assert_eq!(
        place.ok_with("produce a --json", b"{\"value\":\"x\"}\n"),
        "{\"topic\":\"a\",\"records\":1,\"acknowledged\":true,\"partitions\":[{\"partition\":0,\"records\":1,\
         \"first_offset\":3,\"last_offset\":3}]}\n"
    );
}

#[test]
fn every_codec_is_written_and_read() {
    let place = Place::start("codecs");
    let text: String = (0..20_000).map(|n| format!("record number {n} of some length\n")).collect();
    for codec in ["none", "gzip", "snappy", "lz4", "zstd"] {
        place.ok(&format!("topic create {codec} -p 1"));
        place.ok_with(&format!("produce {codec} --compression {codec}"), text.as_bytes());
        assert!(place.ok(&format!("consume {codec} -e")) == text, "{codec}");
    }
}

#[test]
fn keys_choose_partitions_as_javas_clients_do() {
    let place = Place::start("keys");
    place.ok("topic create a -p 4");
    place.ok_with("produce a --key-separator : --headers h=1,g=2", b"21:x\nfoobar:y\nabc:z:z\n");
    let mut lines: Vec<String> =
        place.ok("consume a -e -f %k~%p~%v~%h\\n").lines().map(str::to_owned).collect();
    lines.sort_unstable();
    // murmur2 of the keys, without its sign, modulo 4.
    assert_eq!(lines, ["21 0 x h=1,g=2", "abc 3 z:z h=1,g=2", "foobar 2 y h=1,g=2"]);
    assert_eq!(place.ok("consume a -e --key abc"), "z:z\n");
    let said = place.run_with("produce a --key-separator :", b"a:b\nno key\n");
    assert_eq!(said.status, 1);
    assert!(said.err.contains("line 2: there is no \":\" between key and value"), "{said:?}");
}

#[test]
fn json_lines_make_the_round_trip() {
    let place = Place::start("json-lines");
    place.ok("topic create a -p 2");
    place.ok("topic create b -p 2");
    let lines = concat!(
        "{\"key\":\"k\",\"value\":\"v\",\"headers\":[{\"key\":\"h\",\"value\":\"1\"},{\"key\":\"n\",\"value\":null}],",
        "\"partition\":1,\"timestamp\":1000}\n",
        "{\"key_base64\":\"//8=\",\"value\":null,\"partition\":0,\"timestamp\":2000}\n",
    );
    place.ok_with("produce a --json", lines.as_bytes());
    let back = place.ok("consume a -e --json -p 1");
    assert_eq!(
        back,
        "{\"topic\":\"a\",\"partition\":1,\"offset\":0,\"timestamp\":1000,\"key\":\"k\",\"value\":\"v\",\
         \"headers\":[{\"key\":\"h\",\"value\":\"1\"},{\"key\":\"n\",\"value\":null}]}\n"
    );
    let all = place.ok("consume a -e --json");
    place.ok_with("produce b --json", all.as_bytes());
    let mut copied: Vec<String> = place.ok("consume b -e --json").lines().map(str::to_owned).collect();
    let mut sent: Vec<String> =
        all.lines().map(|line| line.replace("\"topic\":\"a\"", "\"topic\":\"b\"")).collect();
    copied.sort_unstable();
    sent.sort_unstable();
    assert_eq!(copied, sent);
    let said = place.run_with("produce a --json", b"{\"value\":\"v\"}\n{\"valu\":\"v\"}\n");
    assert!(said.status == 1 && said.err.contains("line 2: a record has no field \"valu\""), "{said:?}");
    let said = place.run_with("produce a --json", b"{\"partition\":9}\n");
    assert!(
        said.status == 1 && said.err.contains("line 1: there is no partition 9, the topic has 2"),
        "{said:?}"
    );
}

#[test]
fn ranges_are_offsets_and_times() {
    let place = Place::start("ranges");
    place.ok("topic create a -p 1");
    let lines: String = (0..10)
        .map(|n| format!("{{\"value\":\"{n}\",\"timestamp\":{}}}\n", 1_700_000_000_000i64 + n * 1000))
        .collect();
    place.ok_with("produce a --json", lines.as_bytes());
    check(&place, "--from offset:7 -e", "7 8 9");
    check(&place, "--from offset:2 --to offset:5", "2 3 4");
    check(&place, "--from 1700000003000 --to 1700000006000", "3 4 5");
    check(&place, "--from 2023-11-14T22:13:25Z -e", "5 6 7 8 9");
    check(&place, "--from 1h~ago -e", "");
    check(&place, "--from latest -e", "");
    check(&place, "--to end --max 3", "0 1 2");
    place.refused("consume a --from offset:11", 1, "partition 0 of a has no offset 11: it ends at 10");
    place.refused("consume a -p 3", 1, "topic a has no partition 3");
    place.refused("consume a --from 5", 2, "write offset:5");
    place.refused("consume nobody", 1, "there is no such topic");
    place.refused("consume a -f %x", 2, "%x stands for nothing");
}

#[test]
fn records_are_bytes_whatever_ends_them() {
    let place = Place::start("bytes");
    place.ok("topic create a -p 1");
    place.ok_with("produce a --delimiter \\0", b"a\nb\0\xff\xfe\0");
    let mut child = place.spawn("consume a -e -f %v|");
    drop(child.stdin.take());
    assert_eq!(child.wait_with_output().unwrap().stdout, b"a\nb|\xff\xfe|");
}

#[test]
fn acknowledgements_are_said_as_they_are() {
    let place = Place::start("acks");
    place.ok("topic create a -p 1");
    assert!(place.ok_with("produce a --acks 1", b"x\n").starts_with("1 record acknowledged\n"));
    assert!(place.ok_with("produce a --acks 0", b"x\n").starts_with("1 record sent, unacknowledged\n"));
    place.ok("topic alter a --set max.message.bytes=1000");
    let large = [&b"small\n"[..], &[b'x'; 5000], b"\n"].concat();
    let said = place.run_with("produce a", &large);
    assert!(said.status == 1 && said.err.contains("lines 1 to 2, those for partition 0"), "{said:?}");
    assert!(said.err.contains("MESSAGE_TOO_LARGE"), "{said:?}");
    assert!(said.err.contains("0 records were acknowledged before it ended"), "{said:?}");
    place.refused("produce nobody", 1, "there is no such topic");
    place.refused("produce a --file no/such/file", 2, "no/such/file");
    place.refused("produce a --partition 5", 1, "topic a has no partition 5");
}

#[test]
fn a_reader_of_committed_records_is_served() {
    let place = Place::start("committed");
    place.ok("topic create a -p 1");
    place.ok_with("produce a", b"x\ny\n");
    assert_eq!(place.ok("consume a -e --read-committed"), "x\ny\n");
}

#[test]
fn a_reader_who_has_enough_is_no_error() {
    let place = Place::start("head");
    place.ok("topic create a -p 1");
    place.ok_with("produce a", b"first\nsecond\n");
    // It follows the topic, as `ringlog consume a | head -1`.
    let mut child = place.spawn("consume a");
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "first\n");
    drop(out);
    let said = Said::of(child.wait_with_output().unwrap());
    assert_eq!((said.status, said.err.as_str()), (0, ""));
}

#[test]
fn a_topic_is_followed_until_enough_was_read() {
    let place = Place::start("follow");
    place.ok("topic create a -p 1");
    let mut child = place.spawn("consume a --max 2");
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    place.ok_with("produce a", b"one\n");
    out.read_line(&mut line).unwrap();
    place.ok_with("produce a", b"two\n");
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "one\ntwo\n");
    assert!(child.wait().unwrap().success());
}

fn check(place: &Place, words: &str, expected: &str) {
    let out = place.ok(&format!("consume a {words}"));
    assert_eq!(out.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{words}");
}
