//! The codec against its schemas, against another codec, and against bytes of real clients.

#[path = "../../generator/mod.rs"]
#[allow(dead_code)]
mod generator;

mod arbitrary;
mod every;

mod fresh;
mod kafka;
mod oracle;
mod round_trip;

use std::path::Path;
use std::sync::LazyLock;

use generator::schema::Message;

static SCHEMAS: LazyLock<Vec<Message>> =
    LazyLock::new(|| generator::read_schemas(Path::new(env!("CARGO_MANIFEST_DIR"))));

/// Every schema, read once.
fn schemas() -> &'static [Message] {
    &SCHEMAS
}
