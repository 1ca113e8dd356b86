//! Reads the text of a `.properties` file: the format of Kafka's `server.properties`.
//!
//! The rules are those of `java.util.Properties`, so that a file that Kafka reads is read alike here:
//! - a line whose first visible character is `#` or `!` is a comment;
//! - the key ends at the first `=`, `:` or white space that no backslash precedes; white space around it
//!   goes;
//! - a backslash at the end of a line joins the next one, whose indentation goes;
//! - `\t`, `\n`, `\r`, `\f` and `\uXXXX` are escapes, and any other escaped character stands for itself.
//!
//! What is stricter than Java: an empty key is an error, for it is always a slip. Meaning is not known
//! here; that a key is valid or set twice is for the settings themselves to say.

use std::fmt;

/// One `key=value` and the line it starts on, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    pub key: String,
    pub value: String,
    pub line: usize,
}

/// Why a file is not a properties file, and on which line, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertiesError {
    pub line: usize,
    pub reason: &'static str,
}

impl fmt::Display for PropertiesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for PropertiesError {}

/// All properties of `text`, in its order, duplicates included.
pub fn parse(text: &str) -> Result<Vec<Property>, PropertiesError> {
    let mut properties = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, first)) = lines.next() {
        let line = index + 1;
        let first = first.trim_start_matches(is_blank);
        if first.is_empty() || first.starts_with(['#', '!']) {
            continue;
        }
        let mut logical = first.to_string();
        while ends_with_open_escape(&logical) {
            logical.pop();
            // Java lets a file end in a joining backslash; the line simply ends there.
            let Some((_, next)) = lines.next() else { break };
            logical.push_str(next.trim_start_matches(is_blank));
        }
        properties.push(parse_logical(&logical, line)?);
    }
    Ok(properties)
}

fn parse_logical(logical: &str, line: usize) -> Result<Property, PropertiesError> {
    let key_end = end_of_key(logical);
    let rest = logical[key_end..].trim_start_matches(is_blank);
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start_matches(is_blank);
    let unescaped = |text| unescape(text).map_err(|reason| PropertiesError { line, reason });
    let key = unescaped(&logical[..key_end])?;
    if key.is_empty() {
        return Err(PropertiesError { line, reason: "no key before the separator" });
    }
    Ok(Property { key, value: unescaped(value)?, line })
}

/// Where the key ends, in bytes: at the first separator that is not escaped.
fn end_of_key(logical: &str) -> usize {
    let mut escaped = false;
    for (at, c) in logical.char_indices() {
        if !escaped && (c == '=' || c == ':' || is_blank(c)) {
            return at;
        }
        escaped = c == '\\' && !escaped;
    }
    logical.len()
}

/// Whether the last backslash is itself not escaped, hence joins the next line.
fn ends_with_open_escape(line: &str) -> bool {
    line.chars().rev().take_while(|&c| c == '\\').count() % 2 == 1
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\x0c' | '\r')
}

fn unescape(text: &str) -> Result<String, &'static str> {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            None => {}
            Some('t') => plain.push('\t'),
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('f') => plain.push('\x0c'),
            Some('u') => plain.push(unicode_escape(&mut chars)?),
            Some(other) => plain.push(other),
        }
    }
    Ok(plain)
}

/// Java writes a character beyond the 16-bit plane as two escapes, a surrogate pair.
fn unicode_escape(chars: &mut std::str::Chars<'_>) -> Result<char, &'static str> {
    let high = four_hex_digits(chars)?;
    if !(0xd800..0xdc00).contains(&high) {
        return char::from_u32(high).ok_or("\\u escape is half of a surrogate pair");
    }
    if chars.next() != Some('\\') || chars.next() != Some('u') {
        return Err("\\u escape is half of a surrogate pair");
    }
    let low = four_hex_digits(chars)?;
    char::decode_utf16([high as u16, low as u16])
        .next()
        .and_then(Result::ok)
        .ok_or("\\u escape is half of a surrogate pair")
}

fn four_hex_digits(chars: &mut std::str::Chars<'_>) -> Result<u32, &'static str> {
    let mut code = 0;
    for _ in 0..4 {
        let digit = chars.next().and_then(|c| c.to_digit(16)).ok_or("\\u needs four hexadecimal digits")?;
        code = code * 16 + digit;
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_ends_at_the_first_separator() {
        check("a=b", &[("a", "b")]);
        check("a:b", &[("a", "b")]);
        check("a b", &[("a", "b")]);
        check("a  =  b c ", &[("a", "b c ")]);
        check("a==b", &[("a", "=b")]);
        check("a = :b", &[("a", ":b")]);
        check("listeners=PLAINTEXT://:9092", &[("listeners", "PLAINTEXT://:9092")]);
        check("alone", &[("alone", "")]);
        check("empty=", &[("empty", "")]);
        check("a=1\r\nb=2\r\n", &[("a", "1"), ("b", "2")]);
    }

    #[test]
    fn comments_and_blank_lines_go() {
        check("# a=b\n  ! c=d\n\n \t\ne=f", &[("e", "f")]);
        check("a=b # not a comment", &[("a", "b # not a comment")]);
        check("# joined \\\na=b", &[("a", "b")]);
    }

    #[test]
    fn a_backslash_joins_lines() {
        check("a=1,\\\n   2,\\\n\t3", &[("a", "1,2,3")]);
        check("a=1\\\\\nb=2", &[("a", "1\\"), ("b", "2")]);
        check("a=1\\", &[("a", "1")]);
        check("a=1\\\n# kept", &[("a", "1# kept")]);
    }

    #[test]
    fn escapes_stand_for_characters() {
        check(r"a=\t\n\r\f", &[("a", "\t\n\r\x0c")]);
        check(r"a\=b=c", &[("a=b", "c")]);
        check(r"a\ b c", &[("a b", "c")]);
        check(r"a=\u00e9\u20AC", &[("a", "é€")]);
        check(r"a=\ud83d\ude00", &[("a", "😀")]);
        check(r"a=C:\\data\q", &[("a", r"C:\dataq")]);
    }

    #[test]
    fn faults_name_their_line() {
        check_fault("a=b\n=c", 2);
        check_fault("a=b\n\nc=\\u12", 3);
        check_fault("a=\\\n\\\nb\nc=\\ud83d", 4);
        check_fault(r"a=\ude00", 1);
        check_fault(r"a=\ud83d\u0041", 1);
    }

    #[test]
    fn a_property_knows_the_line_it_starts_on() {
        let lines: Vec<_> = parse("# x\na=1,\\\n 2\nb=3").unwrap().into_iter().map(|p| p.line).collect();
        assert_eq!(lines, [2, 4]);
    }

    fn check(text: &str, expected: &[(&str, &str)]) {
        let parsed = parse(text).unwrap();
        let pairs: Vec<_> = parsed.iter().map(|p| (p.key.as_str(), p.value.as_str())).collect();
        assert_eq!(pairs, expected, "{text:?}");
    }

    fn check_fault(text: &str, line: usize) {
        assert_eq!(parse(text).unwrap_err().line, line, "{text:?}");
    }
}
