//! Request and response headers, and which version of them a message wears.
//!
//! - A request's header is v2 (with tags) from the first flexible version of its key, else v1; v0 is gone with Kafka 4.
//! - The client id stays a non-compact string even in v2, and null is legal (Q4): the header must be readable before
//!   anything is known about the client.
//! - A response's header is v1 (with tags) from the first flexible version; except that of ApiVersions, which is v0
//!   always (Q1): a client asks it before it knows what the broker speaks.

use crate::{ApiKey, DecodeError, Decoder, Encoder};

impl ApiKey {
    /// The key with this number.
    pub fn from_code(code: i16) -> Option<ApiKey> {
        // The keys are dense, so that the number is the index.
        let key = ApiKey::ALL.get(usize::try_from(code).ok()?).copied()?;
        (key.code() == code).then_some(key)
    }

    /// The number on the wire.
    pub const fn code(self) -> i16 {
        self as i16
    }

    /// True if this version of the key uses compact lengths and tagged fields.
    pub const fn is_flexible(self, version: i16) -> bool {
        version >= self.flexible_from()
    }

    /// The header version of a request: 1 or 2.
    pub const fn request_header_version(self, version: i16) -> i16 {
        if self.is_flexible(version) { 2 } else { 1 }
    }

    /// The header version of a response: 0 or 1 (Q1).
    pub const fn response_header_version(self, version: i16) -> i16 {
        if self.is_flexible(version) && !matches!(self, ApiKey::ApiVersions) { 1 } else { 0 }
    }
}

/// What stands before the body of every request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestHeader<'a> {
    /// The key as sent; [`RequestHeader::key`] knows if it exists.
    pub api_key: i16,
    /// The version of the body as sent, perhaps one that the key does not have.
    pub api_version: i16,
    /// Returned in the response's header.
    pub correlation_id: i32,
    /// The client's name for itself; null means "" (Q4).
    pub client_id: Option<&'a str>,
}

impl<'a> RequestHeader<'a> {
    /// Reads a header; the decoder then stands at the body. A header with an unknown key is read as v1, for the log.
    pub fn decode(d: &mut Decoder<'a>) -> Result<RequestHeader<'a>, DecodeError> {
        let api_key = d.i16()?;
        let api_version = d.i16()?;
        let correlation_id = d.i32()?;
        let client_id = d.nullable_string(false)?;
        let header = RequestHeader { api_key, api_version, correlation_id, client_id };
        if header.version() >= 2 {
            let is_known =
                header.key().and_then(ApiKey::versions).is_some_and(|known| known.contains(&api_version));
            match d.skip_tags() {
                // What a version beyond the known ones has here is not ours to judge (C1).
                Err(_) if !is_known => {}
                skipped => skipped?,
            }
        }
        Ok(header)
    }

    /// Writes the header, in the version that its key and body version ask for.
    pub fn encode(&self, e: &mut Encoder) {
        e.i16(self.api_key);
        e.i16(self.api_version);
        e.i32(self.correlation_id);
        e.nullable_string(self.client_id, false);
        if self.version() >= 2 {
            e.no_tags();
        }
    }

    /// The key, if it exists.
    pub fn key(&self) -> Option<ApiKey> {
        ApiKey::from_code(self.api_key)
    }

    /// The header's own version.
    fn version(&self) -> i16 {
        self.key().map_or(1, |key| key.request_header_version(self.api_version))
    }
}

/// Writes the header of a response.
pub(crate) fn encode_response_header(e: &mut Encoder, key: ApiKey, version: i16, correlation_id: i32) {
    e.i32(correlation_id);
    if key.response_header_version(version) >= 1 {
        e.no_tags();
    }
}

/// Reads the header of a response to `key` at `version`; gives the correlation id.
pub fn decode_response_header(d: &mut Decoder<'_>, key: ApiKey, version: i16) -> Result<i32, DecodeError> {
    let correlation_id = d.i32()?;
    if key.response_header_version(version) >= 1 {
        d.skip_tags()?;
    }
    Ok(correlation_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_dense_and_known_by_number() {
        for (index, key) in ApiKey::ALL.iter().enumerate() {
            assert_eq!(usize::try_from(key.code()), Ok(index));
            assert_eq!(ApiKey::from_code(key.code()), Some(*key));
        }
        assert_eq!(ApiKey::ALL.len(), 93);
        assert_eq!(ApiKey::from_code(93), None);
        assert_eq!(ApiKey::from_code(-1), None);
    }

    #[test]
    fn q1_the_api_versions_response_header_is_always_v0() {
        for version in 0..=4 {
            assert_eq!(ApiKey::ApiVersions.response_header_version(version), 0);
        }
        assert_eq!(ApiKey::ApiVersions.request_header_version(2), 1);
        assert_eq!(ApiKey::ApiVersions.request_header_version(3), 2);
        assert_eq!(ApiKey::Metadata.response_header_version(8), 0);
        assert_eq!(ApiKey::Metadata.response_header_version(9), 1);
    }

    #[test]
    fn q2_a_newer_api_versions_request_still_has_a_readable_header() {
        let header =
            RequestHeader { api_key: 18, api_version: 99, correlation_id: 7, client_id: Some("new") };
        check(header, b"\0\x12\0\x63\0\0\0\x07\0\x03new\0");
    }

    #[test]
    fn c1_a_newer_version_is_read_whatever_follows_its_header() {
        let mut d = Decoder::new(b"\0\x12\0\x63\0\0\0\x07\xff\xffjunk");
        let header = RequestHeader::decode(&mut d).map(|header| (header.api_key, header.api_version));
        assert_eq!(header, Ok((18, 99)));
    }

    #[test]
    fn q4_the_client_id_is_never_compact() {
        let mut header =
            RequestHeader { api_key: 3, api_version: 8, correlation_id: 1, client_id: Some("me") };
        check(header, b"\0\x03\0\x08\0\0\0\x01\0\x02me");
        header.api_version = 9;
        check(header, b"\0\x03\0\x09\0\0\0\x01\0\x02me\0");
    }

    #[test]
    fn c3_a_null_client_id_is_legal() {
        let header = RequestHeader { api_key: 18, api_version: 3, correlation_id: -1, client_id: None };
        check(header, b"\0\x12\0\x03\xff\xff\xff\xff\xff\xff\0");
    }

    #[test]
    fn an_unknown_key_is_read_as_v1() {
        let header = RequestHeader { api_key: 9999, api_version: 3, correlation_id: 1, client_id: None };
        check(header, b"\x27\x0f\0\x03\0\0\0\x01\xff\xff");
    }

    fn check(header: RequestHeader<'_>, bytes: &[u8]) {
        let mut e = Encoder::new();
        header.encode(&mut e);
        assert_eq!(e.as_slice(), bytes);
        let mut d = Decoder::new(bytes);
        assert_eq!(RequestHeader::decode(&mut d), Ok(header));
        assert_eq!(d.finish(), Ok(()));
    }
}
