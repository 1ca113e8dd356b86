//! `ringlog group reset-offsets`: commits other offsets for a group that has no members.

use std::collections::BTreeMap;

use clap::Args;
use net::client::{Client, ClientError};

use super::state::describe;
use crate::cli::cluster_args::ClusterArgs;
use crate::cli::commits::{Commit, Committer, Place, commit, committed};
use crate::cli::failure::Failure;
use crate::cli::json::{Json, list, object};
use crate::cli::offsets::{EARLIEST, Found, Isolation, LATEST, Want, look_up_all};
use crate::cli::position::{Position, argument_of};
use crate::cli::table::{Table, or_dash};
use crate::cli::topic::find_topics;
use crate::cli::when::{now_ms, parse_duration};

/// What `ringlog group reset-offsets` takes.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("which").required(true).args(["topic", "all_topics"]))]
pub struct ResetArgs {
    /// The group; it may be a new one
    #[arg(value_name = "GROUP")]
    group: String,
    /// Where to: earliest, latest, offset:N, shift:+N or shift:-N, a time, or a duration back from now
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true, value_parser = Goal::parse)]
    to: Goal,
    /// A topic, or some of its partitions; may be repeated
    #[arg(long, value_name = "TOPIC[:N,N]", value_parser = Which::parse)]
    topic: Vec<Which>,
    /// All that the group has committed
    #[arg(long)]
    all_topics: bool,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
}

/// Where a group goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goal {
    To(Position),
    Shift(i64),
}

impl Goal {
    fn parse(text: &str) -> Result<Goal, String> {
        if let Some(by) = argument_of(text, "shift") {
            let number = by.strip_prefix('+').unwrap_or(by);
            return number.parse().map(Goal::Shift).map_err(|_| format!("{by:?} is no number of records"));
        }
        match parse_duration(text) {
            Ok(ms) => Ok(Goal::To(Position::Time(now_ms().saturating_sub(ms)))),
            Err(_) => Position::parse(text).map(Goal::To),
        }
    }
}

/// Some partitions of a topic, or all.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Which {
    topic: String,
    partitions: Vec<i32>,
}

impl Which {
    fn parse(text: &str) -> Result<Which, String> {
        let (topic, list) = text.split_once(':').unwrap_or((text, ""));
        let numbers = list.split(',').filter(|number| !number.is_empty() || !list.is_empty());
        let number = |number: &str| number.parse::<i32>().ok().filter(|number| *number >= 0);
        let partitions = numbers.map(|text| number(text).ok_or(format!("{text:?} is no partition")));
        let partitions = partitions.collect::<Result<Vec<i32>, String>>()?;
        if topic.is_empty() || (text.ends_with(':') && partitions.is_empty()) {
            return Err("write TOPIC, or TOPIC:0,1 for some partitions".to_owned());
        }
        Ok(Which { topic: topic.to_owned(), partitions })
    }
}

/// What happens to a partition.
struct Move {
    place: Place,
    from: Option<i64>,
    to: i64,
    note: &'static str,
}

/// Does what was asked.
pub fn run(args: &ResetArgs, cluster: &ClusterArgs) -> Result<(), Failure> {
    let mut client = cluster.connect()?;
    let group = args.group.as_str();
    let state = client.until_done(|client| describe(client, group))?;
    let members = state.as_ref().map_or(0, |state| state.members.len());
    if members > 0 {
        let plural = if members == 1 { "a member" } else { "members" };
        return Err(Failure::Refused(format!(
            "group {group} has {plural}, who would commit over it: stop them first ({members} now; `ringlog group \
             describe {group}` says where they run)"
        )));
    }
    let commits = client.until_done(|client| committed(client, group))?;
    let places = places(&mut client, args, &commits)?;
    if places.is_empty() {
        return Err(Failure::Refused(format!(
            "group {group} has committed nothing; --topic names what to reset"
        )));
    }
    let plan = client.until_done(|client| plan(client, args.to, &places, &commits))?;
    if !args.dry_run {
        let offsets: BTreeMap<Place, Commit> = plan
            .iter()
            .map(|it| (it.place.clone(), Commit { offset: it.to, leader_epoch: -1, metadata: String::new() }))
            .collect();
        client.until_done(|client| commit(client, group, Committer::NOBODY, &offsets))?;
    }
    cluster.print(|| json_of(args, &plan), || text_of(args, &plan))
}

