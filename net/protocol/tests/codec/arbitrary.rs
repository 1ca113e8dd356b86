//! Random messages as bytes, written from the schemas alone.
//!
//! This is a second implementation of the wire rules, which shares no code with the generated one: it works on the
//! schema at run time and knows neither structs nor the encoder. Its output is canonical (tags ascending, none at its
//! default), so that a correct codec must give back the very same bytes.

use crate::generator::schema::{Field, Message, Shape, Struct};

/// SplitMix64: small, seeded, good enough to choose shapes.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

/// The bytes of a random body.
pub fn body(message: &Message, version: i16, random: &mut Random) -> Vec<u8> {
    let mut writer = Writer { message, version, out: Vec::new() };
    writer.structure(message.root(), Some(random));
    writer.out
}

/// The bytes of a body whose own lists have `count` elements each, all at their defaults: as large as honest bodies of
/// so few bytes get in memory.
pub fn wide_body(message: &Message, version: i16, count: usize) -> Vec<u8> {
    let mut writer = Writer { message, version, out: Vec::new() };
    let flexible = message.flexible.contains(version);
    for field in message.root().fields.iter().filter(|field| field.versions.contains(version)) {
        match &field.shape {
            _ if field.tag.is_some() => {}
            Shape::Array(element) => {
                writer.length(count, flexible);
                let element = Field { shape: (**element).clone(), default: None, ..field.clone() };
                (0..count).for_each(|_| writer.default(&element, flexible));
            }
            _ => writer.field(field, None),
        }
    }
    if flexible {
        writer.varint(0);
    }
    writer.out
}

/// What is asked for when there is no source of randomness is the field's default.
type Source<'r> = Option<&'r mut Random>;

struct Writer<'m> {
    message: &'m Message,
    version: i16,
    out: Vec<u8>,
}

impl<'m> Writer<'m> {
    fn structure(&mut self, one: &Struct, mut random: Source<'_>) {
        let present = |field: &&Field| field.versions.contains(self.version);
        let fields: Vec<&Field> = one.fields.iter().filter(present).collect();
        for field in fields.iter().filter(|field| field.tag.is_none()) {
            self.field(field, random.as_deref_mut());
        }
        if self.message.flexible.contains(self.version) {
            let tagged = fields.into_iter().filter(|field| field.tag.is_some()).collect();
            self.tags(tagged, random);
        }
    }

    fn tags(&mut self, mut tagged: Vec<&Field>, mut random: Source<'_>) {
        tagged.sort_by_key(|field| field.tag);
        let mut contents = Vec::new();
        for field in tagged {
            let Some(random) = random.as_deref_mut() else { continue };
            let content = self.apart(|writer| writer.field(field, Some(random)));
            let default = self.apart(|writer| writer.field(field, None));
            if content != default && random.chance(2) {
                contents.push((field.tag, content));
            }
        }
        self.varint(contents.len() as u32);
        for (tag, content) in contents {
            self.varint(tag.expect("a tagged field"));
            self.varint(content.len() as u32);
            self.out.extend(content);
        }
    }

    fn apart(&mut self, write: impl FnOnce(&mut Self)) -> Vec<u8> {
        let outer = std::mem::take(&mut self.out);
        write(self);
        std::mem::replace(&mut self.out, outer)
    }

    fn field(&mut self, field: &Field, mut random: Source<'_>) {
        let flexible = self.message.flexible.contains(self.version) && !field.never_flexible;
        let nullable = field.nullable.contains(self.version);
        let null = match &mut random {
            Some(random) => random.chance(4),
            None => field.default.as_deref() == Some("null"),
        };
        if nullable && null {
            return self.null(&field.shape, flexible);
        }
        if nullable && matches!(field.shape, Shape::Struct(_)) {
            self.out.push(1);
        }
        match random {
            Some(random) => self.random(&field.shape, flexible, random),
            None => self.default(field, flexible),
        }
    }

    fn null(&mut self, shape: &Shape, flexible: bool) {
        match (shape, flexible) {
            (Shape::Struct(_), _) => self.out.push(0xff),
            (_, true) => self.out.push(0),
            (Shape::String, false) => self.out.extend([0xff; 2]),
            (_, false) => self.out.extend([0xff; 4]),
        }
    }

    fn random(&mut self, shape: &Shape, flexible: bool, random: &mut Random) {
        match shape {
            Shape::Bool => self.out.push(random.below(2) as u8),
            Shape::String => {
                let text = random_text(random);
                self.string_length(text.len(), flexible);
                self.out.extend(text.as_bytes());
            }
            Shape::Bytes | Shape::Records => {
                let len = if random.chance(8) { 100 + random.below(100) } else { random.below(6) };
                self.length(len, flexible);
                self.out.extend((0..len).map(|_| random.next() as u8));
            }
            Shape::Array(element) => {
                let len = random.below(4);
                self.length(len, flexible);
                for _ in 0..len {
                    self.random(element, flexible, random);
                }
            }
            Shape::Struct(name) => self.structure(self.message.find(name), Some(random)),
            // A finite float: NaN equals nothing, not even itself.
            Shape::Float64 => self.out.extend((random.below(1 << 30) as f64 / 64.0).to_be_bytes()),
            number => {
                let extreme = [0, 1, u64::MAX, i64::MAX as u64, i64::MIN as u64];
                let value = if random.chance(2) { extreme[random.below(5)] } else { random.next() };
                self.out.extend(value.to_be_bytes().iter().cycle().take(width(number)));
            }
        }
    }

    fn default(&mut self, field: &Field, flexible: bool) {
        match &field.shape {
            Shape::String => self.string_length(0, flexible),
            Shape::Bytes | Shape::Array(_) => self.length(0, flexible),
            Shape::Records => self.null(&Shape::Records, flexible),
            Shape::Struct(name) => self.structure(self.message.find(name), None),
            number => {
                let text = field.default.as_deref().unwrap_or("0");
                let value = match text {
                    "true" => 1,
                    "false" => 0,
                    text => text.parse::<i64>().expect("a number"),
                };
                self.out.extend(&value.to_be_bytes().repeat(2)[16 - width(number)..]);
            }
        }
    }

    fn string_length(&mut self, len: usize, flexible: bool) {
        if flexible { self.varint(len as u32 + 1) } else { self.out.extend((len as i16).to_be_bytes()) }
    }

    fn length(&mut self, len: usize, flexible: bool) {
        if flexible { self.varint(len as u32 + 1) } else { self.out.extend((len as i32).to_be_bytes()) }
    }

    fn varint(&mut self, mut value: u32) {
        loop {
            let more = value >= 0x80;
            self.out.push((value & 0x7f) as u8 | u8::from(more) << 7);
            value >>= 7;
            if !more {
                break;
            }
        }
    }
}

fn width(shape: &Shape) -> usize {
    match shape {
        Shape::Bool | Shape::Int8 => 1,
        Shape::Int16 | Shape::Uint16 => 2,
        Shape::Int32 | Shape::Uint32 => 4,
        Shape::Int64 | Shape::Float64 => 8,
        Shape::Uuid => 16,
        other => panic!("{other:?} has no fixed width"),
    }
}

fn random_text(random: &mut Random) -> String {
    const LETTERS: [char; 8] = ['a', 'Z', '0', '-', '.', 'é', '€', '🦀'];
    let len = if random.chance(8) { 60 + random.below(80) } else { random.below(6) };
    (0..len).map(|_| LETTERS[random.below(8)]).collect()
}
