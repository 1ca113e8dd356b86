//! The Kafka wire codec: bytes to messages and back, pure, without I/O.
//!
//! Reading order: [`Message`] is what every body can do; [`Decoder`] and [`Encoder`] do it; [`messages`] holds one module
//! a message, generated from `schema/`; [`ApiKey`] and [`ErrorCode`] name the numbers; [`record`] frames what is kept in
//! logs. The hot path has readers and a writer of its own: [`ProduceView`], [`FetchView`], [`FetchResponseWriter`].
//!
//! A request is read in two steps, since the header says what the body is; a response is one call:
//!
//! ```
//! use protocol::messages::metadata_request::MetadataRequest;
//! use protocol::messages::metadata_response::{MetadataResponse, MetadataResponseTopic};
//! use protocol::{ApiKey, DecodeError, Decoder, ErrorCode, Message, RequestHeader, encode_response};
//!
//! // What the socket gave, without the size prefix: Metadata v9 about the topic "t".
//! let frame = b"\0\x03\0\x09\0\0\0\x07\0\x04test\0\x02\x02t\0\x01\0\0\0";
//! let mut d = Decoder::new(frame);
//! let header = RequestHeader::decode(&mut d)?;
//! assert_eq!(header.key(), Some(ApiKey::Metadata));
//! let request = MetadataRequest::decode(&mut d, header.api_version)?;
//! d.finish()?;
//!
//! // `None` asks for all topics, an empty list for none (Q14).
//! let topics = request.topics.unwrap_or_default().into_iter().map(|topic| MetadataResponseTopic {
//!     error_code: ErrorCode::UnknownTopicOrPartition.code(),
//!     name: topic.name,
//!     ..Default::default()
//! });
//! let response = MetadataResponse { topics: topics.collect(), ..Default::default() };
//! let frame = encode_response(ApiKey::Metadata, header.api_version, header.correlation_id, &response);
//! assert_eq!(frame[..8], *b"\0\0\0\x20\0\0\0\x07");
//! # Ok::<(), DecodeError>(())
//! ```
//!
//! Records go past the writer of a Fetch response, not through it:
//!
//! ```
//! use protocol::{FetchHead, FetchPartitionHead, FetchResponseWriter, Part, Records, Uuid};
//!
//! let head = FetchHead { topic_count: 1, ..FetchHead::default() };
//! let mut writer = FetchResponseWriter::begin(Vec::new(), 12, 7, head);
//! writer.begin_topic("t", Uuid::ZERO, 1);
//! let partition = FetchPartitionHead { index: 0, high_watermark: 10, ..FetchPartitionHead::default() };
//! writer.push_partition(&partition, Records::One("a cached slice or a file range", 4096));
//! let frame = writer.finish(&[]);
//! assert!(matches!(frame.parts[..], [Part::Bytes(_), Part::External(_), Part::Bytes(_)]));
//! assert_eq!(frame.total_bytes, frame.bytes.len() + 4096);
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod message;

mod decode_error;
mod decoder;
mod encoder;
mod uuid;

#[path = "generated/api_key.rs"]
mod api_key;
pub mod controller_message;
mod error_code;
mod frame;
pub mod group_history;
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
