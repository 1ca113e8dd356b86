//! Envelope (58), version 0: a request that another broker took in, for the active controller to carry out (KIP-590).
//!
//! Order of checks: this node is the active controller, else NOT_CONTROLLER and the sender looks for the one that is → the
//! request within is one that changes metadata and that clients may make. Its answer comes whole within the answer. Who asks is
//! told as bytes of an address, and nothing hangs on it: there is no authorizer.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use net::ListenerIndex;
use protocol::messages::envelope_request::EnvelopeRequest;
use protocol::messages::envelope_response::EnvelopeResponse;
use protocol::{ApiKey, Decoder, ErrorCode, RequestHeader};

use super::{Api, ServedTo};
use crate::broker::Broker;
use crate::mail::Turn;
use crate::node::Audience;
use crate::request::{ReplyTo, Request};

/// This request's entry.
pub const API: Api = Api::changing(ApiKey::Envelope, 0..=0, on_envelope).to(ServedTo::Peers);

fn on_envelope(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    if !broker.controller().is_active() {
        return refuse(broker, turn, &request, ErrorCode::NotController);
    }
    match open(&request) {
        Ok(inner) => {
            let api = super::find(inner.key).expect("it was found when the envelope was opened");
            (api.handle)(broker, turn, inner);
        }
        Err(error) => refuse(broker, turn, &request, error),
    }
}

/// The request within.
fn open(request: &Request) -> Result<Request, ErrorCode> {
    let ReplyTo::Client(slot) = request.to else { return Err(ErrorCode::InvalidRequest) };
    let asked: EnvelopeRequest<'_> = request.decode().map_err(|_| ErrorCode::InvalidRequest)?;
    // It lies in the frame that it came in: nothing is copied.
    let begin = asked.request_data.as_ptr() as usize - request.frame.as_ptr() as usize;
    let frame = request.frame.slice(begin..begin + asked.request_data.len());
    let mut d = Decoder::new(asked.request_data);
    let header = RequestHeader::decode(&mut d).map_err(|_| ErrorCode::InvalidRequest)?;
    let api = ApiKey::from_code(header.api_key).and_then(|key| super::find_for(key, Audience::Clients));
    let api = api.filter(|api| api.is_controllers).ok_or(ErrorCode::InvalidRequest)?;
    if !api.versions.contains(&header.api_version) {
        return Err(ErrorCode::UnsupportedVersion);
    }
    Ok(Request {
        origin: request.origin,
        to: ReplyTo::Envelope { slot, correlation_id: request.correlation_id },
        key: api.key,
        version: header.api_version,
        correlation_id: header.correlation_id,
        listener: ListenerIndex(0),
        peer: address_of(asked.client_host_address),
        frame,
        body_at: d.position(),
        is_retried: false,
    })
}

fn address_of(bytes: &[u8]) -> SocketAddr {
    let v4 = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    let address = v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from));
    SocketAddr::new(address.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)), 0)
}

fn refuse(broker: &mut Broker, turn: &mut Turn<'_>, request: &Request, error: ErrorCode) {
    let response = EnvelopeResponse { error_code: error.code(), ..Default::default() };
    broker.reply(turn, request, &response);
}
