"""Locks of open files, which the operating system releases when their process ends in any way.

They are not `flock`'s: whether one of these is taken can be asked without taking it for a moment,
in which a node that starts would be refused its own.
"""

import fcntl
import os
import struct
from pathlib import Path

# Type, whence, start, length (0: all of it), process (0: these locks are a file's).
_FLOCK = struct.Struct("hhqqi0q")
_EXCLUSIVE = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)


def take_lock(file: int) -> bool:
    """Take the lock of a file that is open for writing. False: another open file has it."""
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, _EXCLUSIVE)
    except BlockingIOError:
        return False
    return True


def is_locked(file: int) -> bool:
    """Whether another open file has the lock of this file."""
    found = fcntl.fcntl(file, fcntl.F_OFD_GETLK, _EXCLUSIVE)
    return _FLOCK.unpack(found)[0] != fcntl.F_UNLCK


def held(lock: Path) -> bool:
    """Whether a process of this machine holds a lock file."""
    try:
        file = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return is_locked(file)
    finally:
        os.close(file)
