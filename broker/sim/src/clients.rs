//! The workloads: each client does one kind of work, again and again, and says what it was told.

pub mod admin;
pub mod committer;
pub mod founder;
pub mod member;
pub mod plain;
pub mod producer;
pub mod reader;
pub mod steward;
pub mod transactional;
