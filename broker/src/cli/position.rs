//! A place in a log as people write it: `earliest`, `latest`, `offset:5` or a time.

use super::when::{now_ms, parse_moment};

/// A place in each log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// The first record that is there.
    Earliest,
    /// The end.
    Latest,
    /// This offset.
    Offset(i64),
    /// The first record at or after this moment, ms since 1970.
    Time(i64),
}

impl Position {
    /// Reads where to begin.
    pub fn parse(text: &str) -> Result<Position, String> {
        Position::read(text, now_ms())
    }

    /// Reads where to end, where `end` is another word for `latest`, and `earliest` makes no sense.
    pub fn parse_end(text: &str) -> Result<Position, String> {
        match Position::read(if text == "end" { "latest" } else { text }, now_ms())? {
            Position::Earliest => Err("nothing lies before the earliest record".to_owned()),
            position => Ok(position),
        }
    }

    fn read(text: &str, now_ms: i64) -> Result<Position, String> {
        match text.trim() {
            "earliest" | "beginning" => return Ok(Position::Earliest),
            "latest" => return Ok(Position::Latest),
            _ => {}
        }
        if let Some(number) = argument_of(text, "offset") {
            let offset = number.parse::<i64>().ok().filter(|offset| *offset >= 0);
            return offset.map(Position::Offset).ok_or_else(|| format!("{number:?} is no offset"));
        }
        if let Some(ms) = argument_of(text, "time")
            && let Ok(ms) = ms.parse()
        {
            return Ok(Position::Time(ms));
        }
        parse_moment(argument_of(text, "time").unwrap_or(text), now_ms).map(Position::Time)
    }
}

/// What follows a word, as `offset:5`, `offset=5` or `offset 5`.
pub fn argument_of<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.trim().strip_prefix(word)?;
    rest.strip_prefix([':', '=', ' ']).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_796_047_500_000;

    #[test]
    fn places_are_read_as_people_write_them() {
        check("earliest", Some(Position::Earliest));
        check("beginning", Some(Position::Earliest));
        check("latest", Some(Position::Latest));
        check("offset:5", Some(Position::Offset(5)));
        check("offset=5", Some(Position::Offset(5)));
        check("offset 5", Some(Position::Offset(5)));
        check("-1h", Some(Position::Time(NOW - 3_600_000)));
        check("1h ago", Some(Position::Time(NOW - 3_600_000)));
        check("time:1970-01-02", Some(Position::Time(86_400_000)));
        check("time:5", Some(Position::Time(5)));
        check("1796047500000", Some(Position::Time(NOW)));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "first", "5", "offset", "offset:", "offset:-1", "offset:x", "offset5", "time:x", "1h"]
        {
            check(text, None);
        }
    }

    fn check(text: &str, expected: Option<Position>) {
        assert_eq!(Position::read(text, NOW).ok(), expected, "{text:?}");
    }
}
