//! Buffers that own their memory: [`BufMut`] is one writer's, [`Buf`] is shared and never changes again.
//!
//! Blocks come from a [`Pool`] by size class and return to it when the last [`Buf`] over them goes, on whatever core
//! that happens (`sharded-slab`: a local list for the core that took the block, an atomic one for the others). What
//! the pool keeps for later is bounded; beyond that, blocks are freed.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sharded_slab::Clear;
use sharded_slab::pool::OwnedRefMut;

use crate::native::mapping::Mapping;

/// Sizes of pooled blocks in bytes. A 64 KiB batch with its request around it fits the third.
const CLASS_SIZES: [usize; 5] = [4 << 10, 16 << 10, 80 << 10, 320 << 10, (1 << 20) + (16 << 10)];

/// Memory that the pool holds or has lent, per block; reused when cleared, unless the pool holds enough already.
#[derive(Default)]
struct Block {
    bytes: Box<[u8]>,
    kept: Option<Arc<Kept>>,
}

/// How many bytes the pool keeps for reuse.
#[derive(Debug)]
struct Kept {
    bytes: AtomicUsize,
    bytes_max: usize,
}

impl Clear for Block {
    fn clear(&mut self) {
        let Some(kept) = &self.kept else { return };
        let len = self.bytes.len();
        // Two cores may pass the limit together; it then is exceeded by a block each, which is harmless.
        if kept.bytes.load(Ordering::Relaxed) + len > kept.bytes_max {
            self.bytes = Box::default();
        } else {
            kept.bytes.fetch_add(len, Ordering::Relaxed);
        }
    }
}

/// Up to so many bytes a copy takes memory of just its size, not a block: a thousand requests that wait would hold, and
/// touch, a page each.
const SMALL_BYTES: usize = 1024;

type Class = sharded_slab::Pool<Block>;

/// Lends blocks of memory. Clones share the same memory; one pool serves all cores of a process.
#[derive(Clone)]
pub struct Pool {
    classes: Arc<[(usize, Arc<Class>)]>,
    kept: Arc<Kept>,
}

impl Pool {
    /// A pool that keeps at most `bytes_max` bytes for reuse. What is lent is bounded by those who borrow.
    pub fn new(bytes_max: usize) -> Pool {
        let classes = CLASS_SIZES.iter().map(|&size| (size, Arc::new(Class::new()))).collect();
        Pool { classes, kept: Arc::new(Kept { bytes: AtomicUsize::new(0), bytes_max }) }
    }

    /// An empty buffer with room for at least `capacity` bytes.
    pub fn take(&self, capacity: usize) -> BufMut {
        let pooled = self.classes.iter().find(|(size, _)| *size >= capacity);
        if let Some((size, class)) = pooled
            && let Some(mut block) = Arc::clone(class).create_owned()
        {
            if block.bytes.len() < *size {
                block.bytes = zeroed(*size);
                block.kept = Some(Arc::clone(&self.kept));
            } else {
                self.kept.bytes.fetch_sub(*size, Ordering::Relaxed);
            }
            let lent = Lent { block: Some(block), class: Arc::clone(class) };
            return BufMut { memory: MemoryMut::Pooled(lent), len: 0 };
        }
        BufMut { memory: MemoryMut::Own(zeroed(capacity)), len: 0 }
    }

    /// A shared copy of `bytes`.
    pub fn copy(&self, bytes: &[u8]) -> Buf {
        if bytes.len() <= SMALL_BYTES {
            return Buf { memory: Memory::Small(bytes.into()), start: 0, end: bytes.len() };
        }
        let mut buffer = self.take(bytes.len());
        buffer.put(bytes);
        buffer.freeze()
    }

    /// Bytes kept for reuse now.
    pub fn kept_bytes(&self) -> usize {
        self.kept.bytes.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("kept", &self.kept).finish_non_exhaustive()
    }
}

/// Zeroed by the allocator, so that large blocks cost nothing before they are used.
fn zeroed(len: usize) -> Box<[u8]> {
    vec![0; len].into_boxed_slice()
}

enum MemoryMut {
    Pooled(Lent),
    Own(Box<[u8]>),
}

/// A block on loan; goes back when dropped.
struct Lent {
    block: Option<OwnedRefMut<Block>>,
    class: Arc<Class>,
}

impl Lent {
    fn bytes(&self) -> &[u8] {
        self.block.as_ref().map_or(&[], |block| &block.bytes)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            let key = block.key();
            // The slab clears a slot only when nobody refers to it.
            drop(block);
            self.class.clear(key);
        }
    }
}

/// A buffer with one owner, filled from the front.
pub struct BufMut {
    memory: MemoryMut,
    len: usize,
}

impl BufMut {
    /// How many bytes are filled.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is filled.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes it can hold in all.
    pub fn capacity(&self) -> usize {
        self.memory().len()
    }

