//! The program as people run it: on this machine, with measurements of a moment.

use std::path::PathBuf;
use std::process::{Command, Output};

/// A directory of a test's own, removed with it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let dir = std::env::temp_dir().join(format!("ringlog-tune-program-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        Place(dir)
    }

    fn tune(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringlog-tune"));
        command.args(args).current_dir(&self.0).output().unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_look_gives_figures_reasons_and_settings_and_leaves_nothing_behind() {
    let place = Place::new("look");
    let output = place.tune(&["--each", "0.05", "--json", "--save", "tuned.properties"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for figure in ["durable_4k", "durable_256k"] {
        assert!(
            report["measured"]["disk"][figure]["p50"].as_f64().unwrap() > 0.0,
            "{figure} is not measured"
        );
    }
    assert!(report["measured"]["writes"]["inline"]["mib_s"].as_f64().unwrap() > 0.0);
    assert!(!report["findings"].as_array().unwrap().is_empty());
    let saved = std::fs::read_to_string(place.0.join("tuned.properties")).unwrap();
    assert!(saved.contains("ringlog.io.lend.min.bytes="), "{saved}");
    let left: Vec<_> =
        std::fs::read_dir(&place.0).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["tuned.properties"], "scratch files are removed, and no data directory is made");
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = Place::new("dry");
    let output = place.tune(&["--each", "0.05", "--apply", "--dry-run", "--undo-file", "undo.json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!place.0.join("undo.json").exists());
}

#[test]
fn what_makes_no_sense_is_refused_in_words() {
    let place = Place::new("refused");
    for (args, said) in [
        (&["--dry-run"][..], "give one of them too"),
        (&["--undo", "--undo-file", "none.json"], "nothing was changed that could be taken back"),
        (&["--each", "0"], "0.05 to 60 seconds"),
        (&["--apply", "--undo"], "cannot be used with"),
    ] {
        let output = place.tune(args);
        assert!(!output.status.success(), "{args:?}");
        assert!(text(&output.stderr).contains(said), "{args:?}: {}", text(&output.stderr));
    }
    std::fs::write(place.0.join("torn.json"), "[{").unwrap();
    let output = place.tune(&["--undo", "--undo-file", "torn.json"]);
    assert!(text(&output.stderr).starts_with("ringlog-tune: torn.json: "), "{}", text(&output.stderr));
}
