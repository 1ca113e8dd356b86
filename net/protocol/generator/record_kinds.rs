//! Rust text for the enums that tell the records of one log apart.

use std::fmt::Write;

use crate::generator::schema::{Kind, Message};

/// An enum over the records of one log.
struct Family {
    name: &'static str,
    doc: &'static str,
    folder: &'static str,
    kind: Kind,
    /// What stands between a record's kind and its body.
    framing: Framing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Framing {
    /// Frame version, type and version.
    Metadata,
    /// The type only; bodies are of version 0.
    Key,
}

const FAMILIES: &[Family] = &[
    Family {
        name: "MetadataRecord",
        doc: "A record of the metadata log.",
        folder: "metadata_log",
        kind: Kind::MetadataRecord,
        framing: Framing::Metadata,
    },
    Family {
        name: "GroupKey",
        doc: "The key of a record of `__consumer_offsets`.",
        folder: "groups",
        kind: Kind::CoordinatorKey,
        framing: Framing::Key,
    },
    Family {
        name: "TransactionKey",
        doc: "The key of a record of `__transaction_state`.",
        folder: "transactions",
        kind: Kind::CoordinatorKey,
        framing: Framing::Key,
    },
    Family {
        name: "ShareKey",
        doc: "The key of a record of `__share_group_state`.",
        folder: "shares",
        kind: Kind::CoordinatorKey,
        framing: Framing::Key,
    },
];

/// The file of all families.
pub fn file(messages: &[Message]) -> String {
    let mut out = String::from(
        "//! The records of each log, told apart. Generated from `schema/`, not to be edited.\n\n",
    );
    out.push_str(
        "use crate::record::{self, MetadataHead};\nuse crate::{DecodeError, Decoder, Encoder, Message};\n\n",
    );
    for family in FAMILIES {
        let wanted = |one: &&Message| one.folder == family.folder && one.kind == family.kind;
        let mut members: Vec<&Message> = messages.iter().filter(wanted).collect();
        members.sort_by_key(|message| message.key);
        definition(&mut out, family, &members);
        match family.framing {
            Framing::Metadata => metadata_codec(&mut out, family, &members),
            Framing::Key => key_codec(&mut out, family, &members),
        }
        for message in &members {
            let (variant, path) = (variant(message), path(message, "'a"));
            let _ = writeln!(
                out,
                "impl<'a> From<{path}> for {}<'a> {{ fn from(record: {path}) -> Self {{ Self::{variant}(record) }} }}",
                family.name
            );
        }
        out.push('\n');
    }
    out
}

fn definition(out: &mut String, family: &Family, members: &[&Message]) {
    let _ = writeln!(
        out,
        "/// {}\n#[derive(Debug, Clone, PartialEq)]\npub enum {}<'a> {{",
        family.doc, family.name
    );
    for message in members {
        let key = message.key.expect("a record type");
        let _ = writeln!(out, "/// Type {key}.\n{}({}),", variant(message), path(message, "'a"));
    }
    out.push_str("}\n\n");
}

fn metadata_codec(out: &mut String, family: &Family, members: &[&Message]) {
    let _ = writeln!(
        out,
        "impl<'a> {}<'a> {{\n\
         /// Reads a record's value, head and body; `None` for a type that is not known.\n\
         pub fn decode(d: &mut Decoder<'a>) -> Result<Option<Self>, DecodeError> {{\n\
         let MetadataHead {{ key, version }} = record::decode_metadata_head(d)?;\n\
         Ok(Some(match key {{",
        family.name
    );
    for message in members {
        let key = message.key.expect("a record type");
        let _ = writeln!(out, "{key} => Self::{}(Message::decode(d, version)?),", variant(message));
    }
    out.push_str(
        "_ => return Ok(None),\n}))\n}\n\n/// Writes a record's value, head and body.\n\
         pub fn encode(&self, e: &mut Encoder, version: i16) { match self {\n",
    );
    for message in members {
        let _ = writeln!(
            out,
            "Self::{}(record) => record::encode_metadata(e, record, version),",
            variant(message)
        );
    }
    out.push_str("} }\n\n/// The newest version of the record's body.\npub fn latest_version(&self) -> i16 { match self {\n");
    for message in members {
        let _ = writeln!(out, "Self::{}(_) => {},", variant(message), message.versions.high);
    }
    out.push_str("} }\n}\n\n");
}

fn key_codec(out: &mut String, family: &Family, members: &[&Message]) {
    let _ = writeln!(
        out,
        "impl<'a> {}<'a> {{\n\
         /// Reads a key, type and body; `None` for a type that is not known.\n\
         pub fn decode(d: &mut Decoder<'a>) -> Result<Option<Self>, DecodeError> {{\n\
         Ok(Some(match record::decode_key_type(d)? {{",
        family.name
    );
    for message in members {
        let key = message.key.expect("a record type");
        let _ = writeln!(out, "{key} => Self::{}(Message::decode(d, 0)?),", variant(message));
    }
    out.push_str(
        "_ => return Ok(None),\n}))\n}\n\n/// Writes a key, type and body.\n\
         pub fn encode(&self, e: &mut Encoder) { match self {\n",
    );
    for message in members {
        let _ = writeln!(out, "Self::{}(key) => record::encode_key(e, key),", variant(message));
    }
    out.push_str("} }\n}\n\n");
}

/// The record's name without the word that all members share.
fn variant(message: &Message) -> &str {
    let name = &message.name;
    name.strip_suffix("Record").or_else(|| name.strip_suffix("Key")).unwrap_or(name)
}

fn path(message: &Message, lifetime: &str) -> String {
    let generics =
        if message.struct_borrows(message.root()) { format!("<{lifetime}>") } else { String::new() };
    format!("crate::messages::{}::{}{generics}", message.module(), message.name)
}
