//! How a record is printed: a pattern with percent signs, or JSON.

use storage::batch::Record;

use crate::cli::base64;
use crate::cli::json::push_quoted;

/// What each record becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// Pieces of text and of the record.
    Pattern(Vec<Piece>),
    /// An object a line.
    Json,
}

/// A piece of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(Vec<u8>),
    Value,
    Key,
    Offset,
    Partition,
    Topic,
    Timestamp,
    Headers,
}

/// A record with where it lies.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    pub topic: &'a str,
    pub partition: i32,
    pub offset: i64,
    /// ms since 1970.
    pub timestamp: i64,
    pub record: Record<'a>,
}

impl Format {
    /// The value and a line's end.
    pub fn value_only() -> Format {
        Format::Pattern(vec![Piece::Value, Piece::Text(b"\n".to_vec())])
    }

    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Format, String> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            let literal = match c {
                '%' => match piece_of(chars.next())? {
                    Piece::Text(text) => text,
                    piece => {
                        pieces.push(piece);
                        continue;
                    }
                },
                '\\' => vec![escaped(chars.next())?],
                c => c.to_string().into_bytes(),
            };
            match pieces.last_mut() {
                Some(Piece::Text(text)) => text.extend(literal),
                _ => pieces.push(Piece::Text(literal)),
            }
        }
        Ok(Format::Pattern(pieces))
    }

    /// Appends the record.
    pub fn write(&self, into: &mut Vec<u8>, placed: &Placed<'_>) {
        match self {
            Format::Json => write_json(into, placed),
            Format::Pattern(pieces) => pieces.iter().for_each(|piece| piece.write(into, placed)),
        }
    }
}

fn piece_of(letter: Option<char>) -> Result<Piece, String> {
    Ok(match letter {
        Some('v' | 's') => Piece::Value,
        Some('k') => Piece::Key,
        Some('o') => Piece::Offset,
        Some('p') => Piece::Partition,
        Some('t') => Piece::Topic,
        Some('T') => Piece::Timestamp,
        Some('h') => Piece::Headers,
        Some('%') => Piece::Text(b"%".to_vec()),
        Some(other) => return Err(format!("%{other} stands for nothing; %v %k %o %p %t %T %h and %% do")),
        None => return Err("a percent sign at the end is written %%".to_owned()),
    })
}

/// The byte that a letter after a backslash stands for.
pub fn escaped(letter: Option<char>) -> Result<u8, String> {
    Ok(match letter {
        Some('n') => b'\n',
        Some('r') => b'\r',
        Some('t') => b'\t',
        Some('0') => 0,
        Some('\\') => b'\\',
        Some(other) => return Err(format!("\\{other} stands for nothing; \\n \\r \\t \\0 and \\\\ do")),
        None => return Err("a backslash at the end is written \\\\".to_owned()),
    })
}

impl Piece {
    fn write(&self, into: &mut Vec<u8>, placed: &Placed<'_>) {
        match self {
            Piece::Text(text) => into.extend_from_slice(text),
            Piece::Value => into.extend_from_slice(placed.record.value.unwrap_or_default()),
            Piece::Key => into.extend_from_slice(placed.record.key.unwrap_or_default()),
            Piece::Offset => push_number(into, placed.offset),
            Piece::Partition => push_number(into, placed.partition.into()),
            Piece::Topic => into.extend_from_slice(placed.topic.as_bytes()),
            Piece::Timestamp => push_number(into, placed.timestamp),
            Piece::Headers => {
                for (index, header) in placed.record.headers.iter().enumerate() {
                    if index > 0 {
                        into.push(b',');
                    }
                    into.extend_from_slice(header.key);
                    into.push(b'=');
                    into.extend_from_slice(header.value.unwrap_or(b"NULL"));
                }
            }
        }
    }
}

fn push_number(into: &mut Vec<u8>, number: i64) {
    into.extend_from_slice(number.to_string().as_bytes());
}

fn write_json(into: &mut Vec<u8>, placed: &Placed<'_>) {
    into.extend_from_slice(b"{\"topic\":");
    push_quoted(into, placed.topic);
    into.extend_from_slice(b",\"partition\":");
    push_number(into, placed.partition.into());
    into.extend_from_slice(b",\"offset\":");
    push_number(into, placed.offset);
    into.extend_from_slice(b",\"timestamp\":");
    push_number(into, placed.timestamp);
    into.push(b',');
    push_bytes(into, "key", placed.record.key);
    into.push(b',');
    push_bytes(into, "value", placed.record.value);
    into.extend_from_slice(b",\"headers\":[");
    for (index, header) in placed.record.headers.iter().enumerate() {
        into.extend_from_slice(if index == 0 { b"{" } else { b",{" });
        push_bytes(into, "key", Some(header.key));
        into.push(b',');
        push_bytes(into, "value", header.value);
        into.push(b'}');
    }
    into.extend_from_slice(b"]}\n");
}

/// A field of bytes: as text where they are text, as base64 under `NAME_base64` where not.
fn push_bytes(into: &mut Vec<u8>, name: &str, bytes: Option<&[u8]>) {
    match bytes.map(|bytes| (bytes, std::str::from_utf8(bytes))) {
        None => into.extend_from_slice(format!("\"{name}\":null").as_bytes()),
        Some((_, Ok(text))) => {
            push_quoted(into, name);
            into.push(b':');
            push_quoted(into, text);
        }
        Some((bytes, Err(_))) => {
            into.extend_from_slice(format!("\"{name}_base64\":\"{}\"", base64::encode(bytes)).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use storage::Codec;
    use storage::batch::{BatchBuilder, HEADER_LEN, RecordStream};

    use super::*;

    #[test]
    fn a_pattern_shows_each_part() {
        check("%v", "value");
        check("%s\\n", "value\n");
        check("%t-%p@%o %k=%v", "orders-3@42 key=value");
        check("%T %h", "1000 a=1,b=NULL");
        check("100%% \\\\ \\t", "100% \\ \t");
        check("", "");
    }

    #[test]
    fn what_stands_for_nothing_is_refused() {
        for text in ["%", "%x", "\\", "\\x", "a%"] {
            assert!(Format::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn json_tells_text_bytes_and_nothing_apart() {
        let headers: &[(&[u8], Option<&[u8]>)] = &[(b"h", Some(b"\xff"))];
        let json = shown(&Format::Json, None, Some(b"a \"b\""), headers);
        assert_eq!(
            json,
            "{\"topic\":\"orders\",\"partition\":3,\"offset\":42,\"timestamp\":1000,\"key\":null,\
             \"value\":\"a \\\"b\\\"\",\"headers\":[{\"key\":\"h\",\"value_base64\":\"/w==\"}]}\n"
        );
    }

    fn check(pattern: &str, expected: &str) {
        let headers: &[(&[u8], Option<&[u8]>)] = &[(b"a", Some(b"1")), (b"b", None)];
        let format = Format::parse(pattern).unwrap();
        assert_eq!(shown(&format, Some(b"key"), Some(b"value"), headers), expected);
    }

    fn shown(
        format: &Format,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[(&[u8], Option<&[u8]>)],
    ) -> String {
        let batch = BatchBuilder::new().record_with(1000, key, value, headers).build();
        let mut records = RecordStream::new(Codec::None, &batch[HEADER_LEN..], 1 << 20).unwrap();
        let record = records.next().unwrap().unwrap();
        let mut out = Vec::new();
        format
            .write(&mut out, &Placed { topic: "orders", partition: 3, offset: 42, timestamp: 1000, record });
        String::from_utf8(out).unwrap()
    }
}
