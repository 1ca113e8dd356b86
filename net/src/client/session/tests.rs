//! Negotiation and answers, with brokers that are old, wrong or hostile.

use protocol::messages::api_versions_response::ApiVersion;
use protocol::messages::heartbeat_request::HeartbeatRequest;
use protocol::messages::heartbeat_response::HeartbeatResponse;
use protocol::messages::metadata_response::MetadataResponse;
use protocol::{Encoder, encode_response};

use super::*;

#[test]
fn a_request_goes_out_in_the_highest_common_version() {
    let mut session = greeted(&[api(12, 0, 3)]);
    let frame = session.ask(&HeartbeatRequest::default(), i16::MAX).unwrap();
    assert_eq!(version_of(&frame), (12, 3));
    let frame = session.ask(&HeartbeatRequest::default(), 1).unwrap();
    assert_eq!(version_of(&frame), (12, 1));
    assert_eq!(session.in_flight(), 2);
}

#[test]
fn q2_an_older_broker_is_greeted_again_in_its_own_version() {
    let mut session = Session::new("test", "a broker".into());
    assert_eq!(version_of(&session.hello()), (18, 4));
    let refusal = said(0, 0, &[api(18, 0, 2)], ErrorCode::UnsupportedVersion.code());
    let Ok(Hello::Again(frame)) = session.on_hello(&refusal) else { panic!("no second hello") };
    assert_eq!(version_of(&frame), (18, 2));
    assert_eq!(session.on_hello(&said(2, 1, &[api(18, 0, 2)], 0)), Ok(Hello::Done));
}

#[test]
fn an_older_broker_that_names_no_versions_is_greeted_in_version_0() {
    let mut session = Session::new("test", "a broker".into());
    session.hello();
    let refusal = said(0, 0, &[], ErrorCode::UnsupportedVersion.code());
    let Ok(Hello::Again(frame)) = session.on_hello(&refusal) else { panic!("no second hello") };
    assert_eq!(version_of(&frame), (18, 0));
    // Refused once more, there is nothing left to try.
    let refusal = said(0, 1, &[], ErrorCode::UnsupportedVersion.code());
    assert_eq!(session.on_hello(&refusal), Err(SessionFault::HelloRefused(35)));
}

#[test]
fn what_a_broker_does_not_serve_is_not_asked() {
    let mut session = greeted(&[]);
    let fault = session.ask(&HeartbeatRequest::default(), i16::MAX).unwrap_err();
    assert_eq!(fault.to_string(), "it does not serve Heartbeat");
    assert_eq!(session.in_flight(), 0);
}

#[test]
fn an_answer_to_another_question_ends_the_session() {
    let mut session = greeted(&[api(12, 0, 4)]);
    session.ask(&HeartbeatRequest::default(), i16::MAX).unwrap();
    let fault = session.on_frame(heartbeat(4, 7)).unwrap_err();
    assert_eq!(fault, SessionFault::WrongCorrelation { wanted: 1, got: 7 });
}

#[test]
fn an_answer_that_nobody_asked_for_ends_the_session() {
    let mut session = greeted(&[api(12, 0, 4)]);
    assert_eq!(session.on_frame(heartbeat(4, 1)).unwrap_err(), SessionFault::NotAsked);
}

#[test]
fn an_answer_is_read_in_the_version_of_its_question() {
    let mut session = greeted(&[api(12, 0, 4)]);
    session.ask(&HeartbeatRequest::default(), 0).unwrap();
    let answer = session.on_frame(heartbeat(0, 1)).unwrap();
    assert_eq!(answer.decode::<HeartbeatResponse>().map(|response| response.error_code), Ok(27));
}

#[test]
fn no_bytes_are_taken_for_an_answer_that_they_are_not() {
    let whole = heartbeat(4, 1);
    for len in 0..whole.len() {
        let mut session = greeted(&[api(12, 0, 4)]);
        session.ask(&HeartbeatRequest::default(), i16::MAX).unwrap();
        let cut = session.on_frame(whole[..len].to_vec());
        assert!(
            cut.is_err_and(|fault| matches!(fault, SessionFault::Decode { .. })) || {
                let mut session = greeted(&[api(12, 0, 4)]);
                session.ask(&HeartbeatRequest::default(), i16::MAX).unwrap();
                let answer = session.on_frame(whole[..len].to_vec()).unwrap();
                answer.decode::<HeartbeatResponse>().is_err()
            }
        );
    }
    let mut session = greeted(&[api(12, 0, 4)]);
    session.ask(&HeartbeatRequest::default(), i16::MAX).unwrap();
    let longer = [&whole[..], b"more"].concat();
    let answer = session.on_frame(longer).unwrap();
    let fault = answer.decode::<HeartbeatResponse>().unwrap_err();
    assert!(matches!(fault, DecodeError::TrailingBytes { .. }), "{fault}");
}

#[test]
fn a_count_beyond_the_bytes_is_refused() {
    let mut session = greeted(&[api(3, 0, 0)]);
    session.ask(&protocol::messages::metadata_request::MetadataRequest::default(), 0).unwrap();
    let answer = session.on_frame(b"\0\0\0\x01\x7f\xff\xff\xff".to_vec()).unwrap();
    assert!(answer.decode::<MetadataResponse>().is_err());
}

#[test]
fn a_hello_of_any_bytes_is_an_error_at_worst() {
    let whole = said(4, 0, &[api(1, 0, 3), api(18, 0, 4)], 0);
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            let mut session = Session::new("test", "a broker".into());
            session.hello();
            let _ = session.on_hello(&bytes);
            let _ = session.on_hello(&bytes[..at]);
        }
    }
}

fn api(api_key: i16, min_version: i16, max_version: i16) -> ApiVersion {
    ApiVersion { api_key, min_version, max_version }
}

fn said(version: i16, correlation_id: i32, apis: &[ApiVersion], error_code: i16) -> Vec<u8> {
    let response = ApiVersionsResponse { error_code, api_keys: apis.to_vec(), ..Default::default() };
    encode_response(ApiKey::ApiVersions, version, correlation_id, &response)[4..].to_vec()
}

fn greeted(apis: &[ApiVersion]) -> Session {
    let mut session = Session::new("test", "a broker".into());
    session.hello();
    assert_eq!(session.on_hello(&said(4, 0, apis, 0)), Ok(Hello::Done));
    session
}

fn heartbeat(version: i16, correlation_id: i32) -> Vec<u8> {
    let response = HeartbeatResponse { error_code: 27, ..Default::default() };
    encode_response(ApiKey::Heartbeat, version, correlation_id, &response)[4..].to_vec()
}

fn version_of(frame: &[u8]) -> (i16, i16) {
    let header = RequestHeader::decode(&mut Decoder::new(&frame[4..])).unwrap();
    let mut e = Encoder::new();
    header.encode(&mut e);
    assert_eq!(e.as_slice(), &frame[4..4 + e.len()]);
    (header.api_key, header.api_version)
}
