//! Where each leader's records begin, in Kafka's file `leader-epoch-checkpoint`.
//!
//! ```text
//! 0            version
//! 2            how many lines follow
//! 0 0          epoch, its first offset
//! 3 170
//! ```

use crate::error::Cause;
use crate::offset::{LeaderEpoch, Offset};

/// The file's name within a log's directory.
pub const FILE_NAME: &str = "leader-epoch-checkpoint";

const VERSION: &str = "0";

/// Epochs with their first offsets, both rising.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Epochs {
    starts: Vec<(LeaderEpoch, Offset)>,
}

impl Epochs {
    /// Notes that `epoch` appends at `offset`. Says whether this is news.
    pub fn apply(&mut self, epoch: LeaderEpoch, offset: Offset) -> bool {
        let newer = self.starts.last().is_none_or(|(last, _)| epoch > *last);
        if epoch < LeaderEpoch(0) || !newer {
            return false;
        }
        // An epoch that wrote nothing leaves no trace.
        self.starts.retain(|(_, start)| *start < offset);
        self.starts.push((epoch, offset));
        true
    }

    /// The newest epoch that appended anything.
    pub fn latest(&self) -> Option<LeaderEpoch> {
        self.starts.last().map(|(epoch, _)| *epoch)
    }

    /// The largest epoch not above `asked` and where it ends: the next one's start, or the log's end (Q78).
    pub fn end_of(&self, asked: LeaderEpoch, log_end: Offset) -> Option<(LeaderEpoch, Offset)> {
        if asked == LeaderEpoch::UNKNOWN {
            return None;
        }
        let after = self.starts.partition_point(|(epoch, _)| *epoch <= asked);
        let (epoch, _) = self.starts[..after].last()?;
        let end = self.starts.get(after).map_or(log_end, |(_, start)| *start);
        Some((*epoch, end))
    }

    /// The epoch that wrote at `offset`.
    pub fn epoch_at(&self, offset: Offset) -> Option<LeaderEpoch> {
        let after = self.starts.partition_point(|(_, start)| *start <= offset);
        self.starts[..after].last().map(|(epoch, _)| *epoch)
    }

    /// Forgets what lies at `end` and beyond.
    pub fn cut(&mut self, end: Offset) {
        self.starts.retain(|(_, start)| *start < end);
    }

    /// The file's content.
    pub fn encode(&self) -> Vec<u8> {
        let mut text = format!("{VERSION}\n{}\n", self.starts.len());
        for (epoch, start) in &self.starts {
            text.push_str(&format!("{} {}\n", epoch.0, start));
        }
        text.into_bytes()
    }

    /// Each epoch and where it begins, in their order.
    pub fn starts(&self) -> &[(LeaderEpoch, Offset)] {
        &self.starts
    }

    /// Reads a file's content: [`Cause::Corrupt`] if it is not what [`Epochs::encode`] writes.
    pub fn decode(bytes: &[u8]) -> Result<Epochs, Cause> {
        let text = std::str::from_utf8(bytes).map_err(|_| Cause::Corrupt)?;
        match text.split_once('\n') {
            Some((VERSION, _)) => Epochs::decode_whole(text).ok_or(Cause::Corrupt),
            Some((version, _)) if version.parse::<u32>().is_ok() => Err(Cause::UnknownVersion),
            _ => Err(Cause::Corrupt),
        }
    }

    fn decode_whole(text: &str) -> Option<Epochs> {
        // A cut last line could read as another number.
        let mut lines = text.strip_suffix('\n')?.lines().skip(1);
        let count: usize = lines.next()?.parse().ok()?;
        let mut epochs = Epochs::default();
        for line in lines {
            let (epoch, start) = line.split_once(' ')?;
            epochs.apply(LeaderEpoch(epoch.parse().ok()?), Offset(start.parse().ok()?));
        }
        (epochs.starts.len() == count).then_some(epochs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epochs(starts: &[(i32, i64)]) -> Epochs {
        let mut epochs = Epochs::default();
        for (epoch, start) in starts {
            assert!(epochs.apply(LeaderEpoch(*epoch), Offset(*start)));
        }
        epochs
    }

    #[test]
    fn q78_an_epoch_ends_where_the_next_begins() {
        let epochs = epochs(&[(0, 0), (3, 170), (4, 200)]);
        for (asked, expected) in
            [(-1, None), (0, Some((0, 170))), (2, Some((0, 170))), (3, Some((3, 200))), (9, Some((4, 250)))]
        {
            let expected = expected.map(|(epoch, end)| (LeaderEpoch(epoch), Offset(end)));
            assert_eq!(epochs.end_of(LeaderEpoch(asked), Offset(250)), expected);
        }
        assert_eq!(epochs.epoch_at(Offset(199)), Some(LeaderEpoch(3)));
        assert_eq!(Epochs::default().end_of(LeaderEpoch(0), Offset(0)), None);
    }

    #[test]
    fn an_epoch_without_records_leaves_no_trace() {
        let mut epochs = epochs(&[(0, 0), (1, 10), (2, 10)]);
        assert_eq!(epochs.end_of(LeaderEpoch(1), Offset(12)), Some((LeaderEpoch(0), Offset(10))));
        assert!(!epochs.apply(LeaderEpoch(2), Offset(11)));
        epochs.cut(Offset(10));
        assert_eq!(epochs.latest(), Some(LeaderEpoch(0)));
    }

    #[test]
    fn the_file_reads_back_as_written() {
        let epochs = epochs(&[(0, 0), (3, 170)]);
        assert_eq!(epochs.encode(), b"0\n2\n0 0\n3 170\n");
        assert_eq!(Epochs::decode(&epochs.encode()), Ok(epochs));
        assert_eq!(Epochs::decode(b"1\nanything"), Err(Cause::UnknownVersion));
        for broken in ["", "0\n1\n", "x\n0\n", "0\n1\nx y\n", "0\n2\n0 0\n", "0\n2\n0 0\n3 17"] {
            assert_eq!(Epochs::decode(broken.as_bytes()), Err(Cause::Corrupt), "{broken:?}");
        }
    }
}
