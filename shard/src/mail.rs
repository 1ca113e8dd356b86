//! Mail between cores: one bounded single-producer single-consumer ring per ordered pair, and a bell per core.
//!
//! Mail is never dropped and never blocks its sender: what a full ring cannot take waits in the sender's outbox, in
//! order, and [`Outbox::is_backlogged`] tells the sender to take on no more work until it is gone.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};

use rtrb::{Consumer, Producer, RingBuffer};

/// Which core; from 0, without gaps, for one run of the process. Never stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardId(pub u16);

/// Letters that a ring between two cores holds before the sender's outbox takes the rest.
const RING_LETTERS: usize = 1024;

/// Wakes a core that sleeps.
#[derive(Debug)]
pub struct Bell {
    event: OwnedFd,
    parked: AtomicBool,
}

impl Bell {
    /// A bell for one core.
    pub fn new() -> io::Result<Bell> {
        // SAFETY: plain system call; its result is checked before it is used.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: `fd` was just made and has no other owner.
        let event = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(Bell { event, parked: AtomicBool::new(false) })
    }

    /// Wakes the core if it sleeps; free if it does not.
    pub fn ring(&self) {
        // Pairs with the fence in `park`: either the sleeper sees our letter, or we see that it sleeps.
        fence(Ordering::SeqCst);
        if self.parked.swap(false, Ordering::Relaxed) {
            self.wake();
        }
    }

    /// Ends the core's next sleep, whether it has begun or not.
    pub fn wake(&self) {
        let one = 1_u64;
        // SAFETY: eight bytes of a local are written to an eventfd that we own. It can only fail when the counter is
        // full, and then the sleeper is awake already.
        unsafe { libc::write(self.event.as_raw_fd(), (&raw const one).cast(), 8) };
    }

    /// Says that the core is about to sleep; it must look for mail once more before it does.
    pub(crate) fn park(&self) {
        self.parked.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Says that the core is awake.
    pub(crate) fn unpark(&self) {
        self.parked.store(false, Ordering::Relaxed);
    }

    /// Takes back what `ring` wrote.
    pub(crate) fn silence(&self) {
        let mut count = 0_u64;
        // SAFETY: eight bytes are read into a local; failing means that there was nothing to take back.
        unsafe { libc::read(self.event.as_raw_fd(), (&raw mut count).cast(), 8) };
    }

    pub(crate) fn descriptor(&self) -> RawFd {
        self.event.as_raw_fd()
    }
}

/// One core's ends of all rings: what it sends by, what it receives by, and everybody's bell.
pub struct Mailbox<M> {
    me: ShardId,
    inbox: Vec<(ShardId, Consumer<M>)>,
    outbox: Outbox<M>,
    bells: Vec<Arc<Bell>>,
}

/// What a core sends by.
pub struct Outbox<M> {
    me: ShardId,
    lanes: Vec<Option<Lane<M>>>,
}

struct Lane<M> {
    ring: Producer<M>,
    /// Letters that the ring had no room for.
    waiting: VecDeque<M>,
    /// Whether letters went into the ring since the bell was last rung.
    ring_bell: bool,
}

/// The mailboxes of `count` cores, each connected with each.
pub fn connect<M>(count: u16) -> io::Result<Vec<Mailbox<M>>> {
    let bells = (0..count).map(|_| Bell::new().map(Arc::new)).collect::<io::Result<Vec<_>>>()?;
    let mut boxes: Vec<Mailbox<M>> = (0..count)
        .map(|id| Mailbox {
            me: ShardId(id),
            inbox: Vec::new(),
            outbox: Outbox { me: ShardId(id), lanes: (0..count).map(|_| None).collect() },
            bells: bells.clone(),
        })
        .collect();
    for from in 0..usize::from(count) {
        for to in (0..usize::from(count)).filter(|&to| to != from) {
            let (ring, inbox) = RingBuffer::new(RING_LETTERS);
            boxes[from].outbox.lanes[to] = Some(Lane { ring, waiting: VecDeque::new(), ring_bell: false });
            boxes[to].inbox.push((ShardId(from as u16), inbox));
        }
    }
    Ok(boxes)
}

/// A party on the bus that is no core: a thread with a loop of its own, which looks after its mail when its bell can be read.
pub struct Guest<M> {
    mailbox: Mailbox<M>,
}

impl<M> Guest<M> {
    /// The guest with this mailbox. From now on its bell tells of all mail.
    pub fn new(mailbox: Mailbox<M>) -> Guest<M> {
        mailbox.bell().park();
        Guest { mailbox }
    }

    /// Who it is: the number after those of the cores.
    pub fn me(&self) -> ShardId {
        self.mailbox.me()
    }

    /// A descriptor that can be read when mail has come, eight bytes at a time: to be waited for.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        self.mailbox.bell().event.try_clone()
    }

    /// Sends a letter, at once.
    pub fn send(&mut self, to: ShardId, mail: M) {
        self.mailbox.outbox().send(to, mail);
        self.mailbox.flush();
    }

    /// Takes all mail that has come, and listens for the next.
    pub fn receive_all(&mut self) -> Vec<(ShardId, M)> {
        self.mailbox.bell().silence();
        // Whoever sends after this rings; what was sent before is found below.
        self.mailbox.bell().park();
        self.mailbox.flush();
        std::iter::from_fn(|| self.mailbox.receive()).collect()
    }
}

impl<M> Mailbox<M> {
    /// Whose mailbox it is.
    pub fn me(&self) -> ShardId {
        self.me
    }

