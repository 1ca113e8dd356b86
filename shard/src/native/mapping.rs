//! A file's pages seen as memory: what the page cache has can be sent from there, without a copy of our own.
//!
//! Two dangers, and why they are none here. A page that is not in memory stops whoever touches it until the disk has
//! answered: so [`Mapping::is_resident`] is asked first, and what is not there is read as ever. A page behind the end of its
//! file, or one that the disk fails to bring back, ends the process that touches it (SIGBUS): so parts are lent only within
//! the file, of bytes that are never cut off, and looked at (batch headers) in the turn in which they were found resident.
//! The kernel's own look, when it sends, is an error of that send and no signal.

use std::fs::File;
use std::ops::Range;
use std::os::fd::AsRawFd;

/// A page, in bytes; on every machine that io_uring's users have, and checked where it matters by the kernel.
const PAGE_BYTES: usize = 4096;

/// Mappings are made in multiples of this, so that a growing file is mapped again rarely. It is address space, not memory.
const STEP_BYTES: usize = 128 << 20;

/// The first bytes of a file, and some address space behind its end.
pub(crate) struct Mapping {
    address: *const u8,
    len: usize,
}

// SAFETY: the memory is only read, through shared references, and unmapped by whoever drops the last one.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `file` from its begin to `end` at least. `None` if the kernel refuses: then bytes are copied instead.
    pub(crate) fn of(file: &File, end: usize) -> Option<Mapping> {
        let len = end.checked_next_multiple_of(STEP_BYTES)?;
        // SAFETY: a fresh mapping at an address of the kernel's choice aliases nothing of ours.
        let address = unsafe {
            libc::mmap(std::ptr::null_mut(), len, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        (address != libc::MAP_FAILED).then(|| Mapping { address: address.cast(), len })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// A part of the file.
    pub(crate) fn part(&self, range: Range<usize>) -> &[u8] {
        assert!(range.start <= range.end && range.end <= self.len, "a part lies outside of its mapping");
        // SAFETY: the range lies within the mapping, and within the file, as whoever made the part has seen. Segments
        // grow at their end and change nowhere else, so that nobody writes to what is lent.
        unsafe { std::slice::from_raw_parts(self.address.add(range.start), range.len()) }
    }

    /// Whether the page cache has every page of `range`; `pages` is scratch memory.
    pub(crate) fn is_resident(&self, range: Range<usize>, pages: &mut Vec<u8>) -> bool {
        assert!(range.end <= self.len, "a range lies outside of its mapping");
        let start = range.start / PAGE_BYTES * PAGE_BYTES;
        pages.clear();
        pages.resize((range.end - start).div_ceil(PAGE_BYTES), 0);
        // SAFETY: the range is mapped, begins at a page, and the vector has a byte for each page. A kernel with larger
        // pages refuses the address or fills less, and then the pages count as not there.
        let result = unsafe {
            let begin = self.address.add(start).cast_mut().cast();
            libc::mincore(begin, range.end - start, pages.as_mut_ptr())
        };
        result == 0 && pages.iter().all(|page| page & 1 == 1)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `of` with this length, and nobody refers to it any more.
        unsafe { libc::munmap(self.address.cast_mut().cast(), self.len) };
    }
}
