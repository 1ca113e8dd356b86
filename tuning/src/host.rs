//! The kernel's files about the machine, under a root: the real one, or a test's.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the kernel's files are.
#[derive(Debug, Clone)]
pub struct Host {
    root: PathBuf,
}

/// The file system that holds a path, and the device below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Its type, such as ext4.
    pub kind: String,
    /// Its options, of the mount and of the file system.
    pub options: Vec<String>,
    /// The device's number, `major:minor`.
    pub device: String,
}

impl Host {
    /// This machine.
    pub fn here() -> Host {
        Host::under("/")
    }

    /// A machine whose files lie under `root`.
    pub fn under(root: impl Into<PathBuf>) -> Host {
        Host { root: root.into() }
    }

    /// Where a file of the machine really is.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// A file's text without blanks at its ends; `None` if it cannot be read.
    pub fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.path(path)).ok().map(|text| text.trim().to_owned())
    }

    /// A file that holds one number.
    pub fn number(&self, path: &str) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// The value in force of a file: the word in brackets where the kernel lists all that it could be (`[none] bfq`).
    pub fn chosen(&self, path: &str) -> Option<String> {
        let text = self.text(path)?;
        let bracketed = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        Some(bracketed.map_or(text.clone(), |(word, _)| word.to_owned()))
    }

    /// The names in a directory, sorted; none if it cannot be read.
    pub fn names(&self, path: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(path)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// A number of `/proc/meminfo`, in bytes.
    pub fn memory_bytes(&self, name: &str) -> Option<u64> {
        let text = self.text("/proc/meminfo")?;
        let line =
            text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(str::to_owned))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
    }

    /// The mount that holds an absolute path: the last of the longest mount points above it.
    pub fn mount_of(&self, dir: &Path) -> Option<Mount> {
        let text = self.text("/proc/self/mountinfo")?;
        let mounts = text.lines().filter_map(mount).filter(|(point, _)| dir.starts_with(point));
        mounts.max_by_key(|(point, _)| point.components().count()).map(|(_, mount)| mount)
    }

    /// The directory in `/sys` of the disk that a device number stands for; of a partition, the disk that it is on.
    pub fn disk_of(&self, device: &str) -> Option<String> {
        let own = format!("/sys/dev/block/{device}");
        // A partition has no queue of its own; its disk is one up.
        let disk = if self.path(&format!("{own}/partition")).exists() { format!("{own}/..") } else { own };
        self.path(&format!("{disk}/queue")).exists().then_some(disk)
    }
}

/// One line of mountinfo (proc_pid_mountinfo(5)): its mount point, and the rest.
fn mount(line: &str) -> Option<(PathBuf, Mount)> {
    let (own, of_file_system) = line.split_once(" - ")?;
    let own: Vec<&str> = own.split(' ').collect();
    let mut rest = of_file_system.split(' ');
    let kind = rest.next()?.to_owned();
    let options = format!("{},{}", own.get(5)?, rest.nth(1).unwrap_or_default());
    let options = options.split(',').filter(|option| !option.is_empty()).map(str::to_owned).collect();
    let point = own.get(4)?.replace("\\040", " ");
    Some((point.into(), Mount { kind, options, device: (*own.get(2)?).to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
28 27 0:5 / /dev rw,nosuid - devtmpfs udev rw,size=4k
40 27 259:2 / /mnt/big\\040disk rw,noatime shared:1 - xfs /dev/nvme0n1p2 rw,attr2
";

    #[test]
    fn the_deepest_mount_point_holds_a_path() {
        let host = crate::checks::tests::host("mounts", &[("proc/self/mountinfo", MOUNTS)]);
        let mount = host.mount_of(Path::new("/mnt/big disk/log")).unwrap();
        assert_eq!((mount.kind.as_str(), mount.device.as_str()), ("xfs", "259:2"));
        assert_eq!(mount.options, ["rw", "noatime", "rw", "attr2"]);
        assert_eq!(host.mount_of(Path::new("/mnt/bigger")).unwrap().kind, "ext4");
    }

    #[test]
    fn the_value_in_force_is_the_one_in_brackets() {
        let files = [("a", "none [mq-deadline] bfq\n"), ("b", "performance\n"), ("c", "12\n")];
        let host = crate::checks::tests::host("chosen", &files);
        assert_eq!(host.chosen("/a").as_deref(), Some("mq-deadline"));
        assert_eq!(host.chosen("/b").as_deref(), Some("performance"));
        assert_eq!(host.number("/c"), Some(12));
        assert_eq!(host.chosen("/d"), None);
    }
}
