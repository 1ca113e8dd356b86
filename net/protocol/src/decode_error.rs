//! Why a frame could not be read, and at which byte. The session logs it and closes the connection, as Kafka does (Q3).

use std::fmt;

/// What is wrong with a frame; `at` is the offset in the frame, in bytes, of the value at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeError {
    /// The frame ends before the value does, or a length or count claims more than is left.
    Truncated {
        /// Offset in the frame, bytes.
        at: u32,
    },
    /// A length below -1.
    NegativeLength {
        /// Offset in the frame, bytes.
        at: u32,
    },
    /// A varint of too many bytes or bits.
    BadVarint {
        /// Offset in the frame, bytes.
        at: u32,
    },
    /// A string that is not UTF-8.
    BadUtf8 {
        /// Offset in the frame, bytes.
        at: u32,
    },
    /// Null where this version allows none.
    UnexpectedNull {
        /// Offset in the frame, bytes.
        at: u32,
    },
    /// A tagged field whose content is shorter or longer than its claimed size.
    BadTagSize {
        /// Offset in the frame, bytes.
        at: u32,
    },
    /// The lists of the frame would take more memory than its size justifies.
    TooLarge {
        /// Offset in the frame, bytes.
        at: u32,
    },
    /// Bytes after the end of the message.
    TrailingBytes {
        /// Offset in the frame, bytes.
        at: u32,
    },
    /// A version that the message does not have.
    UnsupportedVersion {
        /// The version asked for.
        version: i16,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, at) = match *self {
            DecodeError::Truncated { at } => ("the frame is too short for the value", at),
            DecodeError::NegativeLength { at } => ("negative length", at),
            DecodeError::BadVarint { at } => ("varint too long", at),
            DecodeError::BadUtf8 { at } => ("string is not UTF-8", at),
            DecodeError::UnexpectedNull { at } => ("null where none is allowed", at),
            DecodeError::BadTagSize { at } => ("tagged field does not fill its size", at),
            DecodeError::TooLarge { at } => ("lists too large for the frame", at),
            DecodeError::TrailingBytes { at } => ("bytes after the end of the message", at),
            DecodeError::UnsupportedVersion { version } => {
                return write!(f, "the message has no version {version}");
            }
        };
        write!(f, "{what} at byte {at}")
    }
}

impl std::error::Error for DecodeError {}
