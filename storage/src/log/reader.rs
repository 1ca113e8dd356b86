//! Where a reader's batches lie: the tail by memory, everything else by index.

use shard::{Buf, Disk, OpenMode};

use super::Log;
use super::reindex::is_astray;
use crate::error::{Cause, StorageError};
use crate::files::OpenFiles;
use crate::offset::Offset;
use crate::read::{ReadDone, ReadPlan, ReadRange, ReadWant, Trim, trim};
use crate::segment::LOG;

impl Log {
    /// Decides what to read for `want`. At the tail the range is exact; elsewhere it begins with a batch at
    /// or before the wanted one, and [`Log::on_read`] trims what comes.
    pub fn plan_read(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        want: ReadWant,
    ) -> Result<ReadPlan, StorageError> {
        if want.offset < self.offsets.log_start || want.offset > self.offsets.end {
            return Ok(ReadPlan::OutOfRange);
        }
        let want = ReadWant { up_to: want.up_to.min(self.offsets.end), ..want };
        if want.offset >= want.up_to {
            return Ok(ReadPlan::Empty);
        }
        let index = self.segment_of(want.offset);
        let planned = self.plan_in(disk, files, index, want)?;
        Ok(planned.map_or(ReadPlan::Empty, ReadPlan::Range))
    }

    /// Takes the bytes that were read for `range`.
    pub fn on_read(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        range: &ReadRange,
        bytes: Buf,
    ) -> Result<ReadDone, StorageError> {
        let promised = range.promised.filter(|_| range.is_start);
        let is_led_astray = promised.is_some_and(|promised| is_astray(&bytes, promised));
        let done = if is_led_astray { None } else { Some(self.look_through(disk, files, range, bytes)) };
        match done {
            Some(Ok(done)) => Ok(done),
            Some(Err(error)) if range.promised.is_none() => Err(error),
            None | Some(Err(_)) => self.read_again(disk, files, range),
        }
    }

    fn look_through(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        range: &ReadRange,
        bytes: Buf,
    ) -> Result<ReadDone, StorageError> {
        let (skip, len) = match trim(&bytes, &range.want) {
            Trim::Batches(part) => return Ok(ReadDone::Batches(bytes.slice(part))),
            Trim::Nothing => return Ok(ReadDone::Empty),
            Trim::Corrupt { at } => return Err(self.read_error(range, at as u64, Cause::Corrupt)),
            Trim::Beyond { skip, len } => (skip as u64, len),
        };
        let Ok(index) = self.segments.binary_search_by_key(&range.segment, |segment| segment.base) else {
            // Deleted meanwhile; the reader asks again and learns where the log starts now.
            return Ok(ReadDone::Empty);
        };
        if self.segments[index].revision != range.revision {
            // Compacted meanwhile: the rest is looked for anew.
            let planned = self.plan_in(disk, files, index, range.want)?;
            return Ok(planned.map_or(ReadDone::Empty, ReadDone::More));
        }
        let position = range.position + skip;
        let Some(left) = u64::from(self.segments[index].written).checked_sub(position) else {
            // The last batch claims to end behind its segment.
            return Err(self.read_error(range, 0, Cause::Corrupt));
        };
        if left == 0 {
            // The rest of the segment's offsets is a gap, so what is wanted begins with the next one.
            let planned = self.plan_in(disk, files, index + 1, range.want)?;
            return Ok(planned.map_or(ReadDone::Empty, ReadDone::More));
        }
        if skip == 0 && bytes.len() < range.len || len as u64 > left {
            return Err(self.read_error(range, skip, Cause::Short));
        }
        let len = len.max(left.min(u64::from(range.want.bytes_max)) as usize);
        let is_start = range.is_start && skip == 0;
        Ok(ReadDone::More(ReadRange { position, len, is_start, ..*range }))
    }

    /// An index has led astray: it is made anew, and the reader looks once more.
    fn read_again(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        range: &ReadRange,
    ) -> Result<ReadDone, StorageError> {
        let Ok(index) = self.segments.binary_search_by_key(&range.segment, |segment| segment.base) else {
            return Ok(ReadDone::Empty);
        };
        if self.segments[index].is_sealed() && self.segments[index].revision == range.revision {
            self.reindex(disk, files, index)?;
        }
        let planned = self.plan_in(disk, files, index, range.want)?;
        Ok(planned.map_or(ReadDone::Empty, |again| ReadDone::More(ReadRange { promised: None, ..again })))
    }

    /// The segment that holds `offset`, or the first one.
    pub(super) fn segment_of(&self, offset: Offset) -> usize {
        self.segments.partition_point(|segment| segment.base <= offset).saturating_sub(1)
    }

    /// The range from segment `index` on, skipping what is empty.
    fn plan_in(
        &mut self,
        disk: &mut dyn Disk,
        files: &mut OpenFiles,
        index: usize,
        want: ReadWant,
    ) -> Result<Option<ReadRange>, StorageError> {
        let is_active = index + 1 == self.segments.len();
        let Some(segment) = self.segments.get_mut(index) else { return Ok(None) };
        if segment.base >= want.up_to {
            return Ok(None);
        }
        let known = if is_active { self.tail.find(&want, segment.size) } else { None };
        let (position, len, promised) = match known {
            Some((_, 0)) => return Ok(None),
            Some((position, len)) => (position, len, None),
            None => {
                let (position, promised) = self.position_in(disk, files, index, want.offset)?;
                let (spare, written) = (self.settings.index_interval_bytes, self.segments[index].written);
                let len = want.bytes_max.saturating_add(spare).min(written.saturating_sub(position));
                (position, len, promised)
            }
        };
        let segment = &mut self.segments[index];
        let file = segment.open_log(disk, files, &self.dir, OpenMode::Write)?;
        let range = ReadRange {
            file,
            position: position.into(),
            len: len as usize,
            segment: segment.base,
            revision: segment.revision,
            promised,
            is_start: true,
            want,
        };
        Ok(Some(range))
    }

    fn read_error(&self, range: &ReadRange, at: u64, cause: Cause) -> StorageError {
        StorageError::new(&crate::segment::path_of(&self.dir, range.segment, LOG), range.position + at, cause)
    }
}
