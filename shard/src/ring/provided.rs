//! The provided-buffer ring that multishot receives fill: small pieces, copied out at once and given back.
//!
//! Copying a small piece is cheaper than lending it: requests below 4 KiB end up in a log's contiguous tail anyway.
//! Connections with larger requests receive into buffers of their own and never come by here.

use std::io;
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::IoUring;
use io_uring::types::BufRingEntry;

use crate::buffer::{Buf, Pool};

/// The only buffer group of a ring.
pub(super) const GROUP: u16 = 0;

/// How many pieces a core provides; a power of two. The kernel goes through them in turn, so all of them should fit a
/// core's cache: with four times the memory, filling and copying cold pieces was a third of a long poll's cost. When more
/// requests come at once, the receives are armed again and the rest follows.
const COUNT: u16 = 128;

/// Bytes of a piece.
pub(super) const PIECE_BYTES: usize = 2048;

/// The ring of descriptors and the memory that it describes.
pub(super) struct ProvidedBuffers {
    entries: Mapping,
    memory: Mapping,
    tail: u16,
}

/// Anonymous, page-aligned memory.
struct Mapping {
    address: *mut u8,
    len: usize,
}

impl Mapping {
    fn new(len: usize) -> io::Result<Mapping> {
        // SAFETY: a fresh private anonymous mapping aliases nothing.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping { address: address.cast(), len })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.len == 0 {
            return;
        }
        // SAFETY: the mapping was made by `new` with this length and nobody else knows of it. The kernel holds its own
        // reference to the pages of a registered buffer ring.
        unsafe { libc::munmap(self.address.cast(), self.len) };
    }
}

impl ProvidedBuffers {
    /// Makes the buffers and registers them with `ring`, which must be dropped first.
    pub(super) fn register(ring: &IoUring) -> io::Result<ProvidedBuffers> {
        let entries = Mapping::new(usize::from(COUNT) * size_of::<BufRingEntry>())?;
        let memory = Mapping::new(usize::from(COUNT) * PIECE_BYTES)?;
        // SAFETY: `entries` is page-aligned, holds COUNT descriptors, and lives as long as the ring uses it: both are
        // fields of one struct whose ring field is dropped first.
        unsafe { ring.submitter().register_buf_ring_with_flags(entries.address as u64, COUNT, GROUP, 0)? };
        let mut provided = ProvidedBuffers { entries, memory, tail: 0 };
        for id in 0..COUNT {
            provided.give_back(id);
        }
        provided.publish();
        Ok(provided)
    }

    /// Copies what the kernel put into piece `id` and gives the piece back.
    pub(super) fn copy_out(&mut self, id: u16, count: usize, pool: &Pool) -> Buf {
        assert!(id < COUNT, "the kernel names a buffer that was never provided");
        assert!(count <= PIECE_BYTES, "the kernel filled more than a buffer");
        // SAFETY: the piece lies within the mapping, and the kernel does not write to it between its completion and
        // our giving it back.
        let piece = unsafe {
            std::slice::from_raw_parts(self.memory.address.add(usize::from(id) * PIECE_BYTES), count)
        };
        let copy = pool.copy(piece);
        self.give_back(id);
        copy
    }

    /// Keeps the memory for ever, since the kernel may still write to it.
    pub(super) fn leak(&mut self) {
        self.entries.len = 0;
        self.memory.len = 0;
    }

    fn give_back(&mut self, id: u16) {
        let slot = usize::from(self.tail & (COUNT - 1));
        // SAFETY: the slot lies within the mapping of COUNT descriptors, and the kernel reads it only once the tail
        // that `publish` writes has passed it. Its last two bytes are left alone in slot 0: they are the tail itself.
        unsafe {
            let entry = &mut *self.entries.address.cast::<BufRingEntry>().add(slot);
            entry.set_addr(self.memory.address.add(usize::from(id) * PIECE_BYTES) as u64);
            entry.set_len(PIECE_BYTES as u32);
            entry.set_bid(id);
        }
        self.tail = self.tail.wrapping_add(1);
    }

    /// Lets the kernel see the pieces that were given back.
    pub(super) fn publish(&mut self) {
        // SAFETY: the tail lies in the first descriptor's reserved field (io_uring_register_buf_ring(3)), is aligned
        // for u16 and shared with the kernel, which only reads it.
        let tail = unsafe { &*BufRingEntry::tail(self.entries.address.cast()).cast::<AtomicU16>() };
        tail.store(self.tail, Ordering::Release);
    }
}