    /// The filled part.
    pub fn filled(&self) -> &[u8] {
        &self.memory()[..self.len]
    }

    /// The filled part, to be patched.
    pub fn filled_mut(&mut self) -> &mut [u8] {
        let len = self.len;
        &mut self.memory_mut()[..len]
    }

    /// The free part.
    pub fn spare_mut(&mut self) -> &mut [u8] {
        let len = self.len;
        &mut self.memory_mut()[len..]
    }

    /// Counts `count` bytes of the free part as filled.
    pub fn advance(&mut self, count: usize) {
        assert!(count <= self.capacity() - self.len, "a buffer is filled beyond its end");
        self.len += count;
    }

    /// Appends `bytes`; there must be room.
    pub fn put(&mut self, bytes: &[u8]) {
        self.spare_mut()[..bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    /// Ends the writing: the filled part can be shared from now on.
    pub fn freeze(self) -> Buf {
        let end = self.len;
        let memory = match self.memory {
            MemoryMut::Pooled(lent) => Memory::Pooled(Arc::new(lent)),
            MemoryMut::Own(bytes) => Memory::Own(Arc::new(bytes.into_vec())),
        };
        Buf { memory, start: 0, end }
    }

    fn memory(&self) -> &[u8] {
        match &self.memory {
            MemoryMut::Pooled(lent) => lent.bytes(),
            MemoryMut::Own(bytes) => bytes,
        }
    }

    fn memory_mut(&mut self) -> &mut [u8] {
        match &mut self.memory {
            MemoryMut::Pooled(lent) => lent.block.as_mut().map_or(&mut [], |block| &mut block.bytes),
            MemoryMut::Own(bytes) => bytes,
        }
    }
}

impl fmt::Debug for BufMut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BufMut({} of {} bytes)", self.len, self.capacity())
    }
}

#[derive(Clone)]
enum Memory {
    Pooled(Arc<Lent>),
    Own(Arc<Vec<u8>>),
    Small(Arc<[u8]>),
    Static(&'static [u8]),
    /// Pages of a file, lent by the page cache; `start` and `end` count from the mapping's begin.
    Mapped(Arc<Mapping>),
}

/// A shared, immutable piece of memory; cloning and slicing copy no bytes.
#[derive(Clone)]
pub struct Buf {
    memory: Memory,
    start: usize,
    end: usize,
}

impl Buf {
    /// A buffer over constant bytes.
    pub const fn from_static(bytes: &'static [u8]) -> Buf {
        Buf { memory: Memory::Static(bytes), start: 0, end: bytes.len() }
    }

    /// The part `range` of a mapped file, all of which is within the file.
    pub(crate) fn of_mapping(mapping: Arc<Mapping>, range: Range<usize>) -> Buf {
        assert!(range.start <= range.end, "a part ends before it starts");
        assert!(range.end <= mapping.len(), "a part ends beyond its mapping");
        Buf { memory: Memory::Mapped(mapping), start: range.start, end: range.end }
    }

    /// The part `range`, which must lie within.
    pub fn slice(&self, range: Range<usize>) -> Buf {
        assert!(range.start <= range.end, "a slice ends before it starts");
        assert!(range.end <= self.len(), "a slice ends beyond its buffer");
        Buf { memory: self.memory.clone(), start: self.start + range.start, end: self.start + range.end }
    }

    /// Drops the first `count` bytes from view; they must be there.
    pub fn skip(&mut self, count: usize) {
        assert!(count <= self.len(), "more is skipped than is there");
        self.start += count;
    }
}

impl Deref for Buf {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        let bytes: &[u8] = match &self.memory {
            Memory::Pooled(lent) => lent.bytes(),
            Memory::Own(bytes) => bytes,
            Memory::Small(bytes) => bytes,
            Memory::Static(bytes) => bytes,
            // Never as a whole: behind the end of its file there is nothing that may be touched.
            Memory::Mapped(mapping) => return mapping.part(self.start..self.end),
        };
        &bytes[self.start..self.end]
    }
}

impl From<Vec<u8>> for Buf {
    fn from(bytes: Vec<u8>) -> Buf {
        let end = bytes.len();
        Buf { memory: Memory::Own(Arc::new(bytes)), start: 0, end }
    }
}

impl fmt::Debug for Buf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buf({} bytes)", self.end - self.start)
    }
}

/// Drops the first `count` bytes of `parts`, and the parts that this empties.
pub fn skip_parts(parts: &mut Vec<Buf>, mut count: usize) {
    let mut whole = 0;
    for part in parts.iter_mut() {
        if count < part.len() {
            part.skip(count);
            count = 0;
            break;
        }
        count -= part.len();
        whole += 1;
    }
    assert_eq!(count, 0, "more is skipped than is there");
    parts.drain(..whole);
}

