//! Brokers to compare: started on an empty directory and on cores of their own, or already there.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::time::{Duration, Instant};

use protocol::ApiKey;
use protocol::messages::api_versions_request::ApiVersionsRequest;

use crate::Fault;
use crate::setup::{Line, resolve};

/// How long a broker may take to answer, and to stop.
const START_WAIT: Duration = Duration::from_secs(120);
const STOP_WAIT: Duration = Duration::from_secs(60);
const STEP: Duration = Duration::from_millis(10);

/// Kafka wants an id of 16 bytes, in Base64.
const CLUSTER_ID: &str = "cmluZ2xvZy1iZW5jaC0xMg";

/// A broker, and how to have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// `ringlog:PATH`: a program of ours.
    Ringlog(PathBuf),
    /// `kafka:DIRECTORY`: Apache Kafka's jars.
    Kafka(PathBuf),
    /// `HOST:PORT`: it runs, and stays as it is.
    Running(String),
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Kind, String> {
        match text.split_once(':') {
            Some(("ringlog", path)) => Ok(Kind::Ringlog(path.into())),
            Some(("kafka", path)) => Ok(Kind::Kafka(path.into())),
            Some((_, port)) if port.parse::<u16>().is_ok() => Ok(Kind::Running(text.to_owned())),
            _ => Err("ringlog:PROGRAM, kafka:DIRECTORY-OF-JARS or HOST:PORT".into()),
        }
    }
}

impl Kind {
    /// A short name.
    pub fn label(&self) -> &str {
        match self {
            Kind::Ringlog(_) => "ringlog",
            Kind::Kafka(_) => "kafka",
            Kind::Running(address) => address,
        }
    }
}

/// How brokers are started.
#[derive(Debug, Clone)]
pub struct Place {
    /// An empty directory of theirs.
    pub directory: PathBuf,
    /// The cores that they may use, as `taskset` writes them; all if empty.
    pub cpus: String,
    /// Settings beside their defaults, KEY=VALUE.
    pub settings: Vec<String>,
    /// The Java that runs Kafka, and the size of its heap.
    pub java: String,
    /// See above.
    pub heap: String,
}

/// A broker that answers. Dropping it kills it and removes its data.
#[derive(Debug)]
pub struct Broker {
    /// HOST:PORT.
    pub address: String,
    /// Its process, if it was started here.
    pub pid: Option<u32>,
    child: Option<Child>,
    directory: Option<PathBuf>,
}

impl Broker {
    /// Starts a broker and waits until it answers.
    pub fn start(kind: &Kind, place: &Place) -> Result<Broker, Fault> {
        let mut broker = match kind {
            Kind::Running(address) => {
                Broker { address: address.clone(), pid: None, child: None, directory: None }
            }
            Kind::Ringlog(program) => {
                let port = free_port()?;
                let address = format!("127.0.0.1:{port}");
                let mut command = pinned(place, &program.to_string_lossy());
                command.args(["start", "--listen", &address, "--data-dir"]).arg(place.directory.join("data"));
                for setting in &place.settings {
                    command.args(["--set", setting]);
                }
                Broker::spawn(command, address, place)?
            }
            Kind::Kafka(jars) => Broker::start_kafka(jars, place)?,
        };
        broker.wait_for_answer(place)?;
        Ok(broker)
    }

    fn start_kafka(jars: &Path, place: &Place) -> Result<Broker, Fault> {
        let (port, controller) = (free_port()?, free_port()?);
        let config = place.directory.join("server.properties");
        fs::create_dir_all(&place.directory).map_err(|error| Fault::of(place.directory.display(), error))?;
        fs::write(&config, kafka_settings(place, port, controller))
            .map_err(|error| Fault::of(config.display(), error))?;
        let class_path = jars.join("*");
        let formatted = Command::new(&place.java)
            .args(["-Xmx256m", "-cp"])
            .arg(&class_path)
            .args(["kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c"])
            .arg(&config)
            .output()
            .map_err(|error| Fault::of(&place.java, error))?;
        if !formatted.status.success() {
            let said = String::from_utf8_lossy(&formatted.stderr);
            return Err(Fault::of("Kafka cannot format its directory", said.trim()));
        }
        let mut command = pinned(place, &place.java);
        let heap = &place.heap;
        command.args([format!("-Xms{heap}"), format!("-Xmx{heap}")]);
        command.args(["-XX:+UseG1GC", "-XX:+AlwaysPreTouch", "-cp"]).arg(&class_path);
        command.arg("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn").arg("kafka.Kafka").arg(&config);
        Broker::spawn(command, format!("127.0.0.1:{port}"), place)
    }

