//! Which version of each request a broker and we both know.

use std::fmt;
use std::ops::RangeInclusive;

use protocol::messages::api_versions_response::ApiVersionsResponse;
use protocol::{ApiKey, controller_message};

/// What a broker said about its requests; what it did not say it does not serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    /// By the key's number, which is its index; behind Kafka's keys stands our own.
    theirs: Vec<Option<RangeInclusive<i16>>>,
}

/// Why a request cannot be made of a broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionFault {
    /// The broker does not serve this request.
    NotServed {
        /// The request.
        key: ApiKey,
    },
    /// The broker serves other versions than we speak.
    NoneInCommon {
        /// The request.
        key: ApiKey,
        /// What the broker serves.
        theirs: RangeInclusive<i16>,
        /// What we speak.
        ours: RangeInclusive<i16>,
    },
}

impl fmt::Display for VersionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VersionFault::NotServed { key } => write!(f, "it does not serve {key:?}"),
            VersionFault::NoneInCommon { key, theirs, ours } => write!(
                f,
                "it serves {key:?} in versions {} to {}, and this program speaks {} to {}",
                theirs.start(),
                theirs.end(),
                ours.start(),
                ours.end()
            ),
        }
    }
}

impl Versions {
    /// What the answer to ApiVersions says. Keys that we do not know are left out.
    pub fn of(response: &ApiVersionsResponse<'_>) -> Versions {
        let mut theirs = vec![None; ApiKey::ALL.len() + 1];
        for api in &response.api_keys {
            let place = place_of(api.api_key).map(|index| &mut theirs[index]);
            if let (Some(place), true) = (place, api.min_version <= api.max_version) {
                *place = Some(api.min_version..=api.max_version);
            }
        }
        Versions { theirs }
    }

    /// What the broker serves of `key`.
    pub fn served(&self, key: ApiKey) -> Option<&RangeInclusive<i16>> {
        self.served_code(key.code())
    }

    /// The same by the key's number, which may be [`controller_message::KEY`].
    pub fn served_code(&self, code: i16) -> Option<&RangeInclusive<i16>> {
        self.theirs[place_of(code)?].as_ref()
    }

    /// The highest version of `key` that the broker serves, that is in `ours`, and that is not above `highest`.
    pub fn choose(&self, key: ApiKey, ours: RangeInclusive<i16>, highest: i16) -> Result<i16, VersionFault> {
        let theirs = self.served(key).ok_or(VersionFault::NotServed { key })?;
        let version = (*theirs.end()).min(*ours.end()).min(highest);
        if version < *theirs.start() || version < *ours.start() {
            return Err(VersionFault::NoneInCommon { key, theirs: theirs.clone(), ours });
        }
        Ok(version)
    }
}

fn place_of(code: i16) -> Option<usize> {
    match usize::try_from(code) {
        Ok(index) if index < ApiKey::ALL.len() => Some(index),
        _ if code == controller_message::KEY => Some(ApiKey::ALL.len()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use protocol::messages::api_versions_response::ApiVersion;

    use super::*;

    #[test]
    fn the_highest_common_version_is_chosen() {
        check((4, 18), 4..=18, i16::MAX, Some(18));
        check((4, 16), 4..=18, i16::MAX, Some(16));
        check((0, 99), 4..=18, i16::MAX, Some(18));
        check((4, 18), 4..=18, 12, Some(12));
    }

    #[test]
    fn without_a_common_version_there_is_none() {
        check((0, 3), 4..=18, i16::MAX, None);
        check((19, 20), 4..=18, i16::MAX, None);
        check((13, 18), 4..=18, 12, None);
    }

    #[test]
    fn a_range_upside_down_and_an_unknown_key_count_for_nothing() {
        check((5, 4), 4..=18, i16::MAX, None);
        for api_key in [-1, i16::MIN, 93, i16::MAX] {
            let versions = said(&[ApiVersion { api_key, min_version: 0, max_version: 9 }]);
            assert!(ApiKey::ALL.iter().all(|key| versions.served(*key).is_none()));
        }
    }

    #[test]
    fn what_is_not_said_is_not_served() {
        let fault = said(&[]).choose(ApiKey::Fetch, 4..=18, i16::MAX);
        assert_eq!(fault, Err(VersionFault::NotServed { key: ApiKey::Fetch }));
    }

    fn check(theirs: (i16, i16), ours: RangeInclusive<i16>, highest: i16, expected: Option<i16>) {
        let versions = said(&[ApiVersion { api_key: 1, min_version: theirs.0, max_version: theirs.1 }]);
        assert_eq!(versions.choose(ApiKey::Fetch, ours, highest).ok(), expected);
    }

    fn said(apis: &[ApiVersion]) -> Versions {
        Versions::of(&ApiVersionsResponse { api_keys: apis.to_vec(), ..Default::default() })
    }
}