/// What direct writes are aligned to, in memory and in the file: a page, and at least a sector of every disk.
pub const ALIGNMENT: usize = 4096;

/// A buffer for direct writes: it begins at a multiple of [`ALIGNMENT`], and is as long as one.
pub struct AlignedBuf {
    memory: Box<[u8]>,
    start: usize,
    capacity: usize,
    len: usize,
}

impl AlignedBuf {
    /// An empty one with room for at least `capacity` bytes.
    pub fn new(capacity: usize) -> AlignedBuf {
        let capacity = capacity.next_multiple_of(ALIGNMENT);
        let memory = zeroed(capacity + ALIGNMENT);
        let start = memory.as_ptr().align_offset(ALIGNMENT);
        assert!(start < ALIGNMENT, "memory can be aligned to a page");
        AlignedBuf { memory, start, capacity, len: 0 }
    }

    /// How many bytes are filled.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is filled.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The filled part.
    pub fn filled(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.len]
    }

    /// The filled part, to be patched.
    pub fn filled_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.len]
    }

    /// Appends `bytes`; more room is made if there is too little.
    pub fn put(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if end > self.capacity {
            let mut larger = AlignedBuf::new(end.max(2 * self.capacity));
            larger.put(self.filled());
            *self = larger;
        }
        self.memory[self.start + self.len..self.start + end].copy_from_slice(bytes);
        self.len = end;
    }

    /// Fills up with zeros to the next multiple of [`ALIGNMENT`].
    pub fn pad(&mut self) {
        let end = self.len.next_multiple_of(ALIGNMENT);
        self.memory[self.start + self.len..self.start + end].fill(0);
        self.len = end;
    }

    /// Empties it; its memory stays.
    pub fn clear(&mut self) {
        self.len = 0;
    }
}

impl fmt::Debug for AlignedBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AlignedBuf({} of {} bytes)", self.len, self.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_returns_to_the_pool_with_its_last_user() {
        let pool = Pool::new(1 << 20);
        let whole = pool.copy(&[7; SMALL_BYTES + 1]);
        let part = whole.slice(6..11);
        drop(whole);
        assert_eq!(&*part, [7; 5]);
        assert_eq!(pool.kept_bytes(), 0);
        drop(part);
        assert_eq!(pool.kept_bytes(), CLASS_SIZES[0]);
        let again = pool.take(100);
        assert_eq!(pool.kept_bytes(), 0);
        assert!(again.is_empty());
    }

    #[test]
    fn a_block_can_return_from_another_thread() {
        let pool = Pool::new(1 << 20);
        let buf = pool.copy(&[7; SMALL_BYTES + 1]);
        std::thread::spawn(move || drop(buf)).join().unwrap();
        assert_eq!(pool.kept_bytes(), CLASS_SIZES[0]);
    }

    #[test]
    fn a_small_copy_takes_no_block() {
        let pool = Pool::new(1 << 20);
        let buf = pool.copy(&[7; SMALL_BYTES]);
        assert_eq!(&*buf, [7; SMALL_BYTES]);
        drop(buf);
        assert_eq!(pool.kept_bytes(), 0);
    }

    #[test]
    fn what_the_pool_keeps_is_bounded() {
        let pool = Pool::new(2 * CLASS_SIZES[0]);
        let lent: Vec<BufMut> = (0..10).map(|_| pool.take(1)).collect();
        drop(lent);
        assert_eq!(pool.kept_bytes(), 2 * CLASS_SIZES[0]);
    }

    #[test]
    fn a_capacity_beyond_all_classes_gets_memory_of_its_own() {
        let pool = Pool::new(1 << 20);
        let mut big = pool.take(3 << 20);
        assert_eq!(big.capacity(), 3 << 20);
        big.put(&[7; 5]);
        assert_eq!(&*big.freeze(), &[7; 5]);
    }

    #[test]
    fn an_aligned_buffer_stays_aligned_as_it_grows() {
        let mut buffer = AlignedBuf::new(1);
        for i in 0..5000_u32 {
            buffer.put(&i.to_be_bytes());
        }
        assert_eq!(buffer.filled().as_ptr().align_offset(ALIGNMENT), 0);
        assert!(buffer.filled().chunks(4).enumerate().all(|(i, bytes)| bytes == (i as u32).to_be_bytes()));
        buffer.pad();
        assert_eq!(buffer.len(), 20_480);
        assert!(buffer.filled()[20_000..].iter().all(|byte| *byte == 0));
    }

    #[test]
    fn skipping_parts_drops_whole_ones_and_shortens_the_next() {
        let mut parts = vec![Buf::from(vec![1, 2]), Buf::from(vec![]), Buf::from(vec![3, 4, 5])];
        skip_parts(&mut parts, 3);
        assert_eq!(parts.len(), 1);
        assert_eq!(&*parts[0], &[4, 5]);
    }
}