fn places(
    client: &mut Client,
    args: &ResetArgs,
    commits: &BTreeMap<Place, Commit>,
) -> Result<Vec<Place>, Failure> {
    let mut places: Vec<Place> = if args.all_topics { commits.keys().cloned().collect() } else { Vec::new() };
    for which in &args.topic {
        let topic = find_topics(client, &[&which.topic])?.remove(0);
        if let Some(missing) = which.partitions.iter().find(|index| topic.partition(**index).is_none()) {
            return Err(Failure::Refused(format!("topic {} has no partition {missing}", topic.name)));
        }
        let all = topic.partitions.iter().map(|partition| partition.index);
        let wanted = all.filter(|index| which.partitions.is_empty() || which.partitions.contains(index));
        places.extend(wanted.map(|index| (topic.name.clone(), index)));
    }
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

fn plan(
    client: &mut Client,
    goal: Goal,
    places: &[Place],
    commits: &BTreeMap<Place, Commit>,
) -> Result<Vec<Move>, ClientError> {
    let mut offsets = |timestamp: i64| -> Result<Vec<Found>, ClientError> {
        let want = |place: &Place| Want { topic: place.0.clone(), partition: place.1, timestamp };
        let wants: Vec<Want> = places.iter().map(want).collect();
        look_up_all(client, &wants, Isolation::ReadUncommitted)
    };
    let starts = offsets(EARLIEST)?;
    let ends = offsets(LATEST)?;
    let timed = match goal {
        Goal::To(Position::Time(timestamp)) => offsets(timestamp)?,
        _ => Vec::new(),
    };
    let mut plan = Vec::new();
    for (index, place) in places.iter().enumerate() {
        let start = starts[index].offset.unwrap_or(0);
        let end = ends[index].offset.unwrap_or(start);
        let from = commits.get(place).map(|commit| commit.offset);
        let wanted = match goal {
            Goal::To(Position::Earliest) => start,
            Goal::To(Position::Latest) => end,
            Goal::To(Position::Offset(offset)) => offset,
            Goal::To(Position::Time(_)) => timed[index].offset.unwrap_or(end),
            // Where nothing was committed there is nothing to shift from but the start.
            Goal::Shift(by) => from.unwrap_or(start).saturating_add(by),
        };
        let note = match wanted {
            wanted if wanted < start => "moved up to the log's start",
            wanted if wanted > end => "moved back to the log's end",
            _ => "",
        };
        plan.push(Move { place: place.clone(), from, to: wanted.clamp(start, end), note });
    }
    Ok(plan)
}

fn json_of(args: &ResetArgs, plan: &[Move]) -> Json {
    let partition = |it: &Move| {
        object([
            ("topic", it.place.0.as_str().into()),
            ("partition", it.place.1.into()),
            ("from", it.from.into()),
            ("to", it.to.into()),
            ("note", Some(it.note).filter(|note| !note.is_empty()).into()),
        ])
    };
    object([
        ("group", args.group.as_str().into()),
        ("done", (!args.dry_run).into()),
        ("partitions", list(plan, partition)),
    ])
}

fn text_of(args: &ResetArgs, plan: &[Move]) -> String {
    let mut table = Table::new(&["TOPIC", "PARTITION", "FROM", "TO", "NOTE"]);
    for it in plan {
        let (topic, partition) = &it.place;
        table.push([
            topic.clone(),
            partition.to_string(),
            or_dash(it.from),
            it.to.to_string(),
            it.note.to_owned(),
        ]);
    }
    match args.dry_run {
        true => format!("{}nothing was changed: this is what would be done\n", table.text("")),
        false => table.text(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_places_shifts_and_durations() {
        check("earliest", Some(Goal::To(Position::Earliest)));
        check("latest", Some(Goal::To(Position::Latest)));
        check("offset:7", Some(Goal::To(Position::Offset(7))));
        check("shift:-10", Some(Goal::Shift(-10)));
        check("shift:+10", Some(Goal::Shift(10)));
        check("shift 10", Some(Goal::Shift(10)));
        check("time:5", Some(Goal::To(Position::Time(5))));
        for text in ["", "shift", "shift:", "shift:x", "5", "offset:-1"] {
            check(text, None);
        }
        assert!(matches!(Goal::parse("2h"), Ok(Goal::To(Position::Time(_)))));
    }

    #[test]
    fn partitions_follow_the_topic() {
        for (text, topic, partitions) in [("t", "t", &[][..]), ("t:0", "t", &[0]), ("t:2,1", "t", &[2, 1])] {
            let which = Which { topic: topic.to_owned(), partitions: partitions.to_vec() };
            assert_eq!(Which::parse(text), Ok(which));
        }
        for text in ["", ":", "t:", "t:x", "t:-1", "t:1,", ":1"] {
            assert!(Which::parse(text).is_err(), "{text}");
        }
    }

    fn check(text: &str, expected: Option<Goal>) {
        assert_eq!(Goal::parse(text).ok(), expected, "{text:?}");
    }
}
