//! DescribeAcls (29), CreateAcls (30) and DeleteAcls (31), versions 1–3 each: there is no authorizer, and each says so.
//!
//! Kafka without an authorizer answers the same: SECURITY_DISABLED, for the whole request or for each of its parts (Q106).

use protocol::messages::create_acls_request::CreateAclsRequest;
use protocol::messages::create_acls_response::{AclCreationResult, CreateAclsResponse};
use protocol::messages::delete_acls_request::DeleteAclsRequest;
use protocol::messages::delete_acls_response::{DeleteAclsFilterResult, DeleteAclsResponse};
use protocol::messages::describe_acls_request::DescribeAclsRequest;
use protocol::messages::describe_acls_response::DescribeAclsResponse;
use protocol::{ApiKey, ErrorCode};

use super::Api;
use crate::broker::Broker;
use crate::mail::Turn;
use crate::request::Request;

/// These requests' entries.
pub const DESCRIBE: Api = Api::local(ApiKey::DescribeAcls, 1..=3, on_describe_acls);
/// See [`DESCRIBE`].
pub const CREATE: Api = Api::local(ApiKey::CreateAcls, 1..=3, on_create_acls);
/// See [`DESCRIBE`].
pub const DELETE: Api = Api::local(ApiKey::DeleteAcls, 1..=3, on_delete_acls);

const ERROR: i16 = ErrorCode::SecurityDisabled.code();
const WHY: Option<&str> = Some("there is no authorizer on this broker: everyone may do everything");

fn on_describe_acls(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    if let Err(error) = request.decode::<DescribeAclsRequest<'_>>() {
        return broker.refuse_undecodable(turn, &request, error);
    }
    let response = DescribeAclsResponse { error_code: ERROR, error_message: WHY, ..Default::default() };
    broker.reply(turn, &request, &response);
}

fn on_create_acls(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let count = match request.decode::<CreateAclsRequest<'_>>() {
        Ok(asked) => asked.creations.len(),
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let refused = AclCreationResult { error_code: ERROR, error_message: WHY, ..Default::default() };
    let response = CreateAclsResponse { results: vec![refused; count], ..Default::default() };
    broker.reply(turn, &request, &response);
}

fn on_delete_acls(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let count = match request.decode::<DeleteAclsRequest<'_>>() {
        Ok(asked) => asked.filters.len(),
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let refused = DeleteAclsFilterResult { error_code: ERROR, error_message: WHY, ..Default::default() };
    let response = DeleteAclsResponse { filter_results: vec![refused; count], ..Default::default() };
    broker.reply(turn, &request, &response);
}
