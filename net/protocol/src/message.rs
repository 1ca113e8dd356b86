//! What every message of the protocol has in common.

use std::ops::RangeInclusive;

use crate::{DecodeError, Decoder, Encoder};

/// A request, response, header or record: a body whose layout depends on its version.
pub trait Message<'a>: Sized + Default {
    /// Kafka's name.
    const NAME: &'static str;
    /// The API key of a request or response, or the type number of a record; `None` for headers and plain data.
    const API_KEY: Option<i16>;
    /// The versions that exist, an unstable newest one included.
    const VERSIONS: RangeInclusive<i16>;
    /// The first version with compact lengths and tagged fields, `i16::MAX` if there is none.
    const FLEXIBLE_FROM: i16;

    /// Reads the body. Fields that the version does not have keep their defaults.
    fn decode(d: &mut Decoder<'a>, version: i16) -> Result<Self, DecodeError>;

    /// Writes the body. Fields that the version does not have are left out.
    fn encode(&self, e: &mut Encoder, version: i16);

    /// Shows every error code in a response, 0 for none among them.
    fn each_error(&self, _on: &mut dyn FnMut(i16)) {}

    /// True if `version` uses compact lengths and tagged fields.
    fn is_flexible(version: i16) -> bool {
        version >= Self::FLEXIBLE_FROM
    }
}
