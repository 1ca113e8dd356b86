//! JSON as it is written: fields keep the order in which they were put. What is read comes through `serde_json`.

use std::fmt;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// null
    Null,
    /// true, false
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Json>),
    /// Fields in order.
    Object(Vec<(String, Json)>),
}

/// An object of these fields.
pub fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    Json::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A list of what `items` become.
pub fn list<T>(items: impl IntoIterator<Item = T>, make: impl FnMut(T) -> Json) -> Json {
    Json::List(items.into_iter().map(make).collect())
}

impl From<bool> for Json {
    fn from(flag: bool) -> Json {
        Json::Flag(flag)
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Json {
        Json::Number(number)
    }
}

impl From<i32> for Json {
    fn from(number: i32) -> Json {
        Json::Number(number.into())
    }
}

impl From<i16> for Json {
    fn from(number: i16) -> Json {
        Json::Number(number.into())
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Json {
        Json::Number(number as i64)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::Text(text)
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Json {
        value.map_or(Json::Null, Into::into)
    }
}

impl<T: Into<Json> + Clone> From<&[T]> for Json {
    fn from(items: &[T]) -> Json {
        Json::List(items.iter().cloned().map(Into::into).collect())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Flag(flag) => flag.fmt(f),
            Json::Number(number) => number.fmt(f),
            Json::Text(text) => f.write_str(&quoted(text)),
            Json::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index == 0 { "[" } else { "," })?;
                }
                f.write_str(if items.is_empty() { "[]" } else { "]" })
            }
            Json::Object(fields) => {
                for (index, (name, value)) in fields.iter().enumerate() {
                    write!(f, "{}{}:{value}", if index == 0 { "{" } else { "," }, quoted(name))?;
                }
                f.write_str(if fields.is_empty() { "{}" } else { "}" })
            }
        }
    }
}

/// A JSON string.
pub fn quoted(text: &str) -> String {
    let mut quoted = Vec::with_capacity(text.len() + 2);
    push_quoted(&mut quoted, text);
    String::from_utf8(quoted).expect("a text stays a text")
}

/// Appends a JSON string.
pub fn push_quoted(into: &mut Vec<u8>, text: &str) {
    into.push(b'"');
    let bytes = text.as_bytes();
    let mut plain_from = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let escape: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            0..0x20 | 0x7f => &[],
            _ => continue,
        };
        into.extend_from_slice(&bytes[plain_from..at]);
        match escape {
            [] => into.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            escape => into.extend_from_slice(escape),
        }
        plain_from = at + 1;
    }
    into.extend_from_slice(&bytes[plain_from..]);
    into.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_order() {
        let json = object([("b", 1i64.into()), ("a", Json::Null), ("c", [true, false][..].into())]);
        assert_eq!(json.to_string(), r#"{"b":1,"a":null,"c":[true,false]}"#);
        assert_eq!(object([]).to_string(), "{}");
        assert_eq!(Json::List(Vec::new()).to_string(), "[]");
    }

    #[test]
    fn texts_read_back_as_they_were() {
        for text in ["", "plain", "two \"words\"\n", "back\\slash\ttab\r", "\u{0}\u{1f}\u{7f}", "größer €𝄞"]
        {
            assert_eq!(serde_json::from_str::<String>(&quoted(text)).as_deref().ok(), Some(text));
        }
    }
}
