//! Rust text for a message: its structs, their defaults, and how each is read and written.
//!
//! The output is plain on purpose: a statement a field in the order of the wire, `if version >= n` around what not every
//! version has, and no cleverness that a reader of a hex dump could not follow.

use std::fmt::Write;

use crate::generator::errors::each_error_fn;
use crate::generator::schema::{Field, Kind, Message, Shape, Struct, Versions, snake};

/// Words that Rust keeps for itself and Kafka uses as field names.
const KEYWORDS: &[&str] = &["match", "type"];

/// The file of one message.
pub fn message_file(message: &Message) -> String {
    let mut out = String::new();
    let key = message.key.map(|key| format!(", key {key}")).unwrap_or_default();
    let _ = writeln!(out, "//! {}{key}. Generated from `schema/`, not to be edited.\n", message.name);
    let uses_uuid =
        message.structs.iter().any(|one| one.fields.iter().any(|f| type_of(message, f).contains("Uuid")));
    let uuid = if uses_uuid { ", Uuid" } else { "" };
    let _ = writeln!(out, "use crate::{{DecodeError, Decoder, Encoder, Message{uuid}}};\n");
    for one in &message.structs {
        out.push_str(&definition(message, one));
        out.push_str(&default_impl(message, one));
        out.push_str(&codec_impl(message, one));
    }
    out
}

/// Keys whose messages have left the protocol; their numbers and names stay taken.
const REMOVED_KEYS: &[(i16, &str)] =
    &[(4, "LeaderAndIsr"), (5, "StopReplica"), (6, "UpdateMetadata"), (7, "ControlledShutdown")];

/// The enum of API keys with its facts.
pub fn api_key_file(messages: &[Message]) -> String {
    let mut requests: Vec<&Message> =
        messages.iter().filter(|message| message.kind == Kind::Request).collect();
    requests.sort_by_key(|message| message.key);
    let names = requests
        .iter()
        .map(|message| (message.key.expect("a key"), message.name.trim_end_matches("Request")));
    let mut names: Vec<(i16, &str)> = names.chain(REMOVED_KEYS.iter().copied()).collect();
    names.sort();
    let mut out =
        String::from("//! The API keys and their facts. Generated from `schema/`, not to be edited.\n\n");
    out.push_str("use std::ops::RangeInclusive;\n\n/// What a request asks for.\n");
    out.push_str("#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[repr(i16)]\n");
    out.push_str("pub enum ApiKey {\n");
    for (key, name) in &names {
        let _ = writeln!(out, "/// Key {key}.\n{name} = {key},");
    }
    out.push_str("}\n\nimpl ApiKey {\n/// Every key, in order.\npub const ALL: &'static [ApiKey] = &[");
    for (_, name) in &names {
        let _ = write!(out, "ApiKey::{name},");
    }
    out.push_str("];\n\n/// Kafka's name.\npub const fn name(self) -> &'static str { match self {");
    for (_, name) in &names {
        let _ = writeln!(out, "ApiKey::{name} => {name:?},");
    }
    out.push_str("} }\n\n");
    out.push_str("/// The versions whose layout is known, an unstable newest one included; `None` for keys that are gone.\n");
    out.push_str(&api_key_fact(&requests, "versions", "Option<RangeInclusive<i16>>", "None", |message| {
        format!("Some({}..={})", message.versions.low, message.versions.high)
    }));
    out.push_str("/// The newest version that will not change any more.\n");
    out.push_str(&api_key_fact(&requests, "latest_stable_version", "Option<i16>", "None", |message| {
        format!("Some({})", message.versions.high - i16::from(message.unstable))
    }));
    out.push_str(
        "/// The first version with compact lengths and tagged fields, `i16::MAX` if there is none.\n",
    );
    out.push_str(&api_key_fact(&requests, "flexible_from", "i16", "i16::MAX", |message| {
        if message.flexible.is_empty() { "i16::MAX".to_string() } else { message.flexible.low.to_string() }
    }));
    out.push_str("/// True if Kafka answers it on a broker's listener.\n");
    out.push_str(&api_key_fact(&requests, "on_broker", "bool", "false", |message| {
        has_listener(message, "broker")
    }));
    out.push_str("/// True if Kafka answers it on a controller's listener.\n");
    out.push_str(&api_key_fact(&requests, "on_controller", "bool", "false", |message| {
        has_listener(message, "controller")
    }));
    out.push_str("}\n");
    out
}

