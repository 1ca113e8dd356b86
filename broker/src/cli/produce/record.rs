//! A line of the input as a record: text with a key or without, or a JSON object.

use std::borrow::Cow;

use serde_json::Value;

use super::batching::{HeaderIn, RecordIn};
use crate::cli::base64;

/// How lines are read.
pub enum Reader {
    /// A value, or a key and a value.
    Text { separator: Option<Vec<u8>>, headers: Vec<(String, String)>, partition: Option<i32> },
    /// An object.
    Json { headers: Vec<(String, String)>, partition: Option<i32> },
}

impl Reader {
    /// A reader of lines whose records get these headers, and this partition if they name none.
    pub fn new(
        is_json: bool,
        separator: Option<&str>,
        headers: &[(String, String)],
        partition: Option<i32>,
    ) -> Reader {
        let headers = headers.to_vec();
        match is_json {
            true => Reader::Json { headers, partition },
            false => {
                Reader::Text { separator: separator.map(|text| text.as_bytes().to_vec()), headers, partition }
            }
        }
    }

    /// Reads a line.
    pub fn read<'a>(&'a self, line: &'a [u8]) -> Result<RecordIn<'a>, String> {
        match self {
            Reader::Json { headers, partition } => {
                let mut record = of_json(line)?;
                record.headers.extend(fixed(headers));
                record.partition = record.partition.or(*partition);
                Ok(record)
            }
            Reader::Text { separator, headers, partition } => {
                let (key, value) = match separator {
                    None => (None, line),
                    Some(separator) => {
                        let at = find(line, separator).ok_or_else(|| {
                            format!(
                                "there is no {:?} between key and value",
                                String::from_utf8_lossy(separator)
                            )
                        })?;
                        (Some(&line[..at]), &line[at + separator.len()..])
                    }
                };
                Ok(RecordIn {
                    key: key.map(Cow::Borrowed),
                    value: Some(Cow::Borrowed(value)),
                    headers: fixed(headers).collect(),
                    partition: *partition,
                    timestamp: None,
                })
            }
        }
    }
}

fn fixed<'a>(headers: &'a [(String, String)]) -> impl Iterator<Item = HeaderIn<'a>> {
    headers.iter().map(|(key, value)| (key.as_bytes().into(), Some(value.as_bytes().into())))
}

fn find(line: &[u8], separator: &[u8]) -> Option<usize> {
    if separator.is_empty() {
        return None;
    }
    line.windows(separator.len()).position(|window| window == separator)
}

/// The fields that a line may have. What `ringlog consume --json` prints can be sent again: topic and offset are read
/// over.
const FIELDS: [&str; 9] =
    ["key", "key_base64", "value", "value_base64", "headers", "partition", "timestamp", "topic", "offset"];

fn of_json(line: &[u8]) -> Result<RecordIn<'static>, String> {
    let parsed: Value = serde_json::from_slice(line).map_err(|error| format!("this is no JSON: {error}"))?;
    let Value::Object(fields) = parsed else { return Err("this is no JSON object".to_owned()) };
    if let Some(unknown) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return Err(format!("a record has no field {unknown:?}; it has {}", FIELDS[..7].join(", ")));
    }
    let headers = match fields.get("headers") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items.iter().map(header_of).collect::<Result<_, _>>()?,
        Some(Value::Object(pairs)) => {
            let pair =
                |(key, value): (&String, &Value)| Ok((owned(key.as_bytes()), text_of("headers", value)?));
            pairs.iter().map(pair).collect::<Result<_, String>>()?
        }
        Some(_) => return Err("headers are a list of objects with key and value, or an object".to_owned()),
    };
    let number = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_i64().map(Some).ok_or_else(|| format!("{name} is a whole number")),
    };
    let partition = number("partition")?.map(|it| i32::try_from(it).map_err(|_| "partition is too large"));
    Ok(RecordIn {
        key: bytes_of(&fields, "key")?,
        value: bytes_of(&fields, "value")?,
        headers,
        partition: partition.transpose()?,
        timestamp: number("timestamp")?,
    })
}

fn header_of(item: &Value) -> Result<HeaderIn<'static>, String> {
    let Value::Object(fields) = item else {
        return Err("a header is an object with key and value".to_owned());
    };
    let key = bytes_of(fields, "key")?.ok_or("a header has a key")?;
    Ok((key, bytes_of(fields, "value")?))
}

