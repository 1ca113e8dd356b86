//! DescribeClientQuotas (48), versions 0–1: quotas that are set. None can be set, so none are, whatever is asked for.

use protocol::ApiKey;
use protocol::messages::describe_client_quotas_request::DescribeClientQuotasRequest;
use protocol::messages::describe_client_quotas_response::DescribeClientQuotasResponse;

use super::Api;
use crate::broker::Broker;
use crate::mail::Turn;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::local(ApiKey::DescribeClientQuotas, 0..=1, on_describe_client_quotas);

fn on_describe_client_quotas(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    if let Err(error) = request.decode::<DescribeClientQuotasRequest<'_>>() {
        return broker.refuse_undecodable(turn, &request, error);
    }
    let response = DescribeClientQuotasResponse { entries: Some(Vec::new()), ..Default::default() };
    broker.reply(turn, &request, &response);
}
