//! Tables for people: columns as wide as what is in them, numbers to the right, two spaces between.

/// Rows below a head.
#[derive(Debug, Clone)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(head: &[&str]) -> Table {
        Table { head: head.iter().map(|title| (*title).to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row of as many cells as the head has. Cells may come from anybody's client.
    pub fn push<const N: usize>(&mut self, cells: [String; N]) {
        assert_eq!(N, self.head.len(), "a row has a cell for every title");
        self.rows.push(cells.iter().map(|cell| printable(cell)).collect());
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The lines, each after `indent`, none with blanks at its end.
    pub fn text(&self, indent: &str) -> String {
        let mut text = String::new();
        let columns: Vec<Column> = (0..self.head.len()).map(|index| self.column(index)).collect();
        for row in std::iter::once(&self.head).chain(&self.rows) {
            let mut line = indent.to_owned();
            for (cell, column) in row.iter().zip(&columns) {
                let blanks = " ".repeat(column.width - width_of(cell));
                match column.is_numeric {
                    true => line.extend([blanks.as_str(), cell, "  "]),
                    false => line.extend([cell, blanks.as_str(), "  "]),
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn column(&self, index: usize) -> Column {
        let cells = || self.rows.iter().map(|row| row[index].as_str());
        let width = cells().chain([self.head[index].as_str()]).map(width_of).max().unwrap_or(0);
        let is_numeric = cells().any(is_number) && cells().all(|cell| cell == "-" || is_number(cell));
        Column { width, is_numeric }
    }
}

/// A text that does nothing to a terminal but be shown: control characters are written as what they are.
pub fn printable(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

struct Column {
    width: usize,
    is_numeric: bool,
}

fn width_of(cell: &str) -> usize {
    cell.chars().count()
}

/// A number, perhaps with a sign and a unit: "12", "-3", "1.5 MiB".
fn is_number(cell: &str) -> bool {
    let (number, unit) = cell.split_once(' ').unwrap_or((cell, ""));
    let digits = number.strip_prefix(['-', '+']).unwrap_or(number);
    let is_digits = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    digits.bytes().next().is_some_and(|byte| byte.is_ascii_digit()) && is_digits && UNITS.contains(&unit)
}

/// What may follow a number.
const UNITS: [&str; 10] = ["", "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "s", "ms"];

/// A size for people.
pub fn size_text(bytes: i64) -> String {
    let mut size = bytes as f64;
    let mut unit = 1;
    while size.abs() >= 1024.0 && unit < 7 {
        size /= 1024.0;
        unit += 1;
    }
    match unit {
        1 => format!("{bytes} B"),
        _ => format!("{size:.1} {}", UNITS[unit]),
    }
}

/// What is there, or a dash.
pub fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}

/// Numbers with commas between them, or a dash.
pub fn numbers(values: &[i32]) -> String {
    match values {
        [] => "-".to_owned(),
        _ => values.iter().map(i32::to_string).collect::<Vec<_>>().join(","),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_and_words_to_the_left() {
        let mut table = Table::new(&["NAME", "COUNT", "SIZE"]);
        table.push(["a".into(), "5".into(), "1.5 MiB".into()]);
        table.push(["longer".into(), "12345".into(), "-".into()]);
        table.push(["größe".into(), "-1".into(), "100 B".into()]);
        let lines = [
            "NAME    COUNT     SIZE",
            "a           5  1.5 MiB",
            "longer  12345        -",
            "größe      -1    100 B",
        ];
        assert_eq!(table.text("").lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn no_line_ends_with_blanks() {
        let mut table = Table::new(&["A", "B"]);
        table.push(["x".into(), String::new()]);
        table.push(["y".into(), "words of any length".into()]);
        assert!(table.text("  ").lines().all(|line| line.starts_with("  ") && !line.ends_with(' ')));
    }

    #[test]
    fn what_another_client_says_does_nothing_to_the_terminal() {
        let mut table = Table::new(&["REASON"]);
        table.push(["\u{1b}]0;mine\u{7}\n\u{9b}2J gone é".into()]);
        assert_eq!(table.text("").lines().nth(1), Some("\\u{1b}]0;mine\\u{7}\\n\\u{9b}2J gone é"));
    }

    #[test]
    fn sizes_are_for_people() {
        for (bytes, text) in
            [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_572_864, "1.5 MiB"), (i64::MAX, "8.0 EiB")]
        {
            assert_eq!(size_text(bytes), text);
        }
    }

    #[test]
    fn a_word_among_numbers_makes_a_column_of_words() {
        for (cell, expected) in [
            ("1", true),
            ("-1", true),
            ("+1", true),
            ("2.5 s", true),
            ("1,2", false),
            ("-", false),
            ("1st", false),
            ("", false),
        ] {
            assert_eq!(is_number(cell), expected, "{cell}");
        }
    }
}
