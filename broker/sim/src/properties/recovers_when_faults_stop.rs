//! When nothing goes wrong any more, everybody gets on within a bounded time: no client is stuck, no transaction hangs
//! (KIP-664), no partition stays offline once its node was started anew.

use std::collections::BTreeMap;

use super::Property;
use crate::event::Event;

/// Who has not gone on yet.
#[derive(Default)]
pub struct RecoversWhenFaultsStop {
    waiting: BTreeMap<usize, String>,
}

impl RecoversWhenFaultsStop {
    /// These have to go on.
    pub fn expect(&mut self, clients: impl Iterator<Item = (usize, String)>) {
        self.waiting.extend(clients);
    }

    /// Whether a client has not gone on yet.
    pub fn is_waiting_for(&self, client: usize) -> bool {
        self.waiting.contains_key(&client)
    }

    /// Whether all have.
    pub fn is_done(&self) -> bool {
        self.waiting.is_empty()
    }
}

impl Property for RecoversWhenFaultsStop {
    fn name(&self) -> &'static str {
        "recovers_when_faults_stop"
    }

    fn on_event(&mut self, event: &Event) -> Result<(), String> {
        if let Event::Progress { client } = event {
            self.waiting.remove(client);
        }
        Ok(())
    }

    fn at_end(&mut self) -> Result<(), String> {
        match self.waiting.first_key_value() {
            Some((client, name)) => Err(format!("client {client}, {name}, did not get on in time")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_get_on_is_named() {
        let mut property = RecoversWhenFaultsStop::default();
        property.expect([(1, "reader".to_owned()), (2, "member".to_owned())].into_iter());
        property.on_event(&Event::Progress { client: 1 }).unwrap();
        assert!(!property.is_done());
        assert!(property.at_end().unwrap_err().contains("client 2, member"));
        property.on_event(&Event::Progress { client: 2 }).unwrap();
        assert_eq!(property.at_end(), Ok(()));
    }
}
