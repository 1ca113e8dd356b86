//! The rules of this repository that a machine can hold it to: layers, sizes, heads, names, and that ARCHITECTURE.md tells
//! the truth. Every fault found is one line with its place and what to do.

use std::fs;
use std::path::{Path, PathBuf};

/// Who may use whom. Lines point down; what is not listed here is not allowed, in tests neither.
const EDGES: &[(&str, &[&str])] = &[
    ("shard", &[]),
    ("protocol", &[]),
    ("storage", &["shard"]),
    ("net", &["shard", "protocol"]),
    // Of storage the batch alone, and the list of mutations.
    ("quorum", &["storage", "protocol", "shard"]),
    ("broker", &["quorum", "storage", "net", "protocol", "shard"]),
    ("sim", &["broker", "quorum", "storage", "net", "protocol", "shard"]),
    // Brokers are met over TCP only; of storage the batch alone.
    ("bench", &["net", "protocol", "storage", "shard"]),
    ("tuning", &["bench", "shard"]),
];

/// Where each crate of the workspace has its manifest.
const MANIFESTS: &[(&str, &str)] = &[
    ("shard", "shard/Cargo.toml"),
    ("protocol", "net/protocol/Cargo.toml"),
    ("storage", "storage/Cargo.toml"),
    ("net", "net/Cargo.toml"),
    ("quorum", "quorum/Cargo.toml"),
    ("broker", "broker/Cargo.toml"),
    ("sim", "broker/sim/Cargo.toml"),
    ("bench", "bench/Cargo.toml"),
    ("tuning", "tuning/Cargo.toml"),
];

const FILE_LINES_MAX: usize = 800;
const FUNCTION_LINES_MAX: usize = 70;

/// Words that say nothing about what is inside.
const EMPTY_NAMES: &[&str] =
    &["util", "utils", "common", "helper", "helpers", "manager", "managers", "types", "misc"];

/// What unfinished or silenced work looks like. Cut in two, so that this file does not find itself.
const UNFINISHED: &[&str] = &[
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("dbg", "!("),
    concat!("#[", "ignore"),
    concat!("FIX", "ME"),
];

/// Tests that count what is allocated: the trait of an allocator is an unsafe one.
const UNSAFE_BY_TRAIT: &[&str] = &["net/protocol/tests/hostile.rs"];

/// Beginnings of paths that exist on one machine only.
const MACHINE_PATHS: &[&str] =
    &[concat!("/", "root/"), concat!("/", "home/"), concat!("/", "work/"), concat!("/", "Users/")];

#[test]
fn crates_use_only_what_stands_below_them() {
    let mut faults = Vec::new();
    for (name, manifest) in MANIFESTS {
        let (_, allowed) = EDGES.iter().find(|(from, _)| from == name).expect("every crate has its edges");
        for used in dependencies(&read(manifest)) {
            let ours = MANIFESTS.iter().any(|(name, _)| *name == used);
            if ours && !allowed.contains(&used.as_str()) {
                faults.push(format!("{manifest}: {name} may not use {used}"));
            }
        }
    }
    none(faults);
}

#[test]
fn the_workspace_has_the_crates_that_the_edges_know() {
    let text = read("Cargo.toml");
    let members = text.lines().find(|line| line.starts_with("members")).expect("members on one line");
    for (_, manifest) in MANIFESTS {
        let folder = manifest.trim_end_matches("/Cargo.toml");
        assert!(members.contains(&format!("\"{folder}\"")), "{folder} is no member");
    }
    assert_eq!(members.matches('"').count(), 2 * MANIFESTS.len(), "a member without edges: {members}");
}

#[test]
fn every_direct_dependency_is_accounted_for() {
    let account = read("docs/dependencies.md");
    let mut faults = Vec::new();
    for (_, manifest) in MANIFESTS {
        for used in dependencies(&read(manifest)) {
            let ours = MANIFESTS.iter().any(|(name, _)| *name == used);
            if !ours && !account.contains(&format!("`{used}`")) {
                faults.push(format!("{manifest}: `{used}` has no line in docs/dependencies.md"));
            }
        }
    }
    none(faults);
}

#[test]
fn every_file_begins_by_saying_what_it_is() {
    let heads = rust_files().into_iter().filter(|file| !file.text.starts_with("//!"));
    none(heads.map(|file| format!("{}: begins without `//!`", file.path)).collect());
}

