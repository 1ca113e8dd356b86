//! Looks at a machine as a broker would use it: what it can do, measured here and now, what holds it back, and what to change.
//!
//! Reading order: [`measure`] takes figures, [`checks`] looks at the kernel's files and says what they mean with those figures,
//! [`finding`] is what a check says, [`apply`] carries changes out and takes them back, [`settings`] is what the broker is told.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod finding;
pub mod host;

pub mod measure;

pub mod checks;

pub mod apply;
pub mod report;
pub mod settings;

pub use bench::Fault;
