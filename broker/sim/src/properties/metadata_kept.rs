//! Topics whose making was acknowledged are there, with their settings, after any crash; deleted ones do not come back (KIP-631;
//! C65, Q99, Q101, Q103).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Property;
use crate::event::Event;

/// What is known of topics.
#[derive(Default)]
pub struct MetadataKept {
    made: BTreeSet<Rc<str>>,
    gone: BTreeSet<Rc<str>>,
    settings: BTreeMap<Rc<str>, Rc<str>>,
}

impl MetadataKept {
    fn forget(&mut self, name: &Rc<str>) {
        self.made.remove(name);
        self.gone.remove(name);
        self.settings.remove(name);
    }
}

impl Property for MetadataKept {
    fn name(&self) -> &'static str {
        "metadata_kept"
    }

    fn on_event(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::TopicMade { name } => {
                self.forget(name);
                self.made.insert(name.clone());
            }
            Event::TopicGone { name } => {
                self.forget(name);
                self.gone.insert(name.clone());
            }
            Event::TopicSet { name, value } => _ = self.settings.insert(name.clone(), value.clone()),
            Event::TopicUnclear { name } => self.forget(name),
            Event::TopicsSeen { names } => {
                if let Some(name) = self.made.iter().find(|name| !names.contains(*name)) {
                    return Err(format!("topic {name} was made, and is not there"));
                }
                if let Some(name) = self.gone.iter().find(|name| names.contains(*name)) {
                    return Err(format!("topic {name} was deleted, and is there"));
                }
            }
            Event::SettingSeen { name, value } => match self.settings.get(name) {
                Some(known) if known != value => {
                    return Err(format!("topic {name} was set to {known}, and has {value}"));
                }
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }
}
