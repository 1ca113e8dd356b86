//! What must hold in every run, one property a file. Each watches the events of a run and says when it is broken.

pub mod acked_not_lost;
pub mod commit_not_lost;
pub mod group_single_owner;
pub mod high_watermark_monotone;
pub mod metadata_converges;
pub mod metadata_kept;
pub mod no_duplicate;
pub mod order_kept;
pub mod read_committed;
pub mod recovers_when_faults_stop;
pub mod zombies_fenced;

use crate::event::Event;
use recovers_when_faults_stop::RecoversWhenFaultsStop;

/// Something that must hold.
pub trait Property {
    /// The name of its file.
    fn name(&self) -> &'static str;
    /// Takes an event in; says what is wrong with it.
    fn on_event(&mut self, event: &Event) -> Result<(), String>;
    /// The run is over, and all logs were read.
    fn at_end(&mut self) -> Result<(), String> {
        Ok(())
    }
}

/// A property that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub property: &'static str,
    /// How that is seen.
    pub message: String,
}

/// All of them.
pub struct Properties {
    all: Vec<Box<dyn Property>>,
    recovers: RecoversWhenFaultsStop,
}

impl Properties {
    /// Nothing was seen yet.
    pub fn new() -> Properties {
        let all: Vec<Box<dyn Property>> = vec![
            Box::<acked_not_lost::AckedNotLost>::default(),
            Box::<order_kept::OrderKept>::default(),
            Box::<no_duplicate::NoDuplicate>::default(),
            Box::<read_committed::ReadCommitted>::default(),
            Box::<zombies_fenced::ZombiesFenced>::default(),
            Box::<group_single_owner::GroupSingleOwner>::default(),
            Box::<commit_not_lost::CommitNotLost>::default(),
            Box::<high_watermark_monotone::HighWatermarkMonotone>::default(),
            Box::<metadata_kept::MetadataKept>::default(),
            Box::<metadata_converges::MetadataConverges>::default(),
        ];
        Properties { all, recovers: RecoversWhenFaultsStop::default() }
    }

    /// Who has to go on after the faults.
    pub fn expect_progress(&mut self, clients: impl Iterator<Item = (usize, String)>) {
        self.recovers.expect(clients);
    }

    /// Whether a client has to go on and has not yet.
    pub fn is_waiting_for(&self, client: usize) -> bool {
        self.recovers.is_waiting_for(client)
    }

    /// Whether all have gone on.
    pub fn has_recovered(&self) -> bool {
        self.recovers.is_done()
    }

    /// Takes an event in; the first property that it breaks. Of a topic whose files are damaged nothing is promised.
    pub fn on_event(&mut self, event: &Event) -> Option<Violation> {
        if event.place().is_some_and(|place| !place.is_promised()) {
            return None;
        }
        self.first(|property| property.on_event(event))
    }

    /// The first property that is broken now that all is over.
    pub fn at_end(&mut self) -> Option<Violation> {
        self.first(|property| property.at_end())
    }

    fn first(&mut self, mut check: impl FnMut(&mut dyn Property) -> Result<(), String>) -> Option<Violation> {
        let all = self.all.iter_mut().map(|property| &mut **property as &mut dyn Property);
        let all = all.chain([&mut self.recovers as &mut dyn Property]);
        let mut found = None;
        for property in all {
            let (name, checked) = (property.name(), check(property));
            if let Err(message) = checked {
                found = found.or(Some(Violation { property: name, message }));
            }
        }
        found
    }
}

impl Default for Properties {
    fn default() -> Self {
        Properties::new()
    }
}
