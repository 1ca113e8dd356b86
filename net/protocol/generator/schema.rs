//! The schema files in memory. `schema/README.md` describes their format.

use std::path::Path;

/// One message: its head, its fields, and every struct below it.
#[derive(Debug)]
pub struct Message {
    pub folder: String,
    pub kind: Kind,
    pub name: String,
    pub key: Option<i16>,
    pub versions: Versions,
    pub flexible: Versions,
    /// The newest version may still change.
    pub unstable: bool,
    pub listeners: Vec<String>,
    /// The message's own fields first, then nested and shared structs in order of appearance.
    pub structs: Vec<Struct>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Request,
    Response,
    Header,
    Data,
    MetadataRecord,
    CoordinatorKey,
    CoordinatorValue,
}

#[derive(Debug)]
pub struct Struct {
    pub name: String,
    pub fields: Vec<Field>,
    /// The versions in which it can appear, from those of the fields that hold it.
    pub versions: Versions,
}

#[derive(Debug, Clone)]
pub struct Field {
    pub name: String,
    pub shape: Shape,
    pub versions: Versions,
    pub tag: Option<u32>,
    pub nullable: Versions,
    pub default: Option<String>,
    /// Keeps the non-compact form even in flexible versions (Q4).
    pub never_flexible: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    Bool,
    Int8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Float64,
    Uuid,
    String,
    Bytes,
    Records,
    Struct(String),
    Array(Box<Shape>),
}

/// A range of versions; empty if `low > high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions {
    pub low: i16,
    pub high: i16,
}

impl Versions {
    pub const NONE: Versions = Versions { low: 0, high: -1 };

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    pub fn contains(self, version: i16) -> bool {
        self.low <= version && version <= self.high
    }

    pub fn and(self, other: Versions) -> Versions {
        let both = Versions { low: self.low.max(other.low), high: self.high.min(other.high) };
        if both.is_empty() { Versions::NONE } else { both }
    }

    /// The smallest range that holds both.
    pub fn hull(self, other: Versions) -> Versions {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => Versions { low: self.low.min(other.low), high: self.high.max(other.high) },
        }
    }

    fn parse(text: &str) -> Versions {
        let number = |text: &str| text.parse::<i16>().unwrap_or_else(|_| panic!("version {text}"));
        if text == "none" {
            Versions::NONE
        } else if let Some(low) = text.strip_suffix('+') {
            Versions { low: number(low), high: i16::MAX }
        } else if let Some((low, high)) = text.split_once('-') {
            Versions { low: number(low), high: number(high) }
        } else {
            Versions { low: number(text), high: number(text) }
        }
    }
}

impl Message {
    pub fn module(&self) -> String {
        snake(&self.name)
    }

    pub fn root(&self) -> &Struct {
        &self.structs[0]
    }

    pub fn find(&self, name: &str) -> &Struct {
        self.structs
            .iter()
            .find(|one| one.name == name)
            .unwrap_or_else(|| panic!("{}: struct {name}", self.name))
    }

    /// True if the shape holds something lent from the frame.
    pub fn borrows(&self, shape: &Shape) -> bool {
        match shape {
            Shape::String | Shape::Bytes | Shape::Records => true,
            Shape::Array(element) => self.borrows(element),
            Shape::Struct(name) => self.struct_borrows(self.find(name)),
            _ => false,
        }
    }

    pub fn struct_borrows(&self, one: &Struct) -> bool {
        one.fields.iter().any(|field| self.borrows(&field.shape))
    }

    /// Narrows every struct to the versions in which it can appear and drops fields that no version has.
    fn settle_versions(&mut self) {
        self.structs[0].versions = self.versions;
        // Each pass reaches one level deeper; no schema nests deeper than it has structs.
        for _ in 0..self.structs.len() {
            for index in 0..self.structs.len() {
                let within = self.structs[index].versions;
                for field in self.structs[index].fields.clone() {
                    if let Shape::Struct(name) = innermost(&field.shape) {
                        let held = field.versions.and(within);
                        let inner =
                            self.structs.iter_mut().find(|one| &one.name == name).expect("a known struct");
                        inner.versions = inner.versions.hull(held);
                    }
                }
            }
        }
        for one in &mut self.structs {
            for field in &mut one.fields {
                field.versions = field.versions.and(one.versions);
                field.nullable = field.nullable.and(field.versions);
            }
            one.fields.retain(|field| !field.versions.is_empty());
        }
        self.structs.retain(|one| !one.versions.is_empty());
    }
}

/// The shape inside all the lists.
pub fn innermost(shape: &Shape) -> &Shape {
    match shape {
        Shape::Array(element) => innermost(element),
        _ => shape,
    }
}