fn has_listener(message: &Message, listener: &str) -> String {
    message.listeners.iter().any(|one| one == listener).to_string()
}

/// A method that maps each key to a value; `gone` is what it says of keys without messages.
fn api_key_fact(
    requests: &[&Message],
    name: &str,
    result: &str,
    gone: &str,
    value: impl Fn(&Message) -> String,
) -> String {
    let mut keys_by_value: Vec<(String, Vec<String>)> = Vec::new();
    let known = requests.iter().map(|message| (value(message), message.name.trim_end_matches("Request")));
    for (value, key) in known.chain(REMOVED_KEYS.iter().map(|(_, name)| (gone.to_string(), *name))) {
        let key = format!("ApiKey::{key}");
        match keys_by_value.iter_mut().find(|(known, _)| *known == value) {
            Some((_, keys)) => keys.push(key),
            None => keys_by_value.push((value, vec![key])),
        }
    }
    let mut out = format!("pub const fn {name}(self) -> {result} {{ match self {{\n");
    for (value, keys) in keys_by_value {
        let _ = writeln!(out, "{} => {value},", keys.join(" | "));
    }
    out.push_str("} }\n\n");
    out
}

/// The list of modules, and the macro that names every message.
pub fn mod_file(messages: &[Message]) -> String {
    let mut out =
        String::from("//! Every message of the protocol. Generated from `schema/`, not to be edited.\n\n");
    for message in messages {
        let _ = writeln!(out, "pub mod {};", message.module());
    }
    out.push_str(
        "\n/// Calls the macro `$each` once with a line `kind module Type;` for every message, in order of module.\n\
         #[macro_export]\nmacro_rules! every_message {\n    ($each:ident) => {\n        $each! {\n",
    );
    for message in messages {
        let kind = match message.kind {
            Kind::Request => "request",
            Kind::Response => "response",
            Kind::Header => "header",
            Kind::Data => "data",
            Kind::MetadataRecord => "metadata",
            Kind::CoordinatorKey => "coordinator_key",
            Kind::CoordinatorValue => "coordinator_value",
        };
        let _ = writeln!(out, "            {kind} {} {};", message.module(), message.name);
    }
    out.push_str("        }\n    };\n}\n");
    out
}

fn definition(message: &Message, one: &Struct) -> String {
    let mut out = String::new();
    if one.name == message.name {
        let flexible = match message.flexible.low {
            _ if message.flexible.is_empty() => String::new(),
            low => format!(", flexible from {low}"),
        };
        let _ = writeln!(out, "/// Kafka's `{}`, {}{flexible}.", one.name, versions_text(message.versions));
    } else {
        let _ = writeln!(out, "/// `{}` of [`{}`].", one.name, message.name);
    }
    let derived_default = if derives_default(one) { "Default, " } else { "" };
    let _ = writeln!(out, "#[derive(Debug, Clone, {derived_default}PartialEq)]");
    let _ = writeln!(out, "pub struct {} {{", type_name(message, one, "'a"));
    for field in &one.fields {
        let tag = field.tag.map(|tag| format!(", tag {tag}")).unwrap_or_default();
        let _ = writeln!(out, "/// `{}`, {}{tag}.", field.name, versions_text(field.versions));
        let _ = writeln!(out, "pub {}: {},", field_name(field), type_of(message, field));
    }
    out.push_str("}\n\n");
    out
}

fn default_impl(message: &Message, one: &Struct) -> String {
    if derives_default(one) {
        return String::new();
    }
    let name = type_name(message, one, "'_");
    let mut out = format!("impl Default for {name} {{ fn default() -> Self {{ {} {{\n", one.name);
    for field in &one.fields {
        let _ = writeln!(out, "{}: {},", field_name(field), default_value(field));
    }
    out.push_str("} } }\n\n");
    out
}

