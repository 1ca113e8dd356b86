//! One measured run of a scenario against a broker that is there.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use shard::boot::BootError;
use shard::{HostChoices, Kind, Pool};

use crate::Fault;
use crate::load::{CoreResult, Event, Plan, Worker, plan};
use crate::outcome::{Distribution, FORMAT, Outcome};
use crate::process::{self, Usage, Used};
use crate::scenario::{Amount, Scenario};
use crate::setup::{self, Line};

/// Receive buffers that a load's cores keep for reuse, bytes.
const POOL_BYTES: usize = 64 << 20;

/// How long an amount of bytes may take, and what setting up and ending may add to a time.
const AMOUNT_WAIT: Duration = Duration::from_secs(30 * 60);
const SLACK: Duration = Duration::from_secs(60);

/// Where a run goes, and from which cores.
#[derive(Debug, Clone)]
pub struct Target {
    /// What the broker is called.
    pub label: String,
    /// HOST:PORT.
    pub address: String,
    /// Its process, if it runs here.
    pub pid: Option<u32>,
    /// The cores that the load runs on; unpinned if there are none.
    pub cpus: Vec<usize>,
    /// Whether the topic stays.
    pub keeps_topic: bool,
}

/// Runs a scenario.
pub fn run(scenario: &Scenario, target: &Target) -> Result<Outcome, Fault> {
    let address = setup::resolve(&target.address)?;
    let mut line = Line::open(address)?;
    let wall_ms = shard::boot::wall_ms().0;
    let topic = format!("ringlog-bench-{}-{:08x}", scenario.name, shard::boot::random_seed() as u32);
    let topic: String =
        topic.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
    setup::create_topic(&mut line, scenario, &topic)?;
    let progress = Progress::new(&format!("{} on {}", scenario.name, target.label));
    let measured = measure(scenario, target, &mut line, &topic, wall_ms, progress);
    if !target.keeps_topic {
        // A run that failed says why; that its topic stays is no news then.
        let deleted = setup::delete_topic(&mut line, &topic);
        return measured.and_then(|outcome| deleted.map(|()| outcome));
    }
    measured
}

fn measure(
    scenario: &Scenario,
    target: &Target,
    line: &mut Line,
    topic: &str,
    wall_ms: i64,
    mut progress: Progress,
) -> Result<Outcome, Fault> {
    if scenario.preload_mib > 0 {
        setup::fill(line, scenario, topic, wall_ms, |mib| {
            progress.say(&format!("filling {mib} of {} MiB", scenario.preload_mib));
        })?;
    }
    let ids =
        if scenario.is_idempotent { setup::producer_ids(line, scenario.producers)? } else { Vec::new() };
    let shares = plan(scenario, target.cpus.len().max(1));
    let plan = Arc::new(Plan {
        scenario: scenario.clone(),
        topic: topic.to_owned(),
        address: setup::resolve(&target.address)?,
        ends: setup::ends(line, scenario, topic)?,
        ids,
        wall_ms,
        shares,
    });
    // Connections by the thousand want descriptors.
    shard::boot::raise_descriptor_limit().map_err(|error| Fault::of("the limit of descriptors", error))?;
    let cores: Vec<Option<usize>> =
        (0..plan.shares.len()).map(|core| target.cpus.get(core).copied()).collect();
    let (events, told) = channel();
    let build = {
        let plan = Arc::clone(&plan);
        move |core: shard::ShardId, native: &mut shard::Native| {
            Worker::connect(&plan, usize::from(core.0), native, events.clone())
        }
    };
    let running = shard::boot::run(HostChoices::of(Kind::choose().0), &cores, &Pool::new(POOL_BYTES), build)
        .map_err(|error| Fault::of("the load cannot start", why(&error)))?;
    let watched = watch(scenario, target, &told, cores.len(), &mut progress);
    running.stopper().stop();
    running.join();
    let (result, resident, used) = watched?;
    let mut outcome = uncounted(scenario, target, wall_ms, used);
    outcome.count(&result, &resident);
    Ok(outcome)
}

