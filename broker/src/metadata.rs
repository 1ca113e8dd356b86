//! What the cluster is: its topics, their partitions and settings. Kept in a log of Kafka's own metadata records, replayed
//! into an immutable [`Image`] that every core holds.
//!
//! One core, the first, owns the log and makes every change ([`controller`]); the others are sent each new image. A quorum
//! is behind it ([`quorum`]): nothing else writes the log, and nothing reads anything but images.

pub mod controller;
pub mod features;
pub mod image;
pub mod lifecycle;
pub mod partition_state;
pub mod placement;
pub mod record;
pub mod registration;
pub mod replay;
pub mod replica_placement;
pub mod sessions;
mod settings;

pub use image::{Image, PartitionMeta, Topic};
pub use partition_state::PartitionState;
pub use registration::Registration;
pub use settings::log_settings;