#[test]
fn files_stay_small() {
    let long = written_files().into_iter().filter_map(|file| {
        let lines = file.text.lines().count();
        (lines > FILE_LINES_MAX).then(|| {
            format!(
                "{}: {lines} lines, {FILE_LINES_MAX} at most: a second idea wants its own file",
                file.path
            )
        })
    });
    none(long.collect());
}

#[test]
fn functions_stay_small() {
    let mut faults = Vec::new();
    for file in written_files() {
        for function in functions(&file.text) {
            if function.lines > FUNCTION_LINES_MAX {
                faults.push(format!(
                    "{}:{}: {} has {} lines, {FUNCTION_LINES_MAX} at most: a second idea wants its own name",
                    file.path, function.line, function.name, function.lines
                ));
            }
        }
    }
    none(faults);
}

#[test]
fn modules_are_named_for_what_they_hold() {
    let mut faults = Vec::new();
    for file in rust_files() {
        let path = Path::new(&file.path);
        let in_path = path.components().filter_map(|part| Path::new(part.as_os_str()).file_stem()?.to_str());
        let in_text = file.text.lines().filter_map(|line| {
            let line = line.trim_start().trim_start_matches("pub ");
            line.strip_prefix("mod ")?.split([' ', ';', '{']).next()
        });
        for name in in_path.chain(in_text).filter(|name| EMPTY_NAMES.contains(name)) {
            faults.push(format!("{}: a module called {name} says nothing", file.path));
        }
    }
    none(faults);
}

#[test]
fn unsafe_code_stands_in_shard_only() {
    let mut faults = Vec::new();
    let bound =
        |file: &File| !file.path.starts_with("shard/") && !UNSAFE_BY_TRAIT.contains(&file.path.as_str());
    for file in rust_files().into_iter().filter(bound) {
        for (line, text) in code_lines(&file.text) {
            let marks = ["{", "fn ", "impl ", "trait ", "extern "].map(|what| format!("{} {what}", "unsafe"));
            if marks.iter().any(|mark| text.contains(mark)) {
                faults.push(format!("{}:{line}: unsafe outside shard/", file.path));
            }
        }
    }
    none(faults);
}

#[test]
fn nothing_is_left_unfinished_or_silenced() {
    let mut faults = Vec::new();
    for file in rust_files() {
        for (line, text) in numbered(&file.text) {
            for mark in UNFINISHED.iter().filter(|mark| text.contains(**mark)) {
                faults.push(format!("{}:{line}: {mark}", file.path));
            }
        }
    }
    none(faults);
}

#[test]
fn no_path_of_one_machine_is_written_down() {
    let mut faults = Vec::new();
    for file in text_files() {
        for (line, text) in numbered(&file.text) {
            for path in MACHINE_PATHS.iter().filter(|path| holds_absolute(text, path)) {
                faults.push(format!("{}:{line}: {path}… exists on one machine only", file.path));
            }
        }
    }
    none(faults);
}

#[test]
fn architecture_names_only_what_exists() {
    let mut faults = Vec::new();
    for (line, name) in names_in_prose(&read("ARCHITECTURE.md")) {
        if let Some(fault) = fault_of_name(&name) {
            faults.push(format!("ARCHITECTURE.md:{line}: `{name}`: {fault}"));
        }
    }
    none(faults);
}

#[test]
fn the_checks_of_this_file_find_what_they_look_for() {
    assert!(holds_absolute(&format!("in {}x", MACHINE_PATHS[0]), MACHINE_PATHS[0]));
    assert!(!holds_absolute(&format!("in net{}x", MACHINE_PATHS[0]), MACHINE_PATHS[0]));
    let source =
        "impl A {\n    fn short() {}\n    pub fn long(\n        a: u8,\n    ) {\n        a;\n    }\n}\n";
    let found: Vec<_> = functions(source).into_iter().map(|f| (f.name, f.line, f.lines)).collect();
    assert_eq!(found, [("short".into(), 2, 1), ("long".into(), 3, 5)]);
    assert_eq!(dependencies("[dependencies]\na = 1\nb.workspace = true\n[lib]\nc = 2\n"), ["a", "b"]);
    assert_eq!(names_in_prose("see `a/b.rs`\n```\n`x/y`\n```\n"), [(1, "a/b.rs".to_string())]);
    assert_eq!(fault_of_name("broker/tests/tidy.rs::names_in_prose"), None);
    assert!(fault_of_name("broker/tests/tidy.rs::no_such_function").is_some());
    assert!(fault_of_name("broker/tests/none.rs").is_some());
    assert_eq!(fault_of_name("acks=1"), None);
}

