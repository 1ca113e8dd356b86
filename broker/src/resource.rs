//! What settings can belong to, as requests name it: a kind and a name.

use crate::homes::ID_BYTES_MAX;

/// A resource with settings.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Resource<'a> {
    /// A topic.
    Topic(&'a str),
    /// This broker.
    ThisBroker,
    /// All brokers together.
    AllBrokers,
    /// A group.
    Group(&'a str),
    /// Something that has no settings here; the text says what to do.
    Other(String),
}

/// Kafka's numbers of resource kinds.
const TOPIC: i8 = 2;
/// That of brokers.
pub const BROKER: i8 = 4;
const BROKER_LOGGER: i8 = 8;
const CLIENT_METRICS: i8 = 16;
const GROUP: i8 = 32;

impl Resource<'_> {
    /// Reads a kind and a name.
    pub fn parse(kind: i8, name: &str, node_id: i32) -> Resource<'_> {
        let other = |why: &str| Resource::Other(why.to_owned());
        match (kind, name) {
            (TOPIC, name) => Resource::Topic(name),
            (BROKER, "") => Resource::AllBrokers,
            (BROKER, name) if name.parse() == Ok(node_id) => Resource::ThisBroker,
            (BROKER, name) => {
                Resource::Other(format!("this is broker {node_id}: it does not know broker {name}"))
            }
            (BROKER_LOGGER, _) => other("log levels are not set at run time here: use ringlog.log.level"),
            (CLIENT_METRICS, _) => other("there is no receiver of client metrics here"),
            (GROUP, "") => other("a group must be named: the broker's group.* hold for all"),
            (GROUP, name) if name.len() > ID_BYTES_MAX => other("the name is too long for a group's"),
            (GROUP, name) => Resource::Group(name),
            (kind, _) => Resource::Other(format!("resource type {kind} is not known")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_told_apart() {
        for (kind, name, expected) in [
            (TOPIC, "t", Resource::Topic("t")),
            (BROKER, "", Resource::AllBrokers),
            (BROKER, "7", Resource::ThisBroker),
            (GROUP, "g", Resource::Group("g")),
        ] {
            assert_eq!(Resource::parse(kind, name, 7), expected);
        }
        for (kind, name) in
            [(BROKER, "8"), (BROKER, "x"), (BROKER_LOGGER, "7"), (CLIENT_METRICS, "a"), (GROUP, ""), (99, "")]
        {
            assert!(matches!(Resource::parse(kind, name, 7), Resource::Other(_)));
        }
    }
}
