"""A seccomp filter of our own: which system calls a worker may still make.

Allowed is what memory, time and file descriptors that are open already need. Everything else fails
with EPERM: killing instead would turn an ordinary SyntaxError into a death, as Python looks for the
source file. Memory can no longer be made executable, as all kernels are loaded by then.
"""

import ctypes
import errno
import os
import platform
import struct

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""AUDIT_ARCH by what `platform.machine` returns."""

# x86_64, aarch64 (None: it has no such call)
ALLOWED: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "poll": (7, None),
    "ppoll": (271, 73),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "munmap": (11, 215),
    "brk": (12, 214),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "futex": (202, 98),
    "membarrier": (324, 283),
    "rseq": (334, 293),
    "set_robust_list": (273, 99),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getrandom": (318, 278),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
NOT_EXECUTABLE: dict[str, tuple[int, int]] = {"mmap": (9, 222), "mprotect": (10, 226)}
"""Allowed as long as the third argument has no PROT_EXEC."""

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06  # BPF: ld abs, jeq, jset, ret
_NUMBER, _ARCHITECTURE, _THIRD = 0, 4, 32  # where they stand in struct seccomp_data
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
_PROT_EXEC = 4
_PR_GET_SECCOMP = 21
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_MODE_FILTER, _ALL_THREADS = 1, 1  # SECCOMP_FILTER_FLAG_TSYNC

_libc = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def why_not() -> str:
    """Why there can be no filter here; empty if there can."""
    if platform.machine() not in ARCHITECTURES:
        return f"there is no list of system calls for {platform.machine()}"
    if _libc.prctl(_PR_GET_SECCOMP, 0, 0, 0, 0) < 0:
        return "this kernel has no seccomp"
    return ""


def program(machine: str) -> bytes:
    """The filter for a machine, as an array of ``struct sock_filter``."""
    column = list(ARCHITECTURES).index(machine)
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    for numbers in ALLOWED.values():
        number = numbers[column]
        if number is not None:
            steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    for numbers in NOT_EXECUTABLE.values():
        steps += [
            (_EQUAL, 0, 4, numbers[column]),
            (_LOAD, 0, 0, _THIRD),
            (_ANY_BIT, 1, 0, _PROT_EXEC),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _REFUSE),
        ]
    steps.append((_RETURN, 0, 0, _REFUSE))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def install() -> None:
    """From now on all threads of this process may do what is allowed above and nothing else. Needs
    ``no_new_privs``.

    Raises:
        OSError: the kernel refused.
    """
    code = program(platform.machine())
    buffer = ctypes.create_string_buffer(code, len(code))
    whole = _Program(len(code) // 8, ctypes.addressof(buffer))
    call = _SECCOMP[platform.machine()]
    thread = _libc.syscall(call, _SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(whole))
    if thread > 0:
        raise OSError(errno.EBUSY, f"seccomp: thread {thread} has another filter")
    if thread:
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")
