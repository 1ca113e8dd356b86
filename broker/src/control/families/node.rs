//! The process, its cores, its connections and its requests.

use std::collections::BTreeMap;

use net::Closing;
use protocol::{ApiKey, ErrorCode};
use shard::Histogram;

use super::super::snapshot::CoreAnswer;
use super::super::text::{Kind, Number, seconds};
use super::{Family, Lines, Scene};

const CORE: &[&str] = &["core"];

fn each_core<N: Into<Number>>(scene: &Scene, lines: &mut Lines<'_>, value: fn(&CoreAnswer) -> N) {
    for (core, answer) in scene.snapshot.told() {
        lines.put(&[&core.0.to_string()], value(answer));
    }
}

fn nanos(nanos: u64) -> Number {
    Number::Real(nanos as f64 / 1e9)
}

pub(super) const FAMILIES: &[Family] = &[
    Family::few(
        "ringlog_build_info",
        Kind::Gauge,
        &["version", "node"],
        "Always 1; its labels tell the version and the node's number",
        |scene, lines| {
            lines.put(&[env!("CARGO_PKG_VERSION"), &scene.node_id.to_string()], 1_u64);
        },
    ),
    Family::few(
        "process_start_time_seconds",
        Kind::Gauge,
        &[],
        "When the process was started, seconds since 1970",
        |scene, lines| {
            lines.put(&[], seconds(scene.started_ms));
        },
    ),
    Family::few(
        "process_cpu_seconds_total",
        Kind::Counter,
        &[],
        "CPU time of all threads",
        |scene, lines| {
            lines.put(&[], Number::Real(scene.process.cpu.as_secs_f64()));
        },
    ),
    Family::few(
        "process_resident_memory_bytes",
        Kind::Gauge,
        &[],
        "Memory that is resident",
        |scene, lines| {
            if let Some(bytes) = scene.process.resident_bytes {
                lines.put(&[], bytes);
            }
        },
    ),
    Family::few(
        "process_open_fds",
        Kind::Gauge,
        &[],
        "Open descriptors: files, sockets and rings",
        |scene, lines| {
            if let Some(count) = scene.process.descriptors {
                lines.put(&[], count);
            }
        },
    ),
    Family::few(
        "process_max_fds",
        Kind::Gauge,
        &[],
        "Descriptors that the process may have",
        |scene, lines| {
            lines.put(&[], scene.descriptors_max);
        },
    ),
    Family::few(
        "ringlog_core_answered",
        Kind::Gauge,
        CORE,
        "Whether the core has answered this scrape; if not, its last numbers stand for it",
        |scene, lines| {
            for ((core, _), is_silent) in scene.snapshot.cores.iter().zip(&scene.snapshot.silent) {
                lines.put(&[&core.0.to_string()], !is_silent);
            }
        },
    ),
    Family::few(
        "ringlog_core_answer_age_seconds",
        Kind::Gauge,
        CORE,
        "How old the core's numbers are",
        |scene, lines| {
            each_core(scene, lines, |answer| Number::Real(answer.at.elapsed().as_secs_f64()));
        },
    ),
    Family::few(
        "ringlog_core_cpu_seconds_total",
        Kind::Counter,
        CORE,
        "CPU time that the core's thread has used, the kernel's part included",
        |scene, lines| {
            each_core(scene, lines, |answer| Number::Real(answer.facts.cpu.as_secs_f64()));
        },
    ),
    Family::few(
        "ringlog_core_turns_total",
        Kind::Counter,
        CORE,
        "Turns of the core's loop",
        |scene, lines| {
            each_core(scene, lines, |answer| answer.facts.turns.turns);
        },
    ),
    Family::few(
        "ringlog_core_busy_seconds_total",
        Kind::Counter,
        CORE,
        "Time in turns of the core's loop, sleep and the submission to the kernel left out",
        |scene, lines| {
            each_core(scene, lines, |answer| nanos(answer.facts.turns.busy_nanos));
        },
    ),
    Family::few(
        "ringlog_core_longest_turn_seconds",
        Kind::Gauge,
        CORE,
        "The longest turn since the start: nobody on the core was served meanwhile",
        |scene, lines| {
            each_core(scene, lines, |answer| nanos(answer.facts.turns.longest_nanos));
        },
    ),
    Family::few(
        "ringlog_core_completions_total",
        Kind::Counter,
        CORE,
        "Completions of I/O that the core has handled",
        |scene, lines| {
            each_core(scene, lines, |answer| answer.facts.turns.completions);
        },
    ),
    Family::few(
        "ringlog_core_letters_total",
        Kind::Counter,
        CORE,
        "Letters from other cores that the core has handled",
        |scene, lines| {
            each_core(scene, lines, |answer| answer.facts.turns.letters);
        },
    ),
    Family::few(
        "ringlog_connections",
        Kind::Gauge,
        CORE,
        "Connections of clients that are open",
        |scene, lines| {
            each_core(scene, lines, |answer| answer.facts.connection_count);
        },
    ),
    Family::few(
        "ringlog_connections_accepted_total",
        Kind::Counter,
        CORE,
        "Connections that were accepted, those refused at once included",
        |scene, lines| {
            each_core(scene, lines, |answer| answer.facts.net.accepted);
        },
    ),
    Family::few(
        "ringlog_connections_closed_total",
        Kind::Counter,
        &["reason"],
        "Connections that have ended, by the one reason for it",
        |scene, lines| {
            for kind in Closing::ALL {
                let count = |answer: &CoreAnswer| answer.facts.net.closed[kind as usize];
                lines.put(&[kind.name()], sum(scene, count));
            }
        },
    ),
    Family::few(
        "ringlog_accept_failures_total",
        Kind::Counter,
        &[],
        "Accepts that failed, mostly because descriptors were used up",
        |scene, lines| {
            lines.put(&[], sum(scene, |answer| answer.facts.net.accept_failures));
        },
    ),
    Family::few(
        "ringlog_received_bytes_total",
        Kind::Counter,
        CORE,
        "Bytes that clients sent",
        |scene, lines| {
            each_core(scene, lines, |answer| answer.facts.net.received_bytes);
        },
    ),
    Family::few(
        "ringlog_sent_bytes_total",
        Kind::Counter,
        CORE,
        "Bytes that were sent to clients",
        |scene, lines| {
            each_core(scene, lines, |answer| answer.facts.net.sent_bytes);
        },
    ),
    Family::few(
        "ringlog_request_duration_seconds",
        Kind::Histogram,
        &["api"],
        "From taking a request in to having its reply with the kernel, by API; a fetch's waiting for records counts",
        |scene, lines| {
            let mut by_key: BTreeMap<ApiKey, Histogram> = BTreeMap::new();
            for (key, took) in scene.snapshot.told().flat_map(|(_, answer)| answer.facts.net.requests()) {
                by_key.entry(key).or_default().add(took);
            }
            for (key, took) in by_key {
                lines.histogram(&[key.name()], &took);
            }
        },
    ),
    Family::few(
        "ringlog_request_errors_total",
        Kind::Counter,
        &["api", "error"],
        "Errors that requests were answered with, each partition's by itself, by API and Kafka's name for the error",
        |scene, lines| {
            let mut by_code: BTreeMap<(i16, i16), u64> = BTreeMap::new();
            for (of, count) in scene.snapshot.told().flat_map(|(_, answer)| &answer.facts.errors) {
                *by_code.entry(*of).or_default() += count;
            }
            for ((key, code), count) in by_code {
                let api = ApiKey::from_code(key).map_or("unknown", ApiKey::name);
                let error = ErrorCode::from_code(code).map_or("unknown", ErrorCode::name);
                lines.put(&[api, error], count);
            }
        },
    ),
    Family::few(
        "ringlog_requests_waiting",
        Kind::Gauge,
        CORE,
        "Requests that wait for partitions or coordinators, produce requests that wait for their bytes to be safe among them",
        |scene, lines| {
            each_core(scene, lines, |answer| answer.facts.waiting_requests);
        },
    ),
    Family::few(
        "ringlog_fetches_parked",
        Kind::Gauge,
        CORE,
        "Fetches that wait for more to read",
        |scene, lines| {
            each_core(scene, lines, |answer| answer.facts.parked_fetches);
        },
    ),
    Family::few(
        "ringlog_fetch_sessions",
        Kind::Gauge,
        CORE,
        "Fetch sessions that are kept (KIP-227)",
        |scene, lines| {
            each_core(scene, lines, |answer| answer.facts.fetch_sessions);
        },
    ),
    Family::few(
        "ringlog_reading_bytes",
        Kind::Gauge,
        CORE,
        "Bytes that are being read from files",
        |scene, lines| {
            each_core(scene, lines, |answer| answer.facts.reading_bytes);
        },
    ),
    Family::few(
        "ringlog_reply_bytes",
        Kind::Gauge,
        CORE,
        "Bytes of replies that are not with the kernel yet",
        |scene, lines| {
            each_core(scene, lines, |answer| answer.facts.reply_bytes);
        },
    ),
    Family::few(
        "ringlog_pool_bytes",
        Kind::Gauge,
        &[],
        "Bytes of free buffers that are kept for reuse",
        |scene, lines| {
            let known = scene.snapshot.told().map(|(_, answer)| answer.facts.pool_bytes).max();
            lines.put(&[], known.unwrap_or(0));
        },
    ),
];

/// A number of all cores together.
pub(super) fn sum(scene: &Scene, value: impl Fn(&CoreAnswer) -> u64) -> u64 {
    scene.snapshot.told().map(|(_, answer)| value(answer)).sum()
}
