//! AddOffsetsToTxn (25), versions 0–4: a transaction will commit offsets of a group.
//!
//! It adds the partition of `__consumer_offsets` that has the group (Q48): id not empty → the group has a coordinator → as
//! AddPartitionsToTxn. Clients of version 2 leave it out: TxnOffsetCommit adds the partition then (KIP-890).
//! - Before version 2 a fenced producer is told INVALID_PRODUCER_EPOCH (Q43).

use protocol::messages::add_offsets_to_txn_request::AddOffsetsToTxnRequest;
use protocol::messages::add_offsets_to_txn_response::AddOffsetsToTxnResponse;
use protocol::{ApiKey, ErrorCode};

use super::Api;
use super::transactions::{ask_many, error_for, take_one};
use crate::broker::Broker;
use crate::groups;
use crate::mail::{PendingId, Turn};
use crate::metadata::Image;
use crate::request::Request;
use crate::transactions::ask::{Add, Producer, TxnAnswer, TxnAsk};

/// This request's entry.
pub const API: Api = Api::asking(ApiKey::AddOffsetsToTxn, 0..=4, on_add_offsets_to_txn, finish);

/// The first version that knows PRODUCER_FENCED.
const FENCED_FROM: i16 = 2;

fn on_add_offsets_to_txn(broker: &mut Broker, turn: &mut Turn<'_>, request: Request) {
    let asked: AddOffsetsToTxnRequest<'_> = match request.decode() {
        Ok(asked) => asked,
        Err(error) => return broker.refuse_undecodable(turn, &request, error),
    };
    let image = broker.image.clone();
    let asks = vec![(asked.transactional_id.into(), plan(&image, &asked))];
    ask_many(broker, turn, request, asks);
}

fn plan(image: &Image, asked: &AddOffsetsToTxnRequest<'_>) -> Result<TxnAsk, ErrorCode> {
    if asked.transactional_id.is_empty() {
        return Err(ErrorCode::InvalidRequest);
    }
    let (_, partition) = groups::home_of(image, asked.group_id)?;
    let producer = Producer { id: asked.producer_id, epoch: asked.producer_epoch };
    let partitions = vec![(groups::TOPIC.into(), partition)];
    Ok(TxnAsk::Add(Add { producer, partitions, version: 0, may_wait: true }))
}

fn finish(broker: &mut Broker, turn: &mut Turn<'_>, id: PendingId) {
    let Some((request, reply)) = take_one(broker, id) else { return };
    let error = match reply {
        Ok(TxnAnswer::Done) => ErrorCode::None,
        Ok(other) => unreachable!("AddOffsetsToTxn is not answered by {other:?}"),
        Err(error) => error_for(error, request.version, FENCED_FROM),
    };
    let response = AddOffsetsToTxnResponse { error_code: error.code(), ..Default::default() };
    broker.reply(turn, &request, &response);
}
