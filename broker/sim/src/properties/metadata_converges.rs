//! All nodes of a cluster come to know the same (KIP-595, KIP-631): at one offset of the metadata log all know the same, none goes
//! back while it runs, and when nothing is under way any more all are equal, with everything in it that was acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Property;
use crate::event::Event;
use crate::picture::Picture;

/// What is known of the metadata, and of what was done to it.
#[derive(Default)]
pub struct MetadataConverges {
    /// What each offset looks like.
    digests: BTreeMap<i64, (usize, u64)>,
    /// How far each node has come since it began to run.
    versions: BTreeMap<usize, i64>,
    made: BTreeSet<Rc<str>>,
    gone: BTreeSet<Rc<str>>,
    topics: BTreeMap<Rc<str>, Rc<str>>,
    groups: BTreeMap<Rc<str>, Rc<str>>,
    at_end: Option<(usize, Rc<Picture>)>,
}

impl MetadataConverges {
    fn forget(&mut self, name: &Rc<str>) {
        self.made.remove(name);
        self.gone.remove(name);
        self.topics.remove(name);
    }

    fn on_image(&mut self, node: usize, version: i64, digest: u64) -> Result<(), String> {
        if let Some(before) = self.versions.insert(node, version).filter(|before| *before > version) {
            return Err(format!("node {node} went from version {before} of the metadata back to {version}"));
        }
        let (other, known) = *self.digests.entry(version).or_insert((node, digest));
        if known != digest {
            return Err(format!("nodes {other} and {node} know different metadata at offset {version}"));
        }
        Ok(())
    }

    fn on_picture(&mut self, node: usize, picture: &Rc<Picture>) -> Result<(), String> {
        if let Some(name) = self.made.iter().find(|name| !picture.topics.contains_key(*name)) {
            return Err(format!("topic {name} was made, and node {node} does not know it"));
        }
        if let Some(name) = self.gone.iter().find(|name| picture.topics.contains_key(*name)) {
            return Err(format!("topic {name} was deleted, and node {node} still knows it"));
        }
        for (what, set, known) in
            [("topic", &self.topics, &picture.topics), ("group", &self.groups, &picture.groups)]
        {
            let differs =
                |(name, value): &(&Rc<str>, &Rc<str>)| known.get(*name) != Some(&Some((*value).clone()));
            if let Some((name, value)) = set.iter().find(differs) {
                let found = known.get(name);
                return Err(format!("{what} {name} was set to {value}, and node {node} knows {found:?}"));
            }
        }
        match &self.at_end {
            Some((other, first)) if first.digest != picture.digest => {
                Err(format!("nodes {other} and {node} end with different metadata"))
            }
            Some(_) => Ok(()),
            None => {
                self.at_end = Some((node, picture.clone()));
                Ok(())
            }
        }
    }
}

impl Property for MetadataConverges {
    fn name(&self) -> &'static str {
        "metadata_converges"
    }

    fn on_event(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Up { node, .. } => _ = self.versions.remove(node),
            Event::ImageSeen { node, version, digest } => return self.on_image(*node, *version, *digest),
            Event::ImageAtEnd { node, picture } => return self.on_picture(*node, picture),
            Event::NotVisible { .. } => return Err(event.to_string()),
            Event::TopicMade { name } => {
                self.forget(name);
                self.made.insert(name.clone());
            }
            Event::TopicGone { name } => {
                self.forget(name);
                self.gone.insert(name.clone());
            }
            Event::TopicSet { name, value } => _ = self.topics.insert(name.clone(), value.clone()),
            Event::TopicUnclear { name } => self.forget(name),
            Event::GroupSet { name, value } => _ = self.groups.insert(name.clone(), value.clone()),
            Event::GroupUnclear { name } => _ = self.groups.remove(name),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(node: usize, version: i64, digest: u64) -> Event {
        Event::ImageSeen { node, version, digest }
    }

    fn ends(node: usize, topics: &[&str], digest: u64) -> Event {
        let topics = topics.iter().map(|name| (Rc::from(*name), None)).collect();
        Event::ImageAtEnd { node, picture: Rc::new(Picture { digest, topics, groups: BTreeMap::new() }) }
    }

    /// The last event breaks the property, and none before it.
    fn check_broken(events: &[Event], what: &str) {
        let mut property = MetadataConverges::default();
        let (last, before) = events.split_last().unwrap();
        before.iter().for_each(|event| property.on_event(event).unwrap());
        let message = property.on_event(last).unwrap_err();
        assert!(message.contains(what), "{message}");
    }

    #[test]
    fn nodes_that_differ_at_one_offset_are_told() {
        check_broken(&[seen(0, 5, 1), seen(1, 5, 1), seen(2, 5, 2)], "nodes 0 and 2 know different");
    }

    #[test]
    fn a_node_that_goes_back_is_told_unless_it_was_started_anew() {
        let up = Event::Up { node: 0, shards: 1 };
        check_broken(
            &[seen(0, 5, 1), up, seen(0, 4, 1), seen(0, 3, 1)],
            "from version 4 of the metadata back to 3",
        );
    }

    #[test]
    fn what_was_acknowledged_has_to_be_everywhere() {
        let made = |name: &str| Event::TopicMade { name: name.into() };
        let gone = |name: &str| Event::TopicGone { name: name.into() };
        check_broken(&[made("a"), ends(0, &["a"], 1), ends(1, &[], 1)], "node 1 does not know it");
        check_broken(&[made("a"), gone("a"), ends(0, &["a"], 1)], "node 0 still knows it");
        check_broken(&[ends(0, &["a"], 1), ends(1, &["a"], 2)], "end with different metadata");
        let set = Event::TopicSet { name: "a".into(), value: "1".into() };
        check_broken(&[made("a"), set, ends(0, &["a"], 1)], "was set to 1");
    }
}
