"""Confines a worker: from here on it can do what it needs, and nothing else."""

import ctypes
import errno
import os
import resource
from collections.abc import Iterable, Sequence
from pathlib import Path

from nodes.env_server.jail import landlock, seccomp
from worlds.play import Run

_PR_SET_NO_NEW_PRIVS = 38
_MOST_FILES = 64

_libc = ctypes.CDLL(None, use_errno=True)


def missing() -> list[str]:
    """What of the jail this kernel cannot do, a sentence each."""
    missing: list[str] = []
    if not landlock.version():
        missing.append("this kernel has no landlock")
    if why := seccomp.why_not():
        missing.append(why)
    return missing


def confine(keep: Iterable[int], memory: int, threads: Sequence[Run] = ()) -> None:
    """``keep``: the file descriptors that stay open. ``memory``: MiB of address space beyond what
    is taken now. ``threads``: what runs a function in each thread beside the calling one. What
    `missing` names is left out.

    Raises:
        OSError: the kernel refused what it has, or there is a thread that is not named.
    """
    if (there := len(os.listdir("/proc/self/task"))) != 1 + len(threads):
        raise OSError(errno.EBUSY, f"{there} threads are to be confined, {1 + len(threads)} named")
    _forget_surroundings(keep)
    limits = {
        resource.RLIMIT_AS: _size() + (memory << 20),
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: 0,  # means nothing for root; the filter denies clone anyway
        resource.RLIMIT_NOFILE: _MOST_FILES,
    }
    for limit, value in limits.items():
        hard = resource.getrlimit(limit)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (value, value))
    # Landlock holds for the thread that asks for it, limits and the filter for all.
    for run in threads:
        run(_deny_files)
    _deny_files()
    if not seccomp.why_not():
        seccomp.install()


def _deny_files() -> None:
    """Of the calling thread."""
    if _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs is refused")
    if abi := landlock.version():
        landlock.deny_all(abi)


def _forget_surroundings(keep: Iterable[int]) -> None:
    """Only the named files, no environment, no working folder."""
    os.chdir("/")
    os.umask(0o077)
    for name in list(os.environ):
        del os.environ[name]
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    kept = {0, 1, 2, *keep}
    for number in [int(name) for name in os.listdir("/proc/self/fd")]:
        if number not in kept:
            try:
                os.close(number)
            except OSError:
                continue  # the folder that was listed just now


def _size() -> int:
    """Bytes of address space that this process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()
