//! Deliberate faults in this crate, to show that its test of whole clusters finds them. They exist with the feature
//! `mutations` only; without it [`is_on`] is constant.

/// What may be wrong on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutation {
    /// Terms and votes are not synced before they are told.
    VoteUnsynced,
    /// Batches are not synced before they are told of.
    AppendUnsynced,
    /// A leader takes as committed what it has itself.
    CommitAlone,
    /// What another leader replaced stays in the file behind the new end.
    KeepReplaced,
    /// A checkpoint's place is told before the checkpoint is there.
    AnchorFirst,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Mutation; 5] = [
        Mutation::VoteUnsynced,
        Mutation::AppendUnsynced,
        Mutation::CommitAlone,
        Mutation::KeepReplaced,
        Mutation::AnchorFirst,
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
