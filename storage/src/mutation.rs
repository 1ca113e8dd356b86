//! Deliberate faults in the production code of this crate and of those above it, to show that the simulator finds them.
//!
//! They exist with the feature `mutations` only, which nothing but the simulator's own test asks for. Without it
//! [`is_on`] is constant, and the places that ask cost nothing.

/// What may be wrong on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutation {
    /// acks=all is acknowledged when the page cache has it.
    AckBeforeDurable,
    /// Records that wait for the disk are shown to readers before they are there.
    ShowBeforeDurable,
    /// A checkpoint takes segments as synced that are not.
    ForgetSegmentSync,
    /// Of a journal the first frame alone is replayed.
    ForgetJournalTail,
    /// Batches of an older producer epoch are taken.
    SkipProducerEpoch,
    /// A producer's sequence numbers are not looked at.
    SkipSequence,
    /// Readers of committed records get what is not decided.
    ServePastLastStable,
    /// Readers of committed records are not told what was aborted.
    ForgetAborted,
    /// Coordinators answer before the log has their records.
    AnswerBeforeRecords,
    /// A partition of a group is given away while another member has it.
    GiveTwice,
    /// A change of metadata is announced without a sync.
    AnnounceUnsynced,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Mutation; 11] = [
        Mutation::AckBeforeDurable,
        Mutation::ShowBeforeDurable,
        Mutation::ForgetSegmentSync,
        Mutation::ForgetJournalTail,
        Mutation::SkipProducerEpoch,
        Mutation::SkipSequence,
        Mutation::ServePastLastStable,
        Mutation::ForgetAborted,
        Mutation::AnswerBeforeRecords,
        Mutation::GiveTwice,
        Mutation::AnnounceUnsynced,
    ];
}

#[cfg(feature = "mutations")]
thread_local! {
    static ON: std::cell::Cell<Option<Mutation>> = const { std::cell::Cell::new(None) };
}

/// Whether this is wrong on this thread.
#[cfg(feature = "mutations")]
pub fn is_on(mutation: Mutation) -> bool {
    ON.get() == Some(mutation)
}

/// Nothing is wrong on purpose.
#[cfg(not(feature = "mutations"))]
pub const fn is_on(_: Mutation) -> bool {
    false
}

/// From now on this is wrong on this thread, or nothing is.
#[cfg(feature = "mutations")]
pub fn set(mutation: Option<Mutation>) {
    ON.set(mutation);
}
