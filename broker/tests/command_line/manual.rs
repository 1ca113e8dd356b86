//! `docs/command-line.md` names every command and option that there is, and none that is not.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use broker::cli::Cli;
use clap::{Command, CommandFactory};

#[test]
fn the_reference_names_every_command_and_option_and_no_other() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/command-line.md");
    let text = fs::read_to_string(page).unwrap();
    let mut wanted = BTreeSet::new();
    // `start` and `log` have pages of their own.
    for command in Cli::command().get_subcommands().filter(|it| !["start", "log"].contains(&it.get_name())) {
        collect("ringlog", command, &mut wanted);
    }
    let mut there = BTreeSet::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("### `").and_then(|rest| rest.split('`').next()) {
            section = title.to_owned();
            there.insert(section.clone());
        } else if let (Some(row), false) = (line.strip_prefix("| `--"), section.is_empty()) {
            let option = row.split(['`', ' ', ',']).next().unwrap_or_default();
            there.insert(format!("{section} --{option}"));
        }
    }
    let missing: Vec<_> = wanted.difference(&there).collect();
    let unknown: Vec<_> = there.difference(&wanted).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "not on the page: {missing:#?}\nnot in the program: {unknown:#?}"
    );
}

/// Commands that do something, and their options; those of every command stand apart.
fn collect(above: &str, command: &Command, into: &mut BTreeSet<String>) {
    let name = format!("{above} {}", command.get_name());
    let subcommands: Vec<&Command> = command.get_subcommands().filter(|it| it.get_name() != "help").collect();
    for subcommand in &subcommands {
        collect(&name, subcommand, into);
    }
    if !subcommands.is_empty() {
        return;
    }
    let shared = ["bootstrap", "json", "timeout", "help", "version"];
    let options = command.get_arguments().filter_map(|argument| argument.get_long());
    into.extend(options.filter(|option| !shared.contains(option)).map(|option| format!("{name} --{option}")));
    into.insert(name);
}
