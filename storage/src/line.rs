//! The small files of one line that a log's directory holds: a version, numbers, and a CRC-32C of all that stands before.
//!
//! ```text
//! 1 4711 3735928559
//! │ │    └ CRC-32C of "1 4711"
//! │ └ fields
//! └ version
//! ```
//! The version is looked at first, for a newer one may have another shape behind it.

use crate::error::Cause;

/// The only version of each of these files.
const VERSION: &str = "1";

/// More bytes than any such file has.
pub(crate) const LEN_MAX: u64 = 256;

/// The file's content for these fields.
pub(crate) fn encode(fields: &str) -> String {
    let line = format!("{VERSION} {fields}");
    format!("{line} {}\n", crc32c::crc32c(line.as_bytes()))
}

/// The fields of a whole file.
pub(crate) fn decode(bytes: &[u8]) -> Result<std::str::Split<'_, char>, Cause> {
    let text = std::str::from_utf8(bytes).map_err(|_| Cause::Corrupt)?;
    match text.split_once(' ') {
        Some((VERSION, _)) => {}
        Some((version, _)) if version.parse::<u32>().is_ok() => return Err(Cause::UnknownVersion),
        _ => return Err(Cause::Corrupt),
    }
    let fields = text.strip_suffix('\n').and_then(|line| line.rsplit_once(' '));
    let (line, crc) = fields.ok_or(Cause::Corrupt)?;
    if crc.parse() != Ok(crc32c::crc32c(line.as_bytes())) {
        return Err(Cause::Corrupt);
    }
    let mut fields = line.split(' ');
    fields.next();
    Ok(fields)
}

/// The next field as a number.
pub(crate) fn number<T: std::str::FromStr>(fields: &mut std::str::Split<'_, char>) -> Result<T, Cause> {
    fields.next().and_then(|field| field.parse().ok()).ok_or(Cause::Corrupt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_as_written_and_only_so() {
        assert_eq!(encode("170"), "1 170 11230977\n");
        let first = |bytes: &[u8]| decode(bytes).and_then(|mut fields| number::<i64>(&mut fields));
        assert_eq!(first(encode("170").as_bytes()), Ok(170));
        assert_eq!(first(b"2 170 1 2 3\n"), Err(Cause::UnknownVersion));
        for broken in ["", "1", "1 170\n", "1 171 11230977\n", "1 170 11230977", "x 1 2\n", "\0\0\0\0"] {
            assert_eq!(first(broken.as_bytes()), Err(Cause::Corrupt), "{broken:?}");
        }
    }
}
