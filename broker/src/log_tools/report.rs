//! What the tools print: one line a thing, for people as `kind name=value …`, or with `--json` one object a line.

use std::io::{self, BufWriter, Stdout, Write};

use storage::inspect::{Fact, Facts};

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

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

const DAY_MS: i64 = 24 * 3600 * 1000;

/// The last moment whose year has four digits, ms since 1970.
const DATE_MS_MAX: i64 = 253_402_300_799_999;

/// A moment in ms since 1970 as a date (UTC, RFC 3339); as the number where no calendar has it.
pub fn date_of(ms: i64) -> String {
    if !(0..=DATE_MS_MAX).contains(&ms) {
        return ms.to_string();
    }
    let (days, within) = (ms / DAY_MS, ms % DAY_MS);
    // The calendar repeats every 400 years; counted from 1 March, leap days come last in their year.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let (hour, minute, second) = (within / 3_600_000, within / 60_000 % 60, within / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", within % 1000)
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

    #[test]
    fn moments_are_dates_where_a_calendar_has_them() {
        for (ms, date) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_796_029_474_123, "2026-11-30T09:04:34.123Z"),
            (DATE_MS_MAX, "9999-12-31T23:59:59.999Z"),
            (DATE_MS_MAX + 1, "253402300800000"),
            (-1, "-1"),
            (i64::MIN, "-9223372036854775808"),
        ] {
            assert_eq!(date_of(ms), date);
        }
    }
}
