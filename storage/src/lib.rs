//! The log engine: what is stored, how it is found again, and what survives a crash. Knows no sockets, topics
//! or clocks.
//!
//! Reading order: [`batch`] is what is stored, [`log`] the one thing to hold for each partition, [`files`]
//! the one for each core. I/O of the hot path is data ([`shard::Op`]); opening, sealing, closing and time
//! look-ups use [`shard::Disk`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod aborted;
pub mod batch;
pub mod epochs;
pub mod error;
pub mod files;
pub mod index;
pub mod inspect;
pub mod journal;
mod line;
pub mod log;
pub mod mutation;
pub mod offset;
pub mod producers;
pub mod read;
pub mod scan;
pub mod segment;
pub mod settings;

pub use aborted::AbortedTxn;
pub use batch::{BatchHeader, Codec, Marker, Refusal, ValidBatch, validate};
pub use epochs::Epochs;
pub use error::{Cause, StorageError};
pub use files::OpenFiles;
pub use journal::{Journal, LogId};
pub use log::{
    AppendRefusal, Appended, CompactStep, Compaction, Deletion, DeletionReason, Dirtiness, Found,
    ImportFault, ImportLog, ImportRefusal, Imported, Log, MarkerAppend, Offline, Offsets, OpenLog, Opening,
    Outlook, OutlookSegment, Progress, Recovered, Upkeep, aside_of, delete_dir, import, sync_segments,
};
pub use offset::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence};
pub use producers::{Duplicate, MarkerRefusal, ProducerRow, SequenceRefusal};
pub use read::{ReadDone, ReadPlan, ReadRange, ReadWant};
pub use settings::{
    CompressedCheck, Compression, Durability, LogSettings, Promise, RetentionClock, TimestampType,
};
