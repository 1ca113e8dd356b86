//! Kafka's ids of topics, directories and members: 16 bytes, written as URL-safe base64 without padding.

use std::fmt;
use std::str::FromStr;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Letters that 16 bytes take: 21 full groups of six bits and one of two.
const LETTERS: usize = 22;

/// A 128-bit id, most significant byte first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Uuid(pub [u8; 16]);

impl Uuid {
    /// All bits zero: "no id" wherever Kafka asks for one.
    pub const ZERO: Uuid = Uuid([0; 16]);

    /// Kafka's id of the metadata log's topic.
    pub const METADATA_TOPIC: Uuid = Uuid::from_u128(1);

    /// The id whose bits are `value`.
    pub const fn from_u128(value: u128) -> Uuid {
        Uuid(value.to_be_bytes())
    }

    /// The bits as a number.
    pub const fn as_u128(self) -> u128 {
        u128::from_be_bytes(self.0)
    }

    /// True for [`Uuid::ZERO`].
    pub const fn is_zero(self) -> bool {
        self.as_u128() == 0
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.as_u128();
        for index in 0..LETTERS as u32 {
            // The last letter holds the last two bits, padded with zeros on the right.
            let shift = 122i32 - 6 * index as i32;
            let six = if shift >= 0 { bits >> shift } else { bits << -shift } & 0x3f;
            fmt::Write::write_char(f, char::from(ALPHABET[six as usize]))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not 22 letters of URL-safe base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadUuid;

impl fmt::Display for BadUuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id is 22 letters of URL-safe base64")
    }
}

impl std::error::Error for BadUuid {}

impl FromStr for Uuid {
    type Err = BadUuid;

    /// Reads 22 letters, or 24 with padding, as Kafka's tools accept both.
    fn from_str(text: &str) -> Result<Uuid, BadUuid> {
        let text = text.strip_suffix("==").unwrap_or(text).as_bytes();
        if text.len() != LETTERS {
            return Err(BadUuid);
        }
        let mut bits = 0u128;
        for (index, letter) in text.iter().enumerate() {
            let six = ALPHABET.iter().position(|known| known == letter).ok_or(BadUuid)? as u128;
            bits = if index < LETTERS - 1 { bits << 6 | six } else { bits << 2 | six >> 4 };
        }
        Ok(Uuid::from_u128(bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_url_safe_base64_without_padding() {
        check(Uuid::ZERO, "AAAAAAAAAAAAAAAAAAAAAA");
        check(Uuid::METADATA_TOPIC, "AAAAAAAAAAAAAAAAAAAAAQ");
        check(Uuid([0xff; 16]), "_____________________w");
        check(Uuid(*b"4w\xfb\xe0\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c"), "NHf74AECAwQFBgcICQoLDA");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "AAAA", "AAAAAAAAAAAAAAAAAAAA+A", "AAAAAAAAAAAAAAAAAAAAAAA"] {
            assert_eq!(text.parse::<Uuid>(), Err(BadUuid), "{text}");
        }
    }

    fn check(id: Uuid, text: &str) {
        assert_eq!(id.to_string(), text);
        assert_eq!(text.parse(), Ok(id));
    }
}
