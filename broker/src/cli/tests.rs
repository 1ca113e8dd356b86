//! The command line: which settings the flags make, and which come first.

use clap::CommandFactory;

use super::*;
use crate::config::Cores;

#[test]
fn the_declaration_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn without_flags_the_defaults_hold() {
    assert_eq!(listeners("", ""), "PLAINTEXT localhost:9092 > localhost:9092");
    let config = start("", "").unwrap();
    assert_eq!(config.log_dir(), Path::new("./ringlog-data"));
    assert_eq!(config.values().node_id(), 0);
}

#[test]
fn flags_come_before_set_and_set_before_the_file() {
    let partitions = |line, file| start(line, file).unwrap().values().num_partitions();
    assert_eq!(partitions("", "num.partitions=2"), 2);
    assert_eq!(partitions("--set num.partitions=3", "num.partitions=2"), 3);
    assert_eq!(partitions("--set num.partitions=3 --set num.partitions=4", ""), 4);
    let config =
        start("--node-id 7 --set node.id=6 --data-dir d --cores 0,2", "node.id=5\nlog.dirs=x").unwrap();
    assert_eq!(config.values().node_id(), 7);
    assert_eq!(config.log_dir(), Path::new("d"));
    assert_eq!(config.cores(), &Cores::List(vec![0, 2]));
}

#[test]
fn addresses_need_no_name() {
    assert_eq!(listeners("--listen localhost:1", ""), "PLAINTEXT localhost:1 > localhost:1");
    assert_eq!(listeners("--listen :9092", ""), "PLAINTEXT :9092 > box:9092");
    assert_eq!(listeners("--listen [::1]:9092", ""), "PLAINTEXT [::1]:9092 > [::1]:9092");
    assert_eq!(
        listeners("--listen 10.0.0.1:1 --listen [::1]:2", ""),
        "PLAINTEXT 10.0.0.1:1 [::1]:2 > 10.0.0.1:1"
    );
    assert_eq!(listeners("--listen PLAINTEXT://a:1", "listeners=PLAINTEXT://b:2"), "PLAINTEXT a:1 > a:1");
    assert_eq!(listeners("--advertise example.org:443", ""), "PLAINTEXT localhost:9092 > example.org:443");
}

#[test]
fn c109_each_listener_advertises_its_own_address() {
    let two = "--listen IN://:9092 --listen out://:9093";
    assert_eq!(listeners(two, ""), "IN :9092 > box:9092; OUT :9093 > box:9093");
    let by_place = format!("{two} --advertise broker:9092 --advertise example.org:443");
    assert_eq!(listeners(&by_place, ""), "IN :9092 > broker:9092; OUT :9093 > example.org:443");
    let by_name = format!("{two} --advertise OUT://example.org:443");
    assert_eq!(listeners(&by_name, ""), "IN :9092 > box:9092; OUT :9093 > example.org:443");
    let of_file = "listeners=A://:1,B://:2\nlistener.security.protocol.map=A:PLAINTEXT,B:PLAINTEXT";
    assert_eq!(listeners("--advertise a:1 --advertise b:2", of_file), "A :1 > a:1; B :2 > b:2");
}

#[test]
fn a_name_on_the_command_line_is_no_way_round_security() {
    refused("--listen SSL://:1", "", "--listen: listeners=SSL://:1");
    refused("--listen MY://:1", "listener.security.protocol.map=PLAINTEXT:PLAINTEXT", "add MY:PLAINTEXT to");
    refused("", "listeners=MY://:1", "add MY:PLAINTEXT to");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    refused("--listen 9092", "", "--listen 9092: it must be host:port");
    refused("--listen a:b:c", "", "--listen a:b:c: it must be host:port");
    refused("--advertise a:1 --advertise b:2", "", "--advertise b:2: there are only 1 listeners");
    refused("--advertise :1", "", "clients need an address");
    refused("--set num.partitions", "", "--set num.partitions: KEY=VALUE is needed");
    refused("--node-id x", "", "--node-id: invalid value \"x\" for node.id");
    refused("--cores none", "", "--cores: invalid value \"none\" for ringlog.cores");
    refused("--config f.properties", "a=1\n\n=2", "f.properties:3: no key");
    refused("--config f.properties", "num.partitions=1\nnum.partitionz=1", "f.properties:2: unknown setting");
}

#[test]
fn a_missing_file_is_named() {
    let args = StartArgs { config: Some(PathBuf::from("no/such.properties")), ..StartArgs::default() };
    let fault = args.load("box").unwrap_err().to_string();
    assert!(fault.starts_with("no/such.properties: "), "{fault}");
}

#[test]
fn metrics_are_served_where_the_flag_or_the_setting_says() {
    let shown = |line: &str| {
        let endpoints = start(line, "ringlog.http.listen=127.0.0.1:1\n").unwrap().http_listen();
        endpoints.iter().map(Endpoint::to_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(shown(""), "127.0.0.1:1");
    assert_eq!(shown("--http localhost:9600"), "localhost:9600");
    assert_eq!(shown("--http :9600 --http [::1]:9601"), ":9600 [::1]:9601");
    assert_eq!(shown("--set ringlog.http.listen="), "");
    assert_eq!(start("", "").unwrap().http_listen(), []);
    refused("--http 9600", "", "ringlog.http.listen: it must be host:port");
}

#[test]
fn other_nodes_have_a_listener_of_their_own() {
    let shown = |line: &str| {
        let endpoints = start(line, "").unwrap().peer_listen();
        endpoints.iter().map(Endpoint::to_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(shown(""), "");
    assert_eq!(shown("--peer-listen localhost:9093"), "localhost:9093");
    assert_eq!(listeners("--peer-listen :9093", ""), listeners("", ""), "clients are not told");
    refused("--peer-listen 9093", "", "ringlog.peer.listen: it must be host:port");
    refused("--listen a:1 --peer-listen a:1", "", "other nodes need an address of their own");
}

#[test]
fn the_version_is_told() {
    let fault = Cli::try_parse_from(["ringlog", "--version"]).unwrap_err();
    assert_eq!(fault.to_string(), format!("ringlog {}\n", env!("CARGO_PKG_VERSION")));
}

fn start(line: &str, file: &str) -> Result<ServerConfig, StartError> {
    let words = ["ringlog", "start"].into_iter().chain(line.split_whitespace());
    let Command::Start(args) = Cli::try_parse_from(words).unwrap().command else { unreachable!() };
    args.server_config(file, "box")
}

fn listeners(line: &str, file: &str) -> String {
    let shown: Vec<String> = start(line, file)
        .unwrap()
        .listeners()
        .iter()
        .map(|listener| {
            let binds: Vec<String> = listener.binds.iter().map(Endpoint::to_string).collect();
            format!("{} {} > {}", listener.name, binds.join(" "), listener.advertised)
        })
        .collect();
    shown.join("; ")
}

fn refused(line: &str, file: &str, reason: &str) {
    let fault = start(line, file).unwrap_err().to_string();
    assert!(fault.contains(reason), "{fault}");
}
