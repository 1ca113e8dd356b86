//! The allocator of our programs: mimalloc, asked in the way that is quick.
//!
//! mimalloc gives blocks of 16 bytes and more at multiples of 16, and all blocks at multiples of 8. Asked for what is so anyway by its functions
//! for aligned memory, version 3 takes a detour whenever a page's list of free blocks has run out, and does not refill that list:
//! it takes a larger block and searches an aligned place in it. So these functions are used only where they are needed.

use std::alloc::{GlobalAlloc, Layout};

use libmimalloc_sys::{
    mi_free, mi_malloc, mi_malloc_aligned, mi_realloc, mi_realloc_aligned, mi_zalloc, mi_zalloc_aligned,
};

/// To be the `#[global_allocator]` of a program.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allocator;

/// Whether any block of this size is aligned enough.
fn is_plain(size: usize, align: usize) -> bool {
    align <= 8 || (align <= 16 && size >= 16)
}

// SAFETY: mimalloc's functions do what malloc(3) and its relatives do, from any thread; each gives null if there is no
// memory. Which of two is called depends on the layout alone, and blocks of both kinds are freed and resized alike.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: any size and power of two is allowed.
        unsafe { if is_plain(size, align) { mi_malloc(size) } else { mi_malloc_aligned(size, align) }.cast() }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: as above.
        unsafe { if is_plain(size, align) { mi_zalloc(size) } else { mi_zalloc_aligned(size, align) }.cast() }
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the caller got it from here.
        unsafe { mi_free(block.cast()) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let (block, align) = (block.cast(), layout.align());
        // SAFETY: the caller got it from here; the new block is aligned as the new size needs it.
        unsafe {
            if is_plain(size, align) {
                mi_realloc(block, size)
            } else {
                mi_realloc_aligned(block, size, align)
            }
            .cast()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_as_their_layout_says_when_made_and_when_they_grow() {
        for align in [1, 2, 4, 8, 16, 32, 64, 4096] {
            for size in [1, 7, 8, 15, 16, 24, 40, 48, 56, 100, 1000, 5000, 100_000] {
                let layout = Layout::from_size_align(size, align).unwrap();
                // Many, so that lists of free blocks run out.
                let blocks: Vec<*mut u8> = (0..50)
                    .map(|number| {
                        // SAFETY: the layout is not empty, and each block is used within its size.
                        unsafe {
                            let block = if number % 2 == 0 {
                                Allocator.alloc(layout)
                            } else {
                                Allocator.alloc_zeroed(layout)
                            };
                            assert!(
                                !block.is_null() && (block as usize).is_multiple_of(align),
                                "{size} at {align}"
                            );
                            block.write_bytes(number, size);
                            let block = Allocator.realloc(block, layout, size + 33);
                            assert!(
                                !block.is_null() && (block as usize).is_multiple_of(align),
                                "{size} + 33 at {align}"
                            );
                            assert_eq!((*block, *block.add(size - 1)), (number, number));
                            block
                        }
                    })
                    .collect();
                let layout = Layout::from_size_align(size + 33, align).unwrap();
                // SAFETY: they came from here, with this layout.
                blocks.into_iter().for_each(|block| unsafe { Allocator.dealloc(block, layout) });
            }
        }
    }
}