/// A file of this repository, its path relative to the top.
struct File {
    path: String,
    text: String,
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("broker/ lies in the workspace").to_path_buf()
}

fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|fault| panic!("{path}: {fault}"))
}

fn none(faults: Vec<String>) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn text_files() -> Vec<File> {
    let mut files = Vec::new();
    collect(&top(), &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.len() > 100, "the repository was not found");
    files
}

fn rust_files() -> Vec<File> {
    text_files().into_iter().filter(|file| file.path.ends_with(".rs")).collect()
}

/// Rust files that people wrote.
fn written_files() -> Vec<File> {
    rust_files().into_iter().filter(|file| !file.path.contains("/generated/")).collect()
}

fn collect(folder: &Path, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).expect("a folder that can be read").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let skipped = ["target", ".git", "ringlog-data", "__pycache__", "Cargo.lock"];
        if skipped.iter().any(|skip| name == *skip) {
            continue;
        }
        if path.is_dir() {
            collect(&path, files);
        } else if let Ok(text) = fs::read_to_string(&path) {
            let path = path.strip_prefix(top()).expect("below the top").to_string_lossy().into_owned();
            files.push(File { path, text });
        }
    }
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}

/// Lines without their comments.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    numbered(text).map(|(number, line)| (number, line.split("//").next().unwrap_or("")))
}

fn holds_absolute(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !c.is_ascii_alphanumeric() && !"_.~-}".contains(c))
    })
}

/// The names on the left in all `dependencies` sections of a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
        } else if inside && !line.starts_with('#') && line.contains('=') {
            let name = line.split(['=', '.', ' ']).next().unwrap_or("");
            names.push(name.to_string());
        }
    }
    names
}

struct Function {
    name: String,
    line: usize,
    lines: usize,
}

/// Functions as rustfmt lays them out: from the `fn` to the next closing brace of the same depth.
fn functions(text: &str) -> Vec<Function> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let depth = depth_of(line);
        let ends = |line: &&str| depth_of(line) == depth && line.trim_start().starts_with('}');
        let one_line = line.ends_with('}') || line.ends_with(';');
        let rest = if one_line { Some(0) } else { lines[index + 1..].iter().position(ends).map(|n| n + 1) };
        found.push(Function { name, line: index + 1, lines: rest.map_or(1, |n| n + 1) });
    }
    found
}

fn depth_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn function_name(line: &str) -> Option<String> {
    let mut rest = line.trim_start();
    loop {
        let word = rest.split_whitespace().next()?;
        match word {
            "pub" | "const" | "async" | "unsafe" | "extern" | "\"C\"" => {}
            _ if word.starts_with("pub(") => {}
            "fn" => return rest[2..].trim_start().split(['(', '<']).next().map(str::to_string),
            _ => return None,
        }
        rest = rest.strip_prefix(word)?.trim_start();
    }
}

/// What stands between backquotes outside of code blocks.
fn names_in_prose(text: &str) -> Vec<(usize, String)> {
    let mut in_block = false;
    let mut names = Vec::new();
    for (number, line) in numbered(text) {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            names.extend(line.split('`').skip(1).step_by(2).map(|name| (number, name.to_string())));
        }
    }
    names
}

/// Why a path or `file::function` is wrong; nothing for a name that is neither.
fn fault_of_name(name: &str) -> Option<&'static str> {
    let (path, item) = match name.split_once("::") {
        Some((path, item)) => (path, Some(item)),
        None => (name, None),
    };
    let is_path = path.contains('/') || path.ends_with(".rs") || path.ends_with(".md");
    if !is_path
        || path.starts_with('/')
        || path.contains(['*', ' ', '<', '$'])
        || path.starts_with("ringlog-data")
    {
        return None;
    }
    if !top().join(path).exists() {
        return Some("there is no such path");
    }
    let item = item?.split("::").last()?.trim_end_matches("()");
    let text = read(path);
    let kinds = ["fn", "struct", "enum", "trait", "const", "static", "type", "mod"];
    let there = kinds.iter().any(|kind| {
        let wanted = format!("{kind} {item}");
        text.match_indices(&wanted).any(|(at, _)| {
            let after = text[at + wanted.len()..].chars().next();
            after.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_')
        })
    });
    (!there).then_some("the file has nothing of that name")
}