    /// This core's bell.
    pub fn bell(&self) -> &Arc<Bell> {
        &self.bells[usize::from(self.me.0)]
    }

    /// All bells, by shard.
    pub fn bells(&self) -> &[Arc<Bell>] {
        &self.bells
    }

    pub(crate) fn has_mail(&self) -> bool {
        self.inbox.iter().any(|(_, ring)| !ring.is_empty())
    }

    pub(crate) fn receive(&mut self) -> Option<(ShardId, M)> {
        self.inbox.iter_mut().find_map(|(from, ring)| ring.pop().ok().map(|mail| (*from, mail)))
    }

    pub(crate) fn outbox(&mut self) -> &mut Outbox<M> {
        &mut self.outbox
    }

    /// Moves waiting letters on and rings the bells of those who got some.
    pub(crate) fn flush(&mut self) {
        for (lane, bell) in self.outbox.lanes.iter_mut().zip(&self.bells) {
            let Some(lane) = lane else { continue };
            while let Some(mail) = lane.waiting.pop_front() {
                if let Err(rtrb::PushError::Full(mail)) = lane.ring.push(mail) {
                    lane.waiting.push_front(mail);
                    break;
                }
                lane.ring_bell = true;
            }
            if std::mem::take(&mut lane.ring_bell) || !lane.waiting.is_empty() {
                bell.ring();
            }
        }
    }
}

impl<M> Outbox<M> {
    /// Sends a letter to another core; it arrives after all that were sent there before.
    pub fn send(&mut self, to: ShardId, mail: M) {
        assert_ne!(to, self.me, "a core sends no mail to itself");
        let lane = self.lanes[usize::from(to.0)].as_mut().expect("every other core has a lane");
        if !lane.waiting.is_empty() {
            return lane.waiting.push_back(mail);
        }
        match lane.ring.push(mail) {
            Ok(()) => lane.ring_bell = true,
            Err(rtrb::PushError::Full(mail)) => lane.waiting.push_back(mail),
        }
    }

    /// How many letters to another core fit into the ring; more would wait here.
    pub fn room(&self, to: ShardId) -> usize {
        let lane = self.lanes.get(usize::from(to.0)).and_then(Option::as_ref);
        lane.filter(|lane| lane.waiting.is_empty()).map_or(0, |lane| lane.ring.slots())
    }

    /// Whether letters wait for room in some ring: take on no new work until they are gone.
    pub fn is_backlogged(&self) -> bool {
        self.lanes.iter().flatten().any(|lane| !lane.waiting.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_arrive_in_order_even_beyond_the_ring() {
        let mut boxes = connect::<usize>(2).unwrap();
        let count = RING_LETTERS * 3;
        for letter in 0..count {
            boxes[0].outbox().send(ShardId(1), letter);
        }
        assert!(boxes[0].outbox().is_backlogged());
        let mut seen = Vec::new();
        while seen.len() < count {
            boxes[0].flush();
            while let Some((from, letter)) = boxes[1].receive() {
                assert_eq!(from, ShardId(0));
                seen.push(letter);
            }
        }
        assert!(!boxes[0].outbox().is_backlogged());
        assert!(seen.iter().copied().eq(0..count));
    }

    #[test]
    fn letters_cross_threads_without_a_lost_wake_up() {
        let mut boxes = connect::<u32>(2).unwrap();
        let mut receiver = boxes.pop().unwrap();
        let mut sender = boxes.pop().unwrap();
        let count = 20_000;
        let reader = std::thread::spawn(move || {
            let mut expected = 0;
            while expected < count {
                receiver.bell().park();
                if !receiver.has_mail() {
                    let mut poll =
                        libc::pollfd { fd: receiver.bell().descriptor(), events: libc::POLLIN, revents: 0 };
                    // SAFETY: one valid pollfd. A lost wake-up shows as the deadline of ten seconds passing.
                    let woken = unsafe { libc::poll(&raw mut poll, 1, 10_000) };
                    assert_eq!(woken, 1, "a wake-up was lost at letter {expected}");
                    receiver.bell().silence();
                }
                receiver.bell().unpark();
                while let Some((_, letter)) = receiver.receive() {
                    assert_eq!(letter, expected);
                    expected += 1;
                }
            }
        });
        for letter in 0..count {
            sender.outbox().send(ShardId(1), letter);
            sender.flush();
        }
        while sender.outbox().is_backlogged() {
            sender.flush();
        }
        reader.join().unwrap();
    }

    #[test]
    fn a_guest_that_waits_for_its_bell_misses_no_letter() {
        let mut boxes = connect::<u32>(2).unwrap();
        let mut guest = Guest::new(boxes.pop().unwrap());
        let mut sender = boxes.pop().unwrap();
        let count = 20_000;
        let reader = std::thread::spawn(move || {
            let bell = guest.descriptor().unwrap();
            let mut expected = 0;
            while expected < count {
                let mut poll = libc::pollfd { fd: bell.as_raw_fd(), events: libc::POLLIN, revents: 0 };
                // SAFETY: one valid entry, for as long as the call lasts.
                let woken = unsafe { libc::poll(&raw mut poll, 1, 10_000) };
                assert_eq!(woken, 1, "a wake-up was lost at letter {expected}");
                for (_, letter) in guest.receive_all() {
                    assert_eq!(letter, expected);
                    expected += 1;
                }
            }
        });
        for letter in 0..count {
            sender.outbox().send(ShardId(1), letter);
            sender.flush();
        }
        while sender.outbox().is_backlogged() {
            sender.flush();
        }
        reader.join().unwrap();
    }
}
