//! What DescribeConfigs tells about a setting: its value, where the value comes from, and what else would
//! give it.
//!
//! A value can be set in four places, and stands as default in a fifth. The synonyms are all the names and
//! places that give a value, the one in force first: by place, then, within a place, by name
//! (`log.retention.ms` before `log.retention.hours`). One oddity of Kafka is kept, because tools compare
//! with it: where the first name is set nowhere, what the others give is not listed, and the source reads
//! as the default (Q100).

use super::alter::Texts;
use super::server_table::names_in_order;
use super::setting::{Kind, Setting};

/// Where a value comes from; the numbers are `config_source` on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i8)]
pub enum Source {
    Topic = 1,
    DynamicBroker = 2,
    DynamicDefaultBroker = 3,
    StaticBroker = 4,
    Default = 5,
    Group = 8,
}

impl Source {
    /// `config_source` on the wire.
    pub fn code(self) -> i8 {
        self as i8
    }
}

/// One name and place that gives a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Synonym {
    pub name: &'static str,
    pub value: Option<String>,
    pub source: Source,
}

/// One setting as DescribeConfigs shows it.
#[derive(Debug, Clone)]
pub struct Entry {
    pub name: &'static str,
    /// `None` where Kafka has null, and for what must stay secret.
    pub value: Option<String>,
    pub source: Source,
    pub read_only: bool,
    pub sensitive: bool,
    pub kind: Kind,
    pub synonyms: Vec<Synonym>,
    setting: &'static Setting,
}

impl Entry {
    /// `is_default`, which only version 0 carries.
    pub fn is_default(&self) -> bool {
        self.source == Source::Default
    }

    /// The text for people; made on demand, because most requests do not ask for it.
    pub fn documentation(&self) -> String {
        self.setting.documentation()
    }

    /// An entry whose source is that of its first synonym.
    pub(super) fn new(
        setting: &'static Setting,
        value: Option<String>,
        read_only: bool,
        synonyms: Vec<Synonym>,
    ) -> Entry {
        let source = synonyms.first().map_or(Source::Default, |synonym| synonym.source);
        Entry {
            name: setting.name,
            value: if setting.is_sensitive() { None } else { value },
            source,
            read_only,
            sensitive: setting.is_sensitive(),
            kind: setting.kind,
            synonyms,
            setting,
        }
    }
}

/// The places in which a server setting can be set, each a map from name to canonical text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layers {
    /// Set at run time for this broker.
    pub dynamic_broker: Texts,
    /// Set at run time for all brokers.
    pub dynamic_default: Texts,
    /// From the file and the command line.
    pub start: Texts,
}

impl Layers {
    fn strongest_first(&self) -> [(&Texts, Source); 3] {
        [
            (&self.dynamic_broker, Source::DynamicBroker),
            (&self.dynamic_default, Source::DynamicDefaultBroker),
            (&self.start, Source::StaticBroker),
        ]
    }

    /// The text that is set for exactly this name, without its default.
    pub fn set_text(&self, name: &str) -> Option<&str> {
        self.strongest_first().into_iter().find_map(|(texts, _)| texts.get(name)).map(String::as_str)
    }

    /// All that gives `name` a value, in order of precedence.
    pub(super) fn synonyms(
        &self,
        name: &str,
        default_of: impl Fn(&str) -> Option<&'static str>,
    ) -> Vec<Synonym> {
        let names = names_in_order(name);
        let mut synonyms = Vec::new();
        for (texts, source) in self.strongest_first() {
            for &name in names.iter() {
                if let Some(text) = texts.get(name) {
                    synonyms.push(Synonym { name, value: Some(text.clone()), source });
                }
            }
        }
        for &name in names.iter() {
            if let Some(text) = default_of(name) {
                synonyms.push(Synonym { name, value: Some(text.to_string()), source: Source::Default });
            }
        }
        // Kafka's oddity, see the head of the file.
        let unnamed = synonyms.iter().take_while(|synonym| synonym.name != name).count();
        synonyms.split_off(unnamed)
    }
}

#[cfg(test)]
mod tests;
