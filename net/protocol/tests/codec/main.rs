//! The codec against its schemas, against another codec, and against bytes of real clients.

#[path = "../../generator/mod.rs"]
#[allow(dead_code, reason = "each target uses a part")]
mod generator;

// Shared with `tests/hostile.rs`, which uses the other half.
#[allow(dead_code, reason = "each target uses a part")]
mod arbitrary;
#[allow(dead_code, reason = "each target uses a part")]
mod every;

mod fetch_response;
mod fresh;
mod golden;
mod oracle;
mod quirks;
mod round_trip;
mod views;

use std::path::Path;
use std::sync::LazyLock;

use generator::schema::Message;

static SCHEMAS: LazyLock<Vec<Message>> =
    LazyLock::new(|| generator::read_schemas(Path::new(env!("CARGO_MANIFEST_DIR"))));

/// Every schema, read once.
fn schemas() -> &'static [Message] {
    &SCHEMAS
}

fn schema(name: &str) -> &'static Message {
    schemas().iter().find(|message| message.name == name).unwrap_or_else(|| panic!("no schema {name}"))
}
