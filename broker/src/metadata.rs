//! What the cluster is: its topics, their partitions and settings. Kept in a log of Kafka's own metadata records, replayed
//! into an immutable [`Image`] that every core holds.
//!
//! One core, the first, owns the log and makes every change ([`controller`]); the others are sent each new image. A quorum
//! can take the log's place later: nothing else writes it, and nothing reads anything but images.

pub mod controller;
pub mod image;
pub mod log;
pub mod placement;
pub mod record;
mod settings;

pub use image::{Image, PartitionMeta, Topic};
pub use settings::log_settings;
