//! Carries changes out, and takes them back. What was there before is on the disk before anything is changed.
//!
//! Changes last until the machine starts again: the kernel forgets them.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Fault;
use crate::finding::{Finding, Remedy};
use crate::host::Host;

/// One file of the kernel's that is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    path: PathBuf,
    value: String,
    undo: Option<(PathBuf, String)>,
}

/// How one change is taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Undo {
    /// What was written.
    path: PathBuf,
    value: String,
    /// What takes it back.
    undo_path: PathBuf,
    undo_value: String,
}

/// What has become of the changes, in words, one line each.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Done, or what would be done.
    pub done: Vec<String>,
    /// Not done, and why.
    pub refused: Vec<String>,
}

/// What findings ask to be written.
pub fn steps(findings: &[Finding]) -> Vec<Step> {
    let remedies = findings.iter().flat_map(|finding| &finding.remedies);
    let steps = remedies.filter_map(|remedy| match remedy {
        Remedy::Write { path, value, undo } => {
            Some(Step { path: path.clone(), value: value.clone(), undo: undo.clone() })
        }
        Remedy::ByHand(_) => None,
    });
    steps.collect()
}

/// Writes what the steps say; a dry run only says it. What the kernel refuses is told, and the rest is done.
pub fn apply(host: &Host, steps: &[Step], undo_file: &Path, is_dry: bool) -> Result<Outcome, Fault> {
    let mut undos = load(undo_file)?;
    let mut outcome = Outcome::default();
    for step in steps {
        let Some(old) = value_of(host, &step.path) else {
            outcome.refused.push(format!("{}: is not there any more", step.path.display()));
            continue;
        };
        let line = format!("{}: {old} -> {}", step.path.display(), step.value);
        if is_dry || is_same(&old, &step.value) {
            outcome.done.push(line);
            continue;
        }
        // The oldest value is the one to go back to, however often changes are made.
        match undos.iter_mut().find(|undo| undo.path == step.path) {
            Some(undo) => undo.value.clone_from(&step.value),
            None => {
                let (undo_path, undo_value) = step.undo.clone().unwrap_or((step.path.clone(), old));
                undos.push(Undo {
                    path: step.path.clone(),
                    value: step.value.clone(),
                    undo_path,
                    undo_value,
                });
            }
        }
        save(undo_file, &undos)?;
        match fs::write(real(host, &step.path), &step.value) {
            Ok(()) => outcome.done.push(line),
            Err(error) => outcome.refused.push(format!("{line}: {}", in_words(&error))),
        }
    }
    Ok(outcome)
}

/// Takes changes back, the last first. What somebody else has changed since is left alone.
pub fn undo(host: &Host, undo_file: &Path, is_dry: bool) -> Result<Outcome, Fault> {
    let undos = load(undo_file)?;
    if undos.is_empty() {
        return Err(Fault(format!("{}: nothing was changed that could be taken back", undo_file.display())));
    }
    let (mut outcome, mut left) = (Outcome::default(), Vec::new());
    for undo in undos.iter().rev() {
        let now = value_of(host, &undo.path);
        let line = format!("{}: {}", undo.undo_path.display(), undo.undo_value);
        if !now.as_ref().is_some_and(|now| is_same(now, &undo.value)) {
            let now = now.unwrap_or_else(|| "gone".to_owned());
            outcome.done.push(format!(
                "{}: left alone, it is {now} now and not what was written",
                undo.path.display()
            ));
            continue;
        }
        if is_dry {
            outcome.done.push(line);
            continue;
        }
        match fs::write(real(host, &undo.undo_path), &undo.undo_value) {
            Ok(()) => outcome.done.push(line),
            Err(error) => {
                outcome.refused.push(format!("{line}: {}", in_words(&error)));
                left.insert(0, undo.clone());
            }
        }
    }
    if is_dry {
        return Ok(outcome);
    }
    if left.is_empty() {
        fs::remove_file(undo_file).map_err(|error| Fault::of(undo_file.display(), error))?;
    } else {
        save(undo_file, &left)?;
    }
    Ok(outcome)
}

fn real(host: &Host, path: &Path) -> PathBuf {
    host.path(&path.to_string_lossy())
}

fn value_of(host: &Host, path: &Path) -> Option<String> {
    host.chosen(&path.to_string_lossy())
}

/// The kernel gives numbers back with tabs between them.
fn is_same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