/// What is known of a run before its counters are.
fn uncounted(scenario: &Scenario, target: &Target, wall_ms: i64, used: Option<Used>) -> Outcome {
    Outcome {
        format: FORMAT,
        scenario: scenario.name.clone(),
        about: scenario.about.clone(),
        rate: scenario.rate,
        broker: target.label.clone(),
        machine: process::machine(),
        unix_seconds: u64::try_from(wall_ms / 1000).unwrap_or(0),
        seconds: 0.0,
        requests: 0,
        records: 0,
        bytes: 0,
        tail_records: 0,
        tail_bytes: 0,
        back_fill_records: 0,
        back_fill_bytes: 0,
        fetches: 0,
        acknowledged: Distribution::default(),
        end_to_end: Distribution::default(),
        send_lag: Distribution::default(),
        per_second: Vec::new(),
        errors: Default::default(),
        unanswered: 0,
        used,
    }
}

fn why(error: &BootError<std::io::Error>) -> String {
    match error {
        BootError::System(error) => error.to_string(),
        BootError::Ring(error) => error.to_string(),
        BootError::App(error) => format!("no connection to the broker: {error}"),
    }
}

type Watched = (CoreResult, Vec<u64>, Option<process::Used>);

/// Follows the cores through the run, and reads the broker's counters at its ends.
fn watch(
    scenario: &Scenario,
    target: &Target,
    told: &Receiver<Event>,
    core_count: usize,
    progress: &mut Progress,
) -> Result<Watched, Fault> {
    let look = || target.pid.map(process::usage).transpose();
    let deadline = Instant::now() + longest(scenario.warmup) + longest(scenario.measure) + SLACK;
    let (mut began, mut ended, mut left) = (None::<(Instant, Option<Usage>)>, None, core_count);
    let (mut resident, mut total) = (Vec::new(), CoreResult::empty());
    while left > 0 {
        match told.recv_timeout(Duration::from_millis(100)) {
            Ok(Event::Began) if began.is_none() => began = Some((Instant::now(), look()?)),
            Ok(Event::Began) => {}
            Ok(Event::Ended) => ended = look()?,
            Ok(Event::Counted(result)) => {
                total.add(&result);
                left -= 1;
            }
            Ok(Event::Broken(why)) => return Err(Fault(why)),
            Err(RecvTimeoutError::Disconnected) => return Err(Fault("the load ended too soon".into())),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if Instant::now() > deadline {
            return Err(Fault(
                "the run does not come to its end: the broker is too slow or does not answer".into(),
            ));
        }
        match &began {
            None => progress.say("warming up"),
            Some((since, usage)) => {
                let seconds = since.elapsed().as_secs();
                progress.say(&format!("measuring, {seconds} s of {}", scenario.measure));
                if usage.is_some() && ended.is_none() && resident.len() < seconds as usize {
                    resident.push(look()?.map_or(0, |usage| usage.resident_bytes()));
                }
            }
        }
    }
    let used = began.and_then(|(_, usage)| Some(ended?.since(&usage?)));
    Ok((total, resident, used))
}

fn longest(amount: Amount) -> Duration {
    match amount {
        Amount::Time(time) => time,
        Amount::Bytes(_) => AMOUNT_WAIT,
    }
}

/// A line on a terminal that says how far a run is.
struct Progress {
    what: String,
    is_shown: bool,
    last: Instant,
}

impl Progress {
    fn new(what: &str) -> Progress {
        let long_ago = Instant::now() - Duration::from_secs(1);
        Progress { what: what.to_owned(), is_shown: std::io::stderr().is_terminal(), last: long_ago }
    }

    fn say(&mut self, text: &str) {
        if self.is_shown && self.last.elapsed() > Duration::from_millis(200) {
            eprint!("\r\x1b[K{}: {text}", self.what);
            let _ = std::io::stderr().flush();
            self.last = Instant::now();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            eprint!("\r\x1b[K");
        }
    }
}
