//! Alterations of a set of overrides, as IncrementalAlterConfigs (KIP-339) and AlterConfigs ask for them.
//!
//! The same rules hold for topics and for the broker: pure functions from the overrides that stand to those
//! that will.
//! - A name or a value that is not valid refuses the whole request; nothing is altered by halves.
//! - The same name twice in a request is refused, whatever the operations (Q101).
//! - APPEND and SUBTRACT work on lists, start from the value in force, and repeat without harm.
//! - DELETE of what is not set does nothing. So does DELETE of an unknown name, which is how Kafka lets an
//!   operator clear what an older version left behind.

use std::collections::{BTreeMap, BTreeSet};

use super::setting::{InvalidSetting, Kind, Setting, list_elements};

/// Overrides: a name and its canonical text.
pub type Texts = BTreeMap<String, String>;

/// The operation of one alteration; the numbers are those on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i8)]
pub enum Operation {
    Set = 0,
    Delete = 1,
    Append = 2,
    Subtract = 3,
}

impl Operation {
    /// From `config_operation` on the wire.
    pub fn from_code(code: i8) -> Option<Operation> {
        [Operation::Set, Operation::Delete, Operation::Append, Operation::Subtract]
            .into_iter()
            .find(|operation| *operation as i8 == code)
    }
}

/// One change that a client asks for.
#[derive(Debug, Clone, Copy)]
pub struct Alteration<'a> {
    pub name: &'a str,
    pub operation: Operation,
    pub value: Option<&'a str>,
}

/// Applies `alterations` to `current`.
///
/// `find` knows the valid names; `inherited` gives the text in force where nothing overrides it.
pub(super) fn alter(
    current: &Texts,
    alterations: &[Alteration<'_>],
    find: impl Fn(&str) -> Result<&'static Setting, InvalidSetting>,
    inherited: impl Fn(&Setting) -> String,
) -> Result<Texts, InvalidSetting> {
    check_distinct(alterations.iter().map(|alteration| alteration.name))?;
    let mut texts = current.clone();
    for alteration in alterations {
        if alteration.operation == Operation::Delete {
            texts.remove(alteration.name);
            continue;
        }
        let setting = find(alteration.name)?;
        let Some(value) = alteration.value else {
            return Err(InvalidSetting::NullValue { name: alteration.name.to_string() });
        };
        let in_force = || texts.get(setting.name).cloned().unwrap_or_else(|| inherited(setting));
        let text = match alteration.operation {
            Operation::Set | Operation::Delete => value.to_string(),
            Operation::Append | Operation::Subtract if setting.kind != Kind::List => {
                return Err(InvalidSetting::NotAList { name: setting.name.to_string() });
            }
            Operation::Append => format!("{},{value}", in_force()),
            Operation::Subtract => {
                let going: BTreeSet<String> = list_elements(value).into_iter().collect();
                let mut elements = list_elements(&in_force());
                elements.retain(|element| !going.contains(element));
                elements.join(",")
            }
        };
        texts.insert(setting.name.to_string(), setting.parse(&text)?.to_string());
    }
    Ok(texts)
}

/// Makes a whole new set of overrides, as CreateTopics and the legacy AlterConfigs give it.
pub(super) fn replace<'a>(
    settings: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    find: impl Fn(&str) -> Result<&'static Setting, InvalidSetting>,
) -> Result<Texts, InvalidSetting> {
    let mut texts = Texts::new();
    for (name, value) in settings {
        let setting = find(name)?;
        let value = value.ok_or_else(|| InvalidSetting::NullValue { name: name.to_string() })?;
        if texts.insert(setting.name.to_string(), setting.parse(value)?.to_string()).is_some() {
            return Err(InvalidSetting::Duplicate { name: name.to_string() });
        }
    }
    Ok(texts)
}

/// What turns `old` into `new`: each name with its new text, or `None` where it is no longer set.
pub fn differences(old: &Texts, new: &Texts) -> Vec<(String, Option<String>)> {
    let gone = old.keys().filter(|name| !new.contains_key(*name)).map(|name| (name.clone(), None));
    let set = new
        .iter()
        .filter(|(name, text)| old.get(*name) != Some(text))
        .map(|(name, text)| (name.clone(), Some(text.clone())));
    gone.chain(set).collect()
}

fn check_distinct<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), InvalidSetting> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(InvalidSetting::Duplicate { name: name.to_string() });
        }
    }
    Ok(())
}