    fn spawn(mut command: Command, address: String, place: &Place) -> Result<Broker, Fault> {
        let log = place.directory.join("log");
        fs::create_dir_all(&place.directory).map_err(|error| Fault::of(place.directory.display(), error))?;
        let file = File::create(&log).map_err(|error| Fault::of(log.display(), error))?;
        let same = file.try_clone().map_err(|error| Fault::of(log.display(), error))?;
        let child = command.stdin(Stdio::null()).stdout(file).stderr(same).spawn();
        let child = child.map_err(|error| Fault::of(command.get_program().display(), error))?;
        // taskset becomes the program that it starts.
        let pid = Some(child.id());
        Ok(Broker { address, pid, child: Some(child), directory: Some(place.directory.clone()) })
    }

    fn wait_for_answer(&mut self, place: &Place) -> Result<(), Fault> {
        let deadline = Instant::now() + START_WAIT;
        let address = resolve(&self.address)?;
        let request = ApiVersionsRequest::default();
        loop {
            let asked = Line::open(address).and_then(|mut line| line.ask(ApiKey::ApiVersions, 0, &request));
            let Err(why) = asked else { return Ok(()) };
            let has_ended =
                self.child.as_mut().is_some_and(|child| child.try_wait().is_ok_and(|ended| ended.is_some()));
            if has_ended || Instant::now() > deadline || self.child.is_none() {
                let log = fs::read_to_string(place.directory.join("log")).unwrap_or_default();
                let last: Vec<&str> = log.lines().rev().take(5).collect();
                let last: Vec<&str> = last.into_iter().rev().collect();
                return Err(Fault::of(why, last.join("\n")));
            }
            std::thread::sleep(STEP);
        }
    }

    /// Stops it in order, and removes its data.
    pub fn stop(mut self) -> Result<(), Fault> {
        let Some(child) = &mut self.child else { return Ok(()) };
        let asked = Command::new("kill").arg(child.id().to_string()).status();
        asked.map_err(|error| Fault::of("kill", error))?;
        let deadline = Instant::now() + STOP_WAIT;
        while child.try_wait().map_err(|error| Fault::of("the broker", error))?.is_none() {
            if Instant::now() > deadline {
                return Err(Fault("the broker does not stop; it is killed".into()));
            }
            std::thread::sleep(STEP);
        }
        Ok(())
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It has ended, or is ended now.
            let _ = child.kill();
            let _ = child.wait();
        }
        if let Some(directory) = &self.directory {
            // What cannot be removed is seen by the next start, which wants an empty directory.
            let _ = fs::remove_dir_all(directory);
        }
    }
}

fn pinned(place: &Place, program: &str) -> Command {
    if place.cpus.is_empty() {
        return Command::new(program);
    }
    let mut command = Command::new("taskset");
    command.args(["-c", &place.cpus, program]);
    command
}

/// A port that nobody listens on, below those that outgoing connections take: another could take it before the broker does.
fn free_port() -> Result<u16, Fault> {
    for _ in 0..200 {
        let port = 10_000 + (shard::boot::random_seed() % 20_000) as u16;
        if std::net::TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err(Fault("no free port on 127.0.0.1".into()))
}

fn kafka_settings(place: &Place, port: u16, controller: u16) -> String {
    let data = place.directory.join("data");
    let mut lines = vec![
        "process.roles=broker,controller".to_owned(),
        "node.id=0".to_owned(),
        format!("controller.quorum.voters=0@127.0.0.1:{controller}"),
        format!("listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}"),
        format!("advertised.listeners=PLAINTEXT://127.0.0.1:{port}"),
        "controller.listener.names=CONTROLLER".to_owned(),
        "inter.broker.listener.name=PLAINTEXT".to_owned(),
        "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT".to_owned(),
        format!("log.dirs={}", data.display()),
        "offsets.topic.replication.factor=1".to_owned(),
        "transaction.state.log.replication.factor=1".to_owned(),
        "transaction.state.log.min.isr=1".to_owned(),
    ];
    lines.extend(place.settings.iter().cloned());
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brokers_are_named_by_kind() {
        for (text, expected) in [
            ("ringlog:target/release/ringlog", Some(Kind::Ringlog("target/release/ringlog".into()))),
            ("kafka:libs", Some(Kind::Kafka("libs".into()))),
            ("10.0.0.1:9092", Some(Kind::Running("10.0.0.1:9092".into()))),
            ("kafka", None),
            ("somewhere", None),
        ] {
            assert_eq!(text.parse().ok(), expected, "{text}");
        }
    }

    #[test]
    fn a_broker_that_ends_at_once_is_a_fault_with_its_last_words() {
        let directory = std::env::temp_dir().join(format!("ringlog-bench-start-{}", std::process::id()));
        let place = Place {
            directory: directory.clone(),
            cpus: String::new(),
            settings: vec![],
            java: String::new(),
            heap: String::new(),
        };
        let fault = Broker::start(&Kind::Ringlog("/bin/ls".into()), &place).unwrap_err();
        assert!(fault.0.contains("ls"), "{fault}");
        assert!(!directory.exists(), "its directory is gone with it");
    }
}