fn codec_impl(message: &Message, one: &Struct) -> String {
    let borrows = message.struct_borrows(one);
    let mut out = String::new();
    if one.name == message.name {
        let _ = writeln!(out, "impl<'a> Message<'a> for {} {{", type_name(message, one, "'a"));
        let _ = writeln!(out, "const NAME: &'static str = {:?};", message.name);
        let _ = writeln!(out, "const API_KEY: Option<i16> = {:?};", message.key);
        let Versions { low, high } = message.versions;
        let _ = writeln!(out, "const VERSIONS: std::ops::RangeInclusive<i16> = {low}..={high};");
        let flexible =
            if message.flexible.is_empty() { "i16::MAX".into() } else { message.flexible.low.to_string() };
        let _ = writeln!(out, "const FLEXIBLE_FROM: i16 = {flexible};\n");
    } else {
        let generics = if borrows { "<'a>" } else { "" };
        let _ = writeln!(out, "impl{generics} {} {{", type_name(message, one, "'a"));
    }
    let lifetime = if borrows || one.name == message.name { "'a" } else { "'_" };
    out.push_str(&decode_fn(message, one, lifetime));
    out.push_str(&encode_fn(message, one));
    out.push_str(&each_error_fn(message, one));
    out.push_str("}\n\n");
    out
}

fn decode_fn(message: &Message, one: &Struct, lifetime: &str) -> String {
    let mut body = String::new();
    let is_root = one.name == message.name;
    if is_root {
        body.push_str("if !Self::VERSIONS.contains(&version) { return Err(DecodeError::UnsupportedVersion { version }); }\n");
    }
    let mut statements = Vec::new();
    for field in one.fields.iter().filter(|field| field.tag.is_none()) {
        let read = format!("message.{} = {};\n", field_name(field), read_field(message, field, one.versions));
        statements.push((field.versions, read));
    }
    statements.push((message.flexible, read_tags(message, one)));
    let fields = guarded(one.versions, statements);
    if has_flexible_switch(message, one) && mentions(&fields, "flexible") {
        let _ = writeln!(body, "let flexible = version >= {};", message.flexible.low);
    }
    let uses_version = is_root || mentions(&fields, "version");
    let version = if uses_version { "version" } else { "_version" };
    let d = if mentions(&fields, "d") { "d" } else { "_d" };
    if one.fields.is_empty() {
        let _ = writeln!(body, "{}Ok({} {{}})", fields, one.name);
    } else {
        let _ = writeln!(body, "let mut message = Self::default();\n{fields}Ok(message)");
    }
    let (public, doc) = if is_root { ("", "") } else { ("pub ", "/// Reads it as part of its message.\n") };
    let result = "Result<Self, DecodeError>";
    format!(
        "{doc}{public}fn decode({d}: &mut Decoder<{lifetime}>, {version}: i16) -> {result} {{ {body} }}\n\n"
    )
}

fn encode_fn(message: &Message, one: &Struct) -> String {
    let mut statements = Vec::new();
    for field in one.fields.iter().filter(|field| field.tag.is_none()) {
        statements.push((field.versions, format!("{};\n", write_field(message, field, one.versions))));
    }
    statements.push((message.flexible, write_tags(message, one)));
    let mut body = guarded(one.versions, statements);
    if has_flexible_switch(message, one) && mentions(&body, "flexible") {
        body.insert_str(0, &format!("let flexible = version >= {};\n", message.flexible.low));
    }
    let version = if mentions(&body, "version") { "version" } else { "_version" };
    let e = if body.is_empty() { "_e" } else { "e" };
    let is_root = one.name == message.name;
    let (public, doc) = if is_root { ("", "") } else { ("pub ", "/// Writes it as part of its message.\n") };
    format!("{doc}{public}fn encode(&self, {e}: &mut Encoder, {version}: i16) {{ {body} }}\n")
}

