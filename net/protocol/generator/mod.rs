//! The generator of `src/generated/`: reads `schema/`, writes one Rust file a message, their `mod.rs`, the API keys and the
//! enums of records.
//!
//! It lives outside the library, so that nobody who uses the codec builds it: `examples/generate.rs` runs it, and
//! `tests/fresh.rs` proves that the committed output is what it writes.

pub mod emit;
mod errors;
pub mod record_kinds;
pub mod schema;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use schema::Message;

/// Reads every schema below `crate_root/schema`, in order of module name.
pub fn read_schemas(crate_root: &Path) -> Vec<Message> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in sorted_entries(&crate_root.join("schema")).into_iter().filter(|path| path.is_dir()) {
        paths.extend(sorted_entries(&folder));
    }
    paths.sort_by_key(|path| path.file_stem().map(|stem| stem.to_owned()));
    paths.iter().map(|path| schema::parse(path)).collect()
}

/// The generated files by name, formatted.
pub fn generate(crate_root: &Path) -> BTreeMap<String, String> {
    let messages = read_schemas(crate_root);
    let names = messages.iter().map(|message| format!("messages/{}.rs", message.module()));
    let names = names.chain(["api_key.rs".to_string(), "record_kinds.rs".to_string()]);
    let whole = [emit::api_key_file(&messages), record_kinds::file(&messages)];
    let texts = messages.iter().map(emit::message_file).chain(whole);
    let texts = format(crate_root, texts);
    let mut files: BTreeMap<String, String> = names.zip(texts).collect();
    // Not through rustfmt, which would go and look for the modules.
    files.insert("messages/mod.rs".to_string(), emit::mod_file(&messages));
    files
}

/// One run of rustfmt for all files: 274 processes would take longer than everything else.
fn format(crate_root: &Path, texts: impl Iterator<Item = String>) -> Vec<String> {
    const CUT: &str = "// ---- cut here ----\n";
    // Inner doc comments may stand at the head only; they come back after formatting.
    let joined: Vec<String> = texts.map(|text| text.replace("//!", "// !")).collect();
    let config = crate_root.join("../..");
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(config)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("rustfmt runs");
    let mut input = rustfmt.stdin.take().expect("stdin is piped");
    let writer = std::thread::spawn(move || input.write_all(joined.join(CUT).as_bytes()));
    let output = rustfmt.wait_with_output().expect("rustfmt ends");
    writer.join().expect("the writer ends").expect("rustfmt reads all");
    assert!(output.status.success(), "rustfmt refused the generated code");
    let text = String::from_utf8(output.stdout).expect("rustfmt writes UTF-8");
    text.split(CUT).map(|file| format!("{}\n", file.trim().replace("// !", "//!"))).collect()
}

fn sorted_entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    paths
}
