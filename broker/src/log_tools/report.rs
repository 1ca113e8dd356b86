//! What the tools print: one line a thing, for people as `kind name=value …`, or with `--json` one object a line.

use std::io::{self, BufWriter, Stdout, Write};

use storage::inspect::{Fact, Facts};

use crate::cli::json::quoted;
use crate::cli::when::date_of;

/// A line, before it is known how it will look.
#[derive(Debug, Clone)]
pub struct Line {
    kind: &'static str,
    fields: Vec<(&'static str, Field)>,
}

#[derive(Debug, Clone)]
enum Field {
    Number(i128),
    Flag(bool),
    Text(String),
    Pairs(Vec<(String, Option<String>)>),
    Nothing,
}

impl Line {
    /// A line about something of this kind.
    pub fn new(kind: &'static str) -> Line {
        Line { kind, fields: Vec::new() }
    }

    /// Adds a number.
    pub fn number(self, name: &'static str, number: impl Into<i128>) -> Line {
        self.with(name, Field::Number(number.into()))
    }

    /// Adds whether something is so.
    pub fn flag(self, name: &'static str, flag: bool) -> Line {
        self.with(name, Field::Flag(flag))
    }

    /// Adds a text.
    pub fn text(self, name: &'static str, text: impl Into<String>) -> Line {
        self.with(name, Field::Text(text.into()))
    }

    /// Adds a text, or that there is none.
    pub fn maybe(self, name: &'static str, text: Option<String>) -> Line {
        self.with(name, text.map_or(Field::Nothing, Field::Text))
    }

    /// Adds pairs of texts.
    pub fn pairs(self, name: &'static str, pairs: Vec<(String, Option<String>)>) -> Line {
        self.with(name, Field::Pairs(pairs))
    }

    /// Adds a moment, given in ms since 1970: as it is in JSON, as a date for people.
    pub fn moment(self, name: &'static str, ms: i64) -> Line {
        self.text(name, date_of(ms))
    }

    /// Adds what a file says.
    pub fn facts(self, facts: Facts) -> Line {
        facts.into_iter().fold(self, |line, (name, fact)| match fact {
            Fact::Number(number) => line.with(name, Field::Number(number)),
            Fact::Flag(flag) => line.flag(name, flag),
            Fact::Text(text) => line.text(name, text),
        })
    }

    fn with(mut self, name: &'static str, field: Field) -> Line {
        self.fields.push((name, field));
        self
    }

    fn as_text(&self) -> String {
        let mut text = self.kind.to_owned();
        for (name, field) in &self.fields {
            let value = match field {
                Field::Number(number) => number.to_string(),
                Field::Flag(flag) => flag.to_string(),
                Field::Text(text) => quoted_if_needed(text),
                Field::Nothing => "null".to_owned(),
                Field::Pairs(pairs) => {
                    let pair = |(key, value): &(String, Option<String>)| {
                        let value = value.as_deref().map_or("null".to_owned(), quoted_if_needed);
                        format!("{}={value}", quoted_if_needed(key))
                    };
                    format!("[{}]", pairs.iter().map(pair).collect::<Vec<_>>().join(" "))
                }
            };
            text.push_str(&format!(" {name}={value}"));
        }
        text
    }

    fn as_json(&self) -> String {
        let mut json = format!("{{\"kind\":{}", quoted(self.kind));
        for (name, field) in &self.fields {
            let value = match field {
                Field::Number(number) => number.to_string(),
                Field::Flag(flag) => flag.to_string(),
                Field::Text(text) => quoted(text),
                Field::Nothing => "null".to_owned(),
                Field::Pairs(pairs) => {
                    let pair = |(key, value): &(String, Option<String>)| {
                        let value = value.as_deref().map_or("null".to_owned(), quoted);
                        format!("{{\"key\":{},\"value\":{value}}}", quoted(key))
                    };
                    format!("[{}]", pairs.iter().map(pair).collect::<Vec<_>>().join(","))
                }
            };
            json.push_str(&format!(",{}:{value}", quoted(name)));
        }
        json.push('}');
        json
    }
}

/// Where lines go.
pub struct Report {
    out: BufWriter<Stdout>,
    is_json: bool,
}

impl Report {
    /// Prints to standard output.
    pub fn new(is_json: bool) -> Report {
        Report { out: BufWriter::new(io::stdout()), is_json }
    }

    /// Prints a line.
    pub fn put(&mut self, line: &Line) -> io::Result<()> {
        let text = if self.is_json { line.as_json() } else { line.as_text() };
        self.out.write_all(text.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// Makes sure that all of it is out.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn quoted_if_needed(text: &str) -> String {
    let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() && c != '"' && c != '\\');
    if is_plain { text.to_owned() } else { quoted(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_text_for_people_and_an_object_for_programs() {
        let line = Line::new("batch")
            .number("offset", 7)
            .flag("control", false)
            .text("why", "two \"words\"\n")
            .maybe("key", None)
            .pairs("headers", vec![("a".into(), Some("b c".into())), ("d".into(), None)]);
        assert_eq!(
            line.as_text(),
            r#"batch offset=7 control=false why="two \"words\"\n" key=null headers=[a="b c" d=null]"#
        );
        assert_eq!(
            line.as_json(),
            r#"{"kind":"batch","offset":7,"control":false,"why":"two \"words\"\n","key":null,"headers":[{"key":"a","value":"b c"},{"key":"d","value":null}]}"#
        );
    }
}