/// True if `name` stands in the code as a variable, not as part of a word or as a field.
fn mentions(code: &str, name: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + name.len()..].chars().next();
        !before.is_some_and(|letter| is_word(letter) || letter == '.') && !after.is_some_and(is_word)
    })
}

/// Reads the tagged section; unknown tags are skipped (Q13).
fn read_tags(message: &Message, one: &Struct) -> String {
    let tagged = sorted_tags(one);
    if tagged.is_empty() {
        return "d.skip_tags()?;\n".to_string();
    }
    let mut out = String::from("d.tags(|d, tag| { match tag {\n");
    let within = one.versions.and(message.flexible);
    for field in tagged {
        let condition = condition(field.versions, within).map(|c| format!(" if {c}")).unwrap_or_default();
        let read = read_field(message, field, field.versions);
        let _ =
            writeln!(out, "{}{condition} => message.{} = {read},", field.tag.unwrap_or(0), field_name(field));
    }
    out.push_str("_ => return Ok(false), } Ok(true) })?;\n");
    out
}

/// Writes the tagged section, tags ascending, defaults left out (Q13).
fn write_tags(message: &Message, one: &Struct) -> String {
    let tagged = sorted_tags(one);
    if tagged.is_empty() {
        return "e.no_tags();\n".to_string();
    }
    let mut out = String::from("let mut tags = e.tags();\n");
    let within = one.versions.and(message.flexible);
    for field in tagged {
        let mut conditions = vec![differs_from_default(field)];
        conditions.extend(condition(field.versions, within).into_iter().rev());
        conditions.reverse();
        let write = write_field(message, field, field.versions);
        let tag = field.tag.unwrap_or(0);
        let _ = writeln!(out, "if {} {{ tags.put(e, {tag}, |e| {write}); }}", conditions.join(" && "));
    }
    out
}

fn sorted_tags(one: &Struct) -> Vec<&Field> {
    let mut tagged: Vec<&Field> = one.fields.iter().filter(|field| field.tag.is_some()).collect();
    tagged.sort_by_key(|field| field.tag);
    tagged
}

/// True if the struct exists in flexible and in other versions, so that code must ask.
fn has_flexible_switch(message: &Message, one: &Struct) -> bool {
    condition(message.flexible, one.versions).is_some_and(|condition| condition != "false")
}

/// The word that chooses the compact form for a field at `versions`.
fn flexible_word(message: &Message, field: &Field, versions: Versions) -> &'static str {
    if field.never_flexible || message.flexible.and(versions).is_empty() {
        "false"
    } else if field.tag.is_some() || versions.low >= message.flexible.low {
        "true"
    } else {
        "flexible"
    }
}

/// The test that `version` is in `wanted`, given that it is in `within`; `None` if that is always so.
fn condition(wanted: Versions, within: Versions) -> Option<String> {
    let wanted = wanted.and(within);
    if wanted.is_empty() {
        return Some("false".to_string());
    }
    match (wanted.low > within.low, wanted.high < within.high) {
        (false, false) => None,
        (true, false) => Some(format!("version >= {}", wanted.low)),
        (false, true) => Some(format!("version <= {}", wanted.high)),
        (true, true) if wanted.low == wanted.high => Some(format!("version == {}", wanted.low)),
        (true, true) => Some(format!("({}..={}).contains(&version)", wanted.low, wanted.high)),
    }
}

/// The statements in order, each run of equal versions under one `if`.
fn guarded(within: Versions, statements: Vec<(Versions, String)>) -> String {
    let mut out = String::new();
    for run in statements.chunk_by(|(a, _), (b, _)| a.and(within) == b.and(within)) {
        let text: String = run.iter().map(|(_, statement)| statement.as_str()).collect();
        match condition(run[0].0, within) {
            None => out.push_str(&text),
            Some(condition) if condition == "false" => {}
            Some(condition) => {
                let _ = writeln!(out, "if {condition} {{ {text} }}");
            }
        }
    }
    out
}

