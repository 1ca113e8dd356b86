//! The Kafka wire codec: bytes to messages and back, pure, without I/O.
//!
//! Reading order: [`Message`] is what every body can do; [`Decoder`] and [`Encoder`] do it; `messages` holds one module
//! a message, generated from `schema/`; [`ApiKey`] and [`ErrorCode`] name the numbers.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod message;

mod decode_error;
mod decoder;
mod encoder;
mod uuid;

#[path = "generated/api_key.rs"]
mod api_key;
mod error_code;
mod frame;
mod header;
pub mod record;
#[path = "generated/record_kinds.rs"]
mod record_kinds;

mod fetch_response_writer;
mod fetch_view;
mod produce_view;
mod segmented;

// The generated code fills a default in the order of the wire; tagged fields leave no other order.
#[allow(clippy::field_reassign_with_default)]
#[path = "generated/messages/mod.rs"]
pub mod messages;

pub use api_key::ApiKey;
pub use decode_error::DecodeError;
pub use decoder::Decoder;
pub use encoder::{Encoder, TagSection};
pub use error_code::ErrorCode;
pub use fetch_response_writer::{FetchHead, FetchPartitionHead, FetchResponseWriter, Records};
pub use fetch_view::{FetchPartition, FetchTopic, FetchView, ForgottenTopic};
pub use frame::{encode_request, encode_response};
pub use header::{RequestHeader, decode_response_header};
pub use message::Message;
pub use produce_view::{ProducePartition, ProduceTopic, ProduceView};
pub use record_kinds::{GroupKey, MetadataRecord, ShareKey, TransactionKey};
pub use segmented::{Frame, Part, Segmented};
pub use uuid::{BadUuid, Uuid};
