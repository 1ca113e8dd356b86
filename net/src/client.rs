//! A Kafka client of our own, for the command line and for load. Works against any Kafka. A core's connections to other nodes
//! ([`peers`](crate::peers)) greet with the pure part of it.
//!
//! Two parts. The pure one knows no sockets: [`Versions`] chooses the version of each request, [`Session`] is one
//! connection's state (correlation ids, headers, what is under way), [`FrameCutter`] cuts bytes into frames of a bounded
//! size. Around it stands a small blocking driver over the standard library: [`Connection`] is one connection with
//! deadlines, [`Client`] knows the brokers, leaders and coordinators of a cluster and finds them anew when they move.
//!
//! The driver reads the clock and makes system calls itself. It runs in tools and on threads of its own, never on a
//! core's loop: what runs there wraps the pure part.

mod address;
mod answer;
mod cluster;
mod connection;
mod error;
mod framing;
mod metadata;
mod session;
mod versions;

pub use address::Address;
pub use answer::Answer;
pub use cluster::{Client, CoordinatorKind, Target};
pub use connection::{Connection, Deadline};
pub use error::{ClientError, Refused};
pub use framing::{FRAME_BYTES_MAX, FrameCutter, FrameFault};
pub use metadata::{BrokerMap, ClusterMap, PartitionMap, TopicMap, WantedTopics};
pub use session::{Hello, Session, SessionFault};
pub use versions::{VersionFault, Versions};
