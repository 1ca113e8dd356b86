//! Settings as the user gave them at the start, and which of several counts.
//!
//! A flag of the command line comes before `--set`, and `--set` before the file. Within the file a name
//! stands once: which of two was meant only its author knows. On the command line the last one counts, for
//! that is how shells and scripts override.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use super::server_table::find_server_setting;
use super::setting::InvalidSetting;

/// Where a setting was given, the weakest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The line is counted from 1.
    File { path: PathBuf, line: usize },
    /// `--set`.
    Set,
    /// A flag of its own, such as `--node-id`.
    Flag(&'static str),
}

impl Origin {
    fn strength(&self) -> u8 {
        match self {
            Origin::File { .. } => 0,
            Origin::Set => 1,
            Origin::Flag(_) => 2,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File { path, line } => write!(f, "{}:{line}", path.display()),
            Origin::Set => f.write_str("--set"),
            Origin::Flag(flag) => f.write_str(flag),
        }
    }
}

/// One setting that the user gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    pub name: String,
    pub value: String,
    pub origin: Origin,
}

/// Why the broker does not start; `origin` is missing where no one setting is at fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartFault {
    pub origin: Option<Origin>,
    pub reason: InvalidSetting,
}

impl fmt::Display for StartFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Some(origin) => write!(f, "{origin}: {}", self.reason),
            None => write!(f, "{}", self.reason),
        }
    }
}

impl std::error::Error for StartFault {}

/// The strongest of what was given for each setting, by its name in the table, and what is wrong with the
/// others.
pub(super) fn merge(given: Vec<Given>) -> (BTreeMap<&'static str, Given>, Vec<StartFault>) {
    let mut strongest = BTreeMap::new();
    let mut faults = Vec::new();
    for given in given {
        match find_server_setting(&given.name) {
            Ok(setting) => faults.extend(keep_strongest(&mut strongest, setting.name, given).err()),
            Err(reason) => faults.push(StartFault { origin: Some(given.origin), reason }),
        }
    }
    settle_aliases(&mut strongest, &mut faults);
    (strongest, faults)
}

fn keep_strongest(
    strongest: &mut BTreeMap<&'static str, Given>,
    name: &'static str,
    given: Given,
) -> Result<(), StartFault> {
    match strongest.get(name) {
        Some(other) if other.origin.strength() > given.origin.strength() => {}
        Some(Given { origin: Origin::File { .. }, .. }) if matches!(given.origin, Origin::File { .. }) => {
            let reason = InvalidSetting::Duplicate { name: name.to_string() };
            return Err(StartFault { origin: Some(given.origin), reason });
        }
        Some(_) | None => _ = strongest.insert(name, given),
    }
    Ok(())
}

/// Two pairs of names mean one thing each. Across origins the stronger one wins, whichever name it uses.
fn settle_aliases(strongest: &mut BTreeMap<&'static str, Given>, faults: &mut Vec<StartFault>) {
    for (name, alias) in [("node.id", "broker.id"), ("log.dirs", "log.dir")] {
        let (Some(one), Some(other)) = (strongest.get(name), strongest.get(alias)) else { continue };
        match one.origin.strength().cmp(&other.origin.strength()) {
            Ordering::Less => _ = strongest.remove(name),
            Ordering::Greater => _ = strongest.remove(alias),
            Ordering::Equal if name == "node.id" && one.value.trim() != other.value.trim() => {
                let reason = InvalidSetting::Conflict { reason: "node.id and broker.id differ".to_string() };
                faults.push(StartFault { origin: Some(other.origin.clone()), reason });
            }
            Ordering::Equal => {}
        }
    }
}