/// Reads one schema file; a fault in it is a fault of ours and panics.
pub fn parse(path: &Path) -> Message {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let folder = path.parent().and_then(|parent| parent.file_name()).expect("a schema lies in a folder");
    let mut lines = text.lines();
    let mut message = parse_head(lines.next().expect("a head line"));
    message.folder = folder.to_string_lossy().into_owned();
    // The struct at each depth of indentation that is being filled.
    let mut open = vec![0];
    for line in lines {
        if let Some(rest) = line.strip_prefix("struct ") {
            let name = rest.split(' ').next().expect("a struct name");
            open = vec![push_struct(&mut message, name)];
            continue;
        }
        let depth = (line.len() - line.trim_start().len()) / 2;
        let field = parse_field(line.trim_start());
        open.truncate(depth);
        message.structs[open[depth - 1]].fields.push(field.clone());
        if let Shape::Struct(name) = innermost(&field.shape) {
            open.push(push_struct(&mut message, name));
        }
    }
    message.settle_versions();
    message
}

/// Adds the struct if it is new: a shared struct is named by fields before its own lines come.
fn push_struct(message: &mut Message, name: &str) -> usize {
    if let Some(index) = message.structs.iter().position(|one| one.name == name) {
        return index;
    }
    message.structs.push(Struct { name: name.to_string(), fields: Vec::new(), versions: Versions::NONE });
    message.structs.len() - 1
}

fn parse_head(line: &str) -> Message {
    let mut words = line.split(' ');
    let kind = match words.next() {
        Some("request") => Kind::Request,
        Some("response") => Kind::Response,
        Some("header") => Kind::Header,
        Some("data") => Kind::Data,
        Some("metadata") => Kind::MetadataRecord,
        Some("coordinator-key") => Kind::CoordinatorKey,
        Some("coordinator-value") => Kind::CoordinatorValue,
        other => panic!("kind {other:?}"),
    };
    let name = words.next().expect("a name").to_string();
    let mut message = Message {
        folder: String::new(),
        kind,
        name: name.clone(),
        key: None,
        versions: Versions::NONE,
        flexible: Versions::NONE,
        unstable: false,
        listeners: Vec::new(),
        structs: vec![Struct { name, fields: Vec::new(), versions: Versions::NONE }],
    };
    for word in words {
        match word.split_once('=') {
            Some(("key", value)) => message.key = Some(value.parse().expect("a key")),
            Some(("versions", value)) => message.versions = Versions::parse(value),
            Some(("flexible", value)) => message.flexible = Versions::parse(value),
            Some(("listeners", value)) => message.listeners = value.split(',').map(str::to_string).collect(),
            None if word == "unstable" => message.unstable = true,
            _ => panic!("head word {word}"),
        }
    }
    message
}

fn parse_field(line: &str) -> Field {
    let mut words = line.split(' ');
    let mut next = || words.next().expect("name, type and versions");
    let mut field = Field {
        name: next().to_string(),
        shape: parse_shape(next()),
        versions: Versions::parse(next()),
        tag: None,
        nullable: Versions::NONE,
        default: None,
        never_flexible: false,
    };
    for word in words {
        match word.split_once('=') {
            Some(("tag", value)) => {
                let (tag, versions) = value.split_once(':').expect("tag:versions");
                field.tag = Some(tag.parse().expect("a tag"));
                field.versions = field.versions.and(Versions::parse(versions));
            }
            Some(("nullable", value)) => field.nullable = Versions::parse(value),
            Some(("default", value)) => field.default = Some(value.to_string()),
            Some(("flexible", "none")) => field.never_flexible = true,
            None if word == "ignorable" || word == "key" => {}
            _ => panic!("field word {word}"),
        }
    }
    field
}

fn parse_shape(text: &str) -> Shape {
    if let Some(element) = text.strip_prefix("[]") {
        return Shape::Array(Box::new(parse_shape(element)));
    }
    match text {
        "bool" => Shape::Bool,
        "int8" => Shape::Int8,
        "int16" => Shape::Int16,
        "uint16" => Shape::Uint16,
        "int32" => Shape::Int32,
        "uint32" => Shape::Uint32,
        "int64" => Shape::Int64,
        "float64" => Shape::Float64,
        "uuid" => Shape::Uuid,
        "string" => Shape::String,
        "bytes" => Shape::Bytes,
        "records" => Shape::Records,
        name => Shape::Struct(name.to_string()),
    }
}

/// `TopicId` to `topic_id`, `ISRNodes` to `isr_nodes`; KRaft counts as one word.
pub fn snake(name: &str) -> String {
    let letters: Vec<char> = name.replace("KRaft", "Kraft").chars().collect();
    let mut out = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let after_lower = index > 0 && !letters[index - 1].is_uppercase();
        let before_lower = index > 0 && letters.get(index + 1).is_some_and(|next| next.is_lowercase());
        if letter.is_uppercase() && (after_lower || before_lower) {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}
