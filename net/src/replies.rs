//! Replies of one connection, sent in the order of their requests whatever order they are made in (Q10).

use std::collections::VecDeque;

use shard::Buf;

use crate::close::CloseReason;
use crate::counts::Arrival;

/// What a request comes to.
#[derive(Debug)]
pub enum Reply {
    /// A response frame, size included, in pieces.
    Send(Vec<Buf>),
    /// No response is wanted (acks=0, Q12).
    Silent,
    /// The connection ends, once the replies before this one are out.
    Close(CloseReason),
}

/// Requests that were taken in, oldest first, each with its reply once there is one.
#[derive(Debug, Default)]
pub(crate) struct Replies {
    slots: VecDeque<(Arrival, Option<Reply>)>,
    /// The sequence number of the first slot.
    first: u64,
}

impl Replies {
    /// Fixes a request's place.
    pub(crate) fn open(&mut self, arrival: Arrival) -> u64 {
        self.slots.push_back((arrival, None));
        self.first + self.slots.len() as u64 - 1
    }

    /// Fills a place; each is filled once.
    pub(crate) fn complete(&mut self, sequence: u64, reply: Reply) {
        let index = sequence.checked_sub(self.first).expect("a request is answered once");
        let (_, slot) = self.slots.get_mut(index as usize).expect("a request is answered after it was asked");
        assert!(slot.is_none(), "a request is answered once");
        *slot = Some(reply);
    }

    /// The next reply in order, if it is there.
    pub(crate) fn pop(&mut self) -> Option<(Arrival, Reply)> {
        let (arrival, reply) = if self.is_ready() { self.slots.pop_front()? } else { return None };
        self.first += 1;
        Some((arrival, reply?))
    }

    /// Whether the next reply in order is there.
    pub(crate) fn is_ready(&self) -> bool {
        matches!(self.slots.front(), Some((_, Some(_))))
    }

    /// Requests that are not answered yet, or whose answers wait for earlier ones.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shard::Nanos;

    #[test]
    fn q10_replies_leave_in_the_order_of_their_requests() {
        let mut replies = Replies::default();
        let arrival = Arrival { key: 3, at: Nanos(0) };
        let slots: Vec<u64> = (0..4).map(|_| replies.open(arrival)).collect();
        replies.complete(slots[2], Reply::Silent);
        replies.complete(slots[1], Reply::Send(vec![]));
        assert!(replies.pop().is_none());
        replies.complete(slots[0], Reply::Send(vec![]));
        assert!(matches!(replies.pop(), Some((_, Reply::Send(_)))));
        assert!(matches!(replies.pop(), Some((_, Reply::Send(_)))));
        assert!(matches!(replies.pop(), Some((_, Reply::Silent))));
        assert!(replies.pop().is_none());
        assert_eq!(replies.len(), 1);
    }
}
