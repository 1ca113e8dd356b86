//! ApiVersions (18), versions 0–4: what is served here, and which features are on.
//!
//! - Clients and other nodes are told what the listener serves that they came in by.
//! - The response's header is always version 0 (Q1).
//! - A version that is not known is answered in version 0 with UNSUPPORTED_VERSION and this key alone, its body unread;
//!   the client asks again with a version from it (Q2, C1).
//! - From version 3 the client names its software; a name of other than letters, digits, '-' and '.' is refused (Q7, C3).
//! - Versions below 4 leave features out whose lowest level is 0 (Q9).

use protocol::messages::api_versions_request::ApiVersionsRequest;
use protocol::messages::api_versions_response::{
    ApiVersion, ApiVersionsResponse, FinalizedFeatureKey, SupportedFeatureKey,
};
use protocol::{ApiKey, ErrorCode, controller_message};

use super::{Api, ServedTo};
use crate::broker::Broker;
use crate::mail::Turn;
use crate::metadata::features::SUPPORTED;
use crate::node::Audience;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::local(ApiKey::ApiVersions, 0..=4, on_api_versions).to(ServedTo::All);

fn on_api_versions(broker: &mut Broker, turn: &mut Turn<'_>, mut request: Request) {
    if !API.versions.contains(&request.version) {
        request.version = 0;
        let own = vec![entry(&API)];
        let error_code = ErrorCode::UnsupportedVersion.code();
        return broker.reply(
            turn,
            &request,
            &ApiVersionsResponse { error_code, api_keys: own, ..Default::default() },
        );
    }
    let asked: ApiVersionsRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let is_named =
        is_software_word(asked.client_software_name) && is_software_word(asked.client_software_version);
    if request.version >= 3 && !is_named {
        let error_code = ErrorCode::InvalidRequest.code();
        return broker.reply(turn, &request, &ApiVersionsResponse { error_code, ..Default::default() });
    }
    let image = broker.image.clone();
    let finalized = image.features.iter().map(|(name, &level)| FinalizedFeatureKey {
        name,
        min_version_level: level,
        max_version_level: level,
        ..Default::default()
    });
    let response = ApiVersionsResponse {
        api_keys: served_to(broker.node.audience(request.listener)),
        supported_features: supported_features(request.version),
        finalized_features_epoch: image.version,
        finalized_features: finalized.collect(),
        ..Default::default()
    };
    broker.reply(turn, &request, &response);
}

/// From version 4 a feature may be off altogether, which older clients cannot read (Q9).
fn supported_features(version: i16) -> Vec<SupportedFeatureKey<'static>> {
    let readable = SUPPORTED.into_iter().filter(|&(_, min_version, _)| version >= 4 || min_version > 0);
    readable
        .map(|(name, min_version, max_version)| SupportedFeatureKey {
            name,
            min_version,
            max_version,
            ..Default::default()
        })
        .collect()
}

fn served_to(audience: Audience) -> Vec<ApiVersion> {
    let served = super::ALL.iter().filter(|api| api.served_to.includes(audience)).map(entry);
    let own = ApiVersion {
        api_key: controller_message::KEY,
        min_version: *controller_message::VERSIONS.start(),
        max_version: *controller_message::VERSIONS.end(),
    };
    served.chain((audience == Audience::Peers).then_some(own)).collect()
}

fn entry(api: &Api) -> ApiVersion {
    ApiVersion {
        api_key: api.key.code(),
        min_version: api.advertised_from,
        max_version: *api.versions.end(),
        ..Default::default()
    }
}

/// Letters and digits, with '-' and '.' between them.
fn is_software_word(word: &str) -> bool {
    let is_edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = word.as_bytes();
    is_edge(bytes.first())
        && is_edge(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q7_software_names_are_words() {
        for (word, expected) in [
            ("librdkafka", true),
            ("apache-kafka-java", true),
            ("4.3.1", true),
            ("", false),
            ("-a", false),
            ("a b", false),
        ] {
            assert_eq!(is_software_word(word), expected, "{word}");
        }
    }
}