fn in_words(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("{error}: run it as root, outside of a container")
        }
        _ => error.to_string(),
    }
}

fn load(undo_file: &Path) -> Result<Vec<Undo>, Fault> {
    match fs::read(undo_file) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| Fault::of(undo_file.display(), error)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Fault::of(undo_file.display(), error)),
    }
}

/// Written beside and renamed: a crash leaves the old list or the new one.
fn save(undo_file: &Path, undos: &[Undo]) -> Result<(), Fault> {
    let failed = |error: std::io::Error| Fault::of(undo_file.display(), in_words(&error));
    if let Some(dir) = undo_file.parent() {
        fs::create_dir_all(dir).map_err(failed)?;
    }
    let draft = undo_file.with_extension("draft");
    let bytes = serde_json::to_vec_pretty(undos).map_err(|error| Fault::of(undo_file.display(), error))?;
    let mut file = fs::File::create(&draft).map_err(failed)?;
    file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    fs::rename(&draft, undo_file).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::tests::host;

    fn step(path: &str, value: &str) -> Step {
        Step { path: path.into(), value: value.into(), undo: None }
    }

    fn undo_file(host: &Host) -> PathBuf {
        host.path("/var/lib/tune/undo.json")
    }

    #[test]
    fn what_was_changed_twice_goes_back_to_what_it_was_first() {
        let host = host("apply", &[("sys/a", "60\n"), ("sys/b", "4096 16384 65536\n")]);
        let file = undo_file(&host);
        for value in ["10", "1"] {
            let outcome =
                apply(&host, &[step("/sys/a", value), step("/sys/b", "1 2 3")], &file, false).unwrap();
            assert_eq!((outcome.done.len(), outcome.refused.len()), (2, 0));
        }
        assert_eq!(host.text("/sys/a").as_deref(), Some("1"));
        undo(&host, &file, false).unwrap();
        assert_eq!(host.text("/sys/a").as_deref(), Some("60"));
        assert_eq!(host.text("/sys/b").as_deref(), Some("4096 16384 65536"));
        assert!(undo(&host, &file, false).is_err(), "there is nothing left to take back");
    }

    #[test]
    fn a_dry_run_changes_nothing() {
        let host = host("dry", &[("sys/a", "60\n")]);
        let outcome = apply(&host, &[step("/sys/a", "1")], &undo_file(&host), true).unwrap();
        assert_eq!(outcome.done, ["/sys/a: 60 -> 1"]);
        assert_eq!(host.text("/sys/a").as_deref(), Some("60"));
        assert!(!undo_file(&host).exists());
    }

    #[test]
    fn what_somebody_else_changed_since_is_left_alone() {
        let host = host("since", &[("sys/a", "60\n")]);
        apply(&host, &[step("/sys/a", "1")], &undo_file(&host), false).unwrap();
        fs::write(host.path("/sys/a"), "30\n").unwrap();
        let outcome = undo(&host, &undo_file(&host), false).unwrap();
        assert!(outcome.done[0].contains("left alone, it is 30 now"), "{outcome:?}");
        assert_eq!(host.text("/sys/a").as_deref(), Some("30"));
    }

    #[test]
    fn what_cannot_be_written_again_is_taken_back_another_way() {
        let host = host("ratio", &[("vm/dirty_bytes", "0\n"), ("vm/dirty_ratio", "20\n")]);
        let undo_by = Some(("/vm/dirty_ratio".into(), "20".to_owned()));
        let step = Step { undo: undo_by, ..step("/vm/dirty_bytes", "1000") };
        apply(&host, &[step], &undo_file(&host), false).unwrap();
        // The kernel does this when the other one is written.
        fs::write(host.path("/vm/dirty_ratio"), "0\n").unwrap();
        undo(&host, &undo_file(&host), false).unwrap();
        assert_eq!(host.text("/vm/dirty_ratio").as_deref(), Some("20"));
    }

    #[test]
    fn what_is_refused_is_told_and_the_rest_is_done() {
        let host = host("refused", &[("sys/b", "1\n")]);
        // A directory cannot be written to.
        fs::create_dir_all(host.path("/sys/gone")).unwrap();
        let outcome =
            apply(&host, &[step("/sys/a", "1"), step("/sys/b", "2")], &undo_file(&host), false).unwrap();
        assert_eq!((outcome.done.len(), outcome.refused.len()), (1, 1));
        assert_eq!(host.text("/sys/b").as_deref(), Some("2"));
    }
}
