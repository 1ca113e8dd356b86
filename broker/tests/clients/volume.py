"""A file system of its own for a broker's data, in a file that is mounted: it can lose power, and be filled up. Needs root."""
import fcntl
import os
import shutil
import struct
import subprocess
import tempfile
import time

# Ends a mounted file system at once, as a loss of power would: nothing that is still in memory gets to the device, the file
# system's own journal included. The same number on ext4 (EXT4_IOC_SHUTDOWN) and XFS (XFS_IOC_GOINGDOWN).
SHUTDOWN = 0x8004587d
NO_LOG_FLUSH = 2

MAKE = {'ext4': ['mkfs.ext4', '-q', '-F'], 'xfs': ['mkfs.xfs', '-q', '-f']}


class Volume:
    def __init__(self, kind, mib):
        self.kind = kind
        self.scratch = tempfile.mkdtemp(prefix='ringlog-volume-')
        self.image, self.path = os.path.join(self.scratch, 'image'), os.path.join(self.scratch, 'mounted')
        self.mib = mib

    def __enter__(self):
        if os.geteuid() != 0:
            raise SystemExit('mounting a file system needs root: run this test as root')
        os.mkdir(self.path)
        with open(self.image, 'wb') as image:
            image.truncate(self.mib << 20)
        subprocess.run(MAKE[self.kind] + [self.image], check=True)
        self.mount()
        return self

    def mount(self):
        subprocess.run(['mount', '-o', 'loop', '-t', self.kind, self.image, self.path], check=True)

    def unmount(self):
        """The kernel may hold files of a killed process for a moment."""
        deadline = time.monotonic() + 30
        while subprocess.run(['umount', self.path], stderr=subprocess.DEVNULL).returncode:
            if time.monotonic() > deadline:
                raise SystemExit(f'{self.path} cannot be unmounted')
            time.sleep(0.02)

    def lose_power(self):
        directory = os.open(self.path, os.O_RDONLY)
        fcntl.ioctl(directory, SHUTDOWN, struct.pack('I', NO_LOG_FLUSH))
        os.close(directory)

    def restore_power(self):
        self.unmount()
        self.mount()

    def __exit__(self, *_):
        if os.path.ismount(self.path):
            self.unmount()
        shutil.rmtree(self.scratch, ignore_errors=True)
