//! Base64 (RFC 4648, the standard alphabet with padding): how JSON carries bytes that are no text.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes as text.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for index in 0..4 {
            if index <= group.len() {
                let six = bits >> (18 - 6 * index) & 0x3f;
                text.push(char::from(ALPHABET[six as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

/// The bytes that a text stands for; `None` if it is no base64.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take(2).take_while(|letter| **letter == b'=').count();
    let letters = &text[..text.len() - padding];
    let mut bytes = Vec::with_capacity(letters.len() * 3 / 4);
    for group in letters.chunks(4) {
        let mut bits = 0u32;
        for letter in group {
            bits = bits << 6 | ALPHABET.iter().position(|known| known == letter)? as u32;
        }
        bits <<= 6 * (4 - group.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
        // Bits that stand for nothing are zero, so that there is one text for each value.
        if bits & 0xff_ffff >> (8 * (group.len() - 1)) != 0 {
            return None;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_back_as_they_were() {
        check(b"", "");
        check(b"f", "Zg==");
        check(b"fo", "Zm8=");
        check(b"foo", "Zm9v");
        check(b"foobar", "Zm9vYmFy");
        check(&[0xff, 0xfe, 0xfd, 0xfc], "//79/A==");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["Z", "Zg", "Zg=", "Z===", "====", "Zh==", "Zg==Zg==", "Zm9v\n", "Zm9-"] {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }

    fn check(bytes: &[u8], text: &str) {
        assert_eq!(encode(bytes), text);
        assert_eq!(decode(text).as_deref(), Some(bytes));
    }
}
