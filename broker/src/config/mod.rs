//! Settings: what may be set for the broker and for a topic, what is in force, and what clients are told
//! about it.
//!
//! Reading order: [`setting`] is what a setting is, [`topic_table`] and [`server_table`] are all of them.
//! [`server`] makes the broker's configuration from a file ([`properties`]) and the command line, [`topic`]
//! a topic's over the broker's. [`alter`] changes overrides and [`describe`] shows values with where they
//! come from. The other modules read the values that have a syntax of their own ([`listener`], [`cores`])
//! or find advice for a wrong name.
//!
//! Everything is a pure function of its arguments: nothing here reads a file, a clock or the network.

pub mod setting;

pub mod topic_table;
mod transaction_table;

pub mod server_table;

mod group_table;

mod absent;
mod nearest;
pub mod properties;
mod typed;

pub mod given;
pub mod group;
pub mod server;
pub mod topic;

pub mod alter;
pub mod describe;

pub mod cores;
pub mod listener;
mod migration_policy;
pub mod quorum_voters;

pub use alter::{Alteration, Operation, Texts, differences};
pub use cores::Cores;
pub use describe::{Entry, Layers, Source, Synonym};
pub use given::{Given, Origin, StartFault};
pub use group::GroupConfig;
pub use listener::{Endpoint, Listener};
pub use migration_policy::MigrationPolicy;
pub use server::{Reach, ServerConfig, ServerValues};
pub use setting::{Effect, InvalidSetting, Kind};
pub use topic::{
    CleanupPolicy, CompressionType, Durability, RetentionClock, ThrottledReplicas, TimestampType, TopicConfig,
};
