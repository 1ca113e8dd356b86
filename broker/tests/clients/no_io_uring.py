"""A container that forbids io_uring, as Docker's own seccomp profile does: the broker says so once and serves on epoll.

    no_io_uring.py                     the warning, the refusal when io_uring is demanded, and a few of the other tests
    no_io_uring.py COMMAND [ARG...]    any command under the same filter, for example run.sh with any test
"""
import ctypes
import os
import struct
import subprocess
import sys

from ringlog import BIN, Ringlog, passed

HERE = os.path.dirname(os.path.abspath(__file__))
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
EPERM = 1
# io_uring_setup, io_uring_enter, io_uring_register: the same numbers on every architecture.
FORBIDDEN = range(425, 428)
TESTS = [['cores'], ['half_open'], ['slow_reader'], ['kill_nine_durable', '1'], ['transactions', '1']]


def forbid_io_uring():
    """Gives this process and its children a seccomp filter by which those system calls fail with EPERM."""
    load_number = struct.pack('HBBI', 0x20, 0, 0, 0)
    deny, allow = struct.pack('HBBI', 0x06, 0, 0, 0x00050000 | EPERM), struct.pack('HBBI', 0x06, 0, 0, 0x7fff0000)
    at_least = struct.pack('HBBI', 0x35, 0, 2, FORBIDDEN.start)
    beyond = struct.pack('HBBI', 0x35, 1, 0, FORBIDDEN.stop)
    program = load_number + at_least + beyond + deny + allow
    code = ctypes.create_string_buffer(program, len(program))
    fprog = struct.pack('HxxxxxxP', len(program) // 8, ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, fprog, 0, 0):
        raise SystemExit(f'no seccomp filter can be had: {os.strerror(ctypes.get_errno())}')


def says_so_once():
    with Ringlog() as broker:
        log = broker.log_tail(1000)
    assert log.count('running on epoll') == 1, log
    assert 'one thread with epoll each' in log, log
    demanded = subprocess.run([BIN, 'start', '--set', 'ringlog.io.backend=ring', '--listen', '127.0.0.1:0',
                               '--data-dir', broker.data_dir], capture_output=True, text=True, timeout=60)
    assert demanded.returncode != 0, demanded
    assert 'io_uring is forbidden here' in demanded.stderr, demanded


def main():
    forbid_io_uring()
    if len(sys.argv) > 1:
        os.execvp(sys.argv[1], sys.argv[1:])
    says_so_once()
    for name, *arguments in TESTS:
        subprocess.run([sys.executable, os.path.join(HERE, f'{name}.py'), *arguments], check=True, timeout=300)
    passed('no_io_uring', f'warned once; {len(TESTS)} other tests on epoll')


main()
