//! Bytes of records as a line can show them: what can be read as it is, all else escaped, the rest only counted.

/// So many bytes of a key or a value are shown.
const SHOWN_LEN_MAX: usize = 120;

/// The beginning of `bytes`.
pub fn excerpt(bytes: &[u8]) -> String {
    let shown = bytes.get(..SHOWN_LEN_MAX).unwrap_or(bytes);
    let mut text = String::new();
    // A character that the cut went through is shown as its bytes.
    for chunk in shown.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push_char(&mut text, c));
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    if shown.len() < bytes.len() {
        text.push_str(&format!("… ({} bytes)", bytes.len()));
    }
    text
}

fn push_char(text: &mut String, c: char) {
    if c.is_control() {
        let mut bytes = [0; 4];
        for byte in c.encode_utf8(&mut bytes).bytes() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    } else {
        text.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_escaped_and_what_is_long_is_cut() {
        assert_eq!(excerpt(b"key-7"), "key-7");
        assert_eq!(excerpt("gr\u{fc}n".as_bytes()), "gr\u{fc}n");
        assert_eq!(excerpt(b"a\0b\xff\n"), "a\\x00b\\xff\\x0a");
        assert_eq!(excerpt(&[b'x'; 200]), format!("{}… (200 bytes)", "x".repeat(120)));
    }
}
