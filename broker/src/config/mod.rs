//! Settings: what may be set for the broker and for a topic, what is in force, and what clients are told about it.

pub mod properties;