fn read_field(message: &Message, field: &Field, within: Versions) -> String {
    let versions = field.versions.and(within);
    let flexible = flexible_word(message, field, versions);
    let plain = read_shape(&field.shape, flexible, false);
    if !is_optional(field) {
        return plain;
    }
    let nullable = read_shape(&field.shape, flexible, true);
    match condition(field.nullable, versions) {
        None => nullable,
        Some(condition) if condition == "false" => format!("Some({plain})"),
        Some(condition) => format!("if {condition} {{ {nullable} }} else {{ Some({plain}) }}"),
    }
}

fn read_shape(shape: &Shape, flexible: &str, nullable: bool) -> String {
    let prefix = if nullable { "nullable_" } else { "" };
    match shape {
        Shape::String => format!("d.{prefix}string({flexible})?"),
        Shape::Bytes | Shape::Records => format!("d.{prefix}bytes({flexible})?"),
        Shape::Struct(name) if nullable => {
            format!("if d.present()? {{ Some({name}::decode(d, version)?) }} else {{ None }}")
        }
        Shape::Struct(name) => format!("{name}::decode(d, version)?"),
        Shape::Array(element) => {
            let read = match element.as_ref() {
                Shape::String | Shape::Bytes | Shape::Struct(_) => {
                    let read = read_shape(element, flexible, false);
                    format!("|d| {}", read.trim_end_matches('?'))
                }
                number => format!("Decoder::{}", verb(number)),
            };
            format!("d.{prefix}array({flexible}, {read})?")
        }
        number => format!("d.{}()?", verb(number)),
    }
}

fn write_field(message: &Message, field: &Field, within: Versions) -> String {
    let versions = field.versions.and(within);
    let flexible = flexible_word(message, field, versions);
    let name = format!("self.{}", field_name(field));
    if !is_optional(field) {
        return write_plain(&field.shape, &name, flexible);
    }
    let nullable = write_nullable(&field.shape, &name, flexible);
    let plain = match &field.shape {
        Shape::Array(_) => {
            write_plain(&field.shape, &format!("{name}.as_deref().unwrap_or_default()"), flexible)
        }
        _ => write_plain(&field.shape, &format!("{name}.unwrap_or_default()"), flexible),
    };
    match condition(field.nullable, versions) {
        None => nullable,
        Some(condition) if condition == "false" => plain,
        Some(condition) => format!("if {condition} {{ {nullable} }} else {{ {plain} }}"),
    }
}

fn write_plain(shape: &Shape, value: &str, flexible: &str) -> String {
    match shape {
        Shape::String => format!("e.string({value}, {flexible})"),
        Shape::Bytes | Shape::Records => format!("e.bytes({value}, {flexible})"),
        Shape::Struct(_) => format!("{value}.encode(e, version)"),
        Shape::Array(element) => {
            // `self.x` needs a borrow; `self.x.as_deref()…` is one already.
            let borrow = if value.contains("as_deref") { "" } else { "&" };
            format!("e.array({borrow}{value}, {flexible}, |e, item| {})", write_item(element, flexible))
        }
        number => format!("e.{}({value})", verb(number)),
    }
}

fn write_nullable(shape: &Shape, value: &str, flexible: &str) -> String {
    match shape {
        Shape::String => format!("e.nullable_string({value}, {flexible})"),
        Shape::Bytes | Shape::Records => format!("e.nullable_bytes({value}, {flexible})"),
        Shape::Array(element) => {
            let item = write_item(element, flexible);
            format!("e.nullable_array({value}.as_deref(), {flexible}, |e, item| {item})")
        }
        Shape::Struct(_) => {
            format!(
                "{{ e.present({value}.is_some()); if let Some(inner) = &{value} {{ inner.encode(e, version); }} }}"
            )
        }
        number => panic!("{number:?} cannot be null"),
    }
}

fn write_item(element: &Shape, flexible: &str) -> String {
    match element {
        Shape::Struct(_) => "item.encode(e, version)".to_string(),
        Shape::String | Shape::Bytes => write_plain(element, "item", flexible),
        number => write_plain(number, "*item", flexible),
    }
}

