//! ListPartitionReassignments (46), version 0: moves between brokers that are under way. With one broker there are none.

use protocol::ApiKey;
use protocol::messages::list_partition_reassignments_request::ListPartitionReassignmentsRequest;
use protocol::messages::list_partition_reassignments_response::ListPartitionReassignmentsResponse;

use super::Api;
use crate::broker::Broker;
use crate::mail::Turn;
use crate::request::Request;

/// This request's entry.
pub const API: Api = Api::local(ApiKey::ListPartitionReassignments, 0..=0, on_list_partition_reassignments);

fn on_list_partition_reassignments(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    match request.decode::<ListPartitionReassignmentsRequest<'_>>() {
        Ok(_) => broker.reply(turn, &request, &ListPartitionReassignmentsResponse::default()),
        Err(error) => broker.refuse_undecodable(turn, &request, error),
    }
}