/// `NAME` as text, or `NAME_base64` as bytes.
fn bytes_of(
    fields: &serde_json::Map<String, Value>,
    name: &str,
) -> Result<Option<Cow<'static, [u8]>>, String> {
    let base64_name = format!("{name}_base64");
    match (fields.get(name), fields.get(&base64_name)) {
        (Some(_), Some(_)) => Err(format!("{name} and {base64_name} stand for the same: give one")),
        (None, Some(Value::String(text))) => {
            let bytes = base64::decode(text).ok_or_else(|| format!("{base64_name} is no base64"))?;
            Ok(Some(Cow::Owned(bytes)))
        }
        (None, Some(_)) => Err(format!("{base64_name} is a string")),
        (None, None) => Ok(None),
        (Some(value), None) => text_of(name, value),
    }
}

fn text_of(name: &str, value: &Value) -> Result<Option<Cow<'static, [u8]>>, String> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(owned(text.as_bytes()))),
        // A value that is an object itself is sent as it is written.
        Value::Object(_) | Value::Array(_) if name == "value" => {
            Ok(Some(owned(value.to_string().as_bytes())))
        }
        _ => Err(format!("{name} is a string or null; write other things as strings")),
    }
}

fn owned(bytes: &[u8]) -> Cow<'static, [u8]> {
    Cow::Owned(bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_a_value_or_a_key_and_a_value() {
        check(None, "a:b", "null a:b");
        check(Some(":"), "a:b:c", "a b:c");
        check(Some("=>"), "k=>v", "k v");
        check(Some(":"), ":b", " b");
        check(Some(":"), "a:", "a ");
    }

    #[test]
    fn a_line_without_its_separator_is_refused() {
        let reader = Reader::new(false, Some(":"), &[], None);
        assert!(reader.read(b"no key").is_err());
    }

    #[test]
    fn json_has_text_bytes_and_null() {
        json(r#"{"key":"k","value":"v"}"#, "k v");
        json(r#"{"value":null}"#, "null null");
        json(r#"{"key_base64":"Zm9v","value":"a\nb"}"#, "foo a\nb");
        json(r#"{"value":{"a":[1,2]}}"#, r#"null {"a":[1,2]}"#);
        json(
            r#"{"value":"v","headers":[{"key":"h","value":"1"},{"key":"n","value":null}]}"#,
            "null v h=1 n=null",
        );
        json(r#"{"value":"v","headers":{"h":"1"}}"#, "null v h=1");
        json(r#"{"value":"v","partition":2,"timestamp":5,"topic":"t","offset":9}"#, "null v @2 5ms");
    }

    #[test]
    fn json_that_is_no_record_is_refused() {
        for line in [
            "",
            "x",
            "[]",
            "1",
            r#"{"val":"v"}"#,
            r#"{"value":1}"#,
            r#"{"key":{}}"#,
            r#"{"value_base64":"x"}"#,
            r#"{"value":"a","value_base64":"Zm9v"}"#,
            r#"{"partition":"1"}"#,
            r#"{"partition":99999999999}"#,
            r#"{"headers":"h"}"#,
            r#"{"headers":[{"value":"1"}]}"#,
            r#"{"value":"a"} {"value":"b"}"#,
        ] {
            assert!(Reader::new(true, None, &[], None).read(line.as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn headers_and_partition_of_the_command_line_come_along() {
        let headers = [("a".to_owned(), "1".to_owned())];
        let reader = Reader::new(false, None, &headers, Some(3));
        assert_eq!(shown(&reader.read(b"v").unwrap()), "null v @3 a=1");
        let reader = Reader::new(true, None, &headers, Some(3));
        assert_eq!(shown(&reader.read(br#"{"value":"v","partition":1}"#).unwrap()), "null v @1 a=1");
    }

    fn check(separator: Option<&str>, line: &str, expected: &str) {
        assert_eq!(shown(&Reader::new(false, separator, &[], None).read(line.as_bytes()).unwrap()), expected);
    }

    fn json(line: &str, expected: &str) {
        assert_eq!(shown(&Reader::new(true, None, &[], None).read(line.as_bytes()).unwrap()), expected);
    }

    fn shown(record: &RecordIn<'_>) -> String {
        let text =
            |bytes: Option<&[u8]>| bytes.map_or("null".into(), |it| String::from_utf8(it.to_vec()).unwrap());
        let mut parts = vec![text(record.key.as_deref()), text(record.value.as_deref())];
        parts.extend(record.partition.map(|partition| format!("@{partition}")));
        parts.extend(record.timestamp.map(|timestamp| format!("{timestamp}ms")));
        let header = |(key, value): &HeaderIn<'_>| format!("{}={}", text(Some(key)), text(value.as_deref()));
        parts.extend(record.headers.iter().map(header));
        parts.join(" ")
    }
}
