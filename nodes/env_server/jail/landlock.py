"""Landlock without a single rule: a process that can no longer open, make, remove or run any file,
bind or connect TCP, reach an abstract socket, or signal a process outside, as far as the kernel
knows these (kernel documentation: userspace-api/landlock)."""

import ctypes
import os

_CREATE_RULESET, _RESTRICT_SELF = 444, 446  # the same on every architecture
_VERSION = 1  # LANDLOCK_CREATE_RULESET_VERSION

_libc = ctypes.CDLL(None, use_errno=True)


class _Attributes(ctypes.Structure):
    _fields_ = [
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    ]


def version() -> int:
    """The kernel's landlock ABI, 0 where it has none."""
    return max(int(_libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)), 0)


def handled(abi: int) -> tuple[int, int, int]:
    """All rights over files, over the network, and all scopes that an ABI knows, as bits."""
    files = 13 if abi < 2 else 14 if abi < 3 else 15 if abi < 5 else 16
    return (1 << files) - 1, 0b11 if abi >= 4 else 0, 0b11 if abi >= 6 else 0


def deny_all(abi: int) -> None:
    """Needs ``no_new_privs``, and does not end.

    Raises:
        OSError: the kernel refused.
    """
    attributes = _Attributes(*handled(abi))
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = _libc.syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), 0)
    if ruleset < 0:
        raise _error("landlock_create_ruleset")
    try:
        if _libc.syscall(_RESTRICT_SELF, ruleset, 0):
            raise _error("landlock_restrict_self")
    finally:
        os.close(ruleset)


def _error(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")