/// The name of the method that reads and of the one that writes a fixed-width value.
fn verb(shape: &Shape) -> &'static str {
    match shape {
        Shape::Bool => "bool",
        Shape::Int8 => "i8",
        Shape::Int16 => "i16",
        Shape::Uint16 => "u16",
        Shape::Int32 => "i32",
        Shape::Uint32 => "u32",
        Shape::Int64 => "i64",
        Shape::Float64 => "f64",
        Shape::Uuid => "uuid",
        other => panic!("{other:?} has no fixed width"),
    }
}

/// Records may always be null in Kafka's own classes, whatever the schema says.
fn is_optional(field: &Field) -> bool {
    !field.nullable.is_empty() || field.shape == Shape::Records
}

fn defaults_to_null(field: &Field) -> bool {
    field.default.as_deref() == Some("null") || field.shape == Shape::Records
}

fn default_value(field: &Field) -> String {
    let plain = match (&field.shape, field.default.as_deref()) {
        (_, Some("null")) | (Shape::Records, _) => return "None".to_string(),
        (Shape::String, default) => format!("{:?}", default.unwrap_or("")),
        (Shape::Bytes, _) => "&[]".to_string(),
        (Shape::Array(_), _) => "Vec::new()".to_string(),
        (Shape::Struct(name), _) => format!("{name}::default()"),
        (Shape::Uuid, _) => "Uuid::ZERO".to_string(),
        (Shape::Bool, default) => default.unwrap_or("false").to_string(),
        (Shape::Float64, default) => format!("{}.0", default.unwrap_or("0")),
        (_, default) => default.unwrap_or("0").to_string(),
    };
    if is_optional(field) { format!("Some({plain})") } else { plain }
}

/// True if every field's default is that of its Rust type.
fn derives_default(one: &Struct) -> bool {
    one.fields
        .iter()
        .all(|field| if is_optional(field) { defaults_to_null(field) } else { field.default.is_none() })
}

fn differs_from_default(field: &Field) -> String {
    let name = format!("self.{}", field_name(field));
    if is_optional(field) {
        return match &field.shape {
            _ if defaults_to_null(field) => format!("{name}.is_some()"),
            Shape::Array(_) => format!("{name}.as_ref().is_none_or(|items| !items.is_empty())"),
            _ => format!("{name} != {}", default_value(field)),
        };
    }
    match &field.shape {
        Shape::Bool if field.default.as_deref() == Some("true") => format!("!{name}"),
        Shape::Bool => name,
        Shape::String if field.default.is_none() => format!("!{name}.is_empty()"),
        Shape::Bytes | Shape::Array(_) => format!("!{name}.is_empty()"),
        _ => format!("{name} != {}", default_value(field)),
    }
}

fn type_of(message: &Message, field: &Field) -> String {
    let plain = shape_type(message, &field.shape);
    if is_optional(field) { format!("Option<{plain}>") } else { plain }
}

fn shape_type(message: &Message, shape: &Shape) -> String {
    match shape {
        Shape::String => "&'a str".to_string(),
        Shape::Bytes | Shape::Records => "&'a [u8]".to_string(),
        Shape::Uuid => "Uuid".to_string(),
        Shape::Struct(name) => type_name(message, message.find(name), "'a"),
        Shape::Array(element) => format!("Vec<{}>", shape_type(message, element)),
        number => verb(number).to_string(),
    }
}

fn type_name(message: &Message, one: &Struct, lifetime: &str) -> String {
    let generics = if message.struct_borrows(one) { format!("<{lifetime}>") } else { String::new() };
    format!("{}{generics}", one.name)
}

pub(super) fn field_name(field: &Field) -> String {
    let name = snake(&field.name);
    if KEYWORDS.contains(&name.as_str()) { format!("r#{name}") } else { name }
}

fn versions_text(versions: Versions) -> String {
    let Versions { low, high } = versions;
    if low == high { format!("version {low}") } else { format!("versions {low}–{high}") }
}
