//! broker

pub mod config;
