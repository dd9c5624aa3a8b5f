"""The folder of a model that is served for several runs: where its server is, and what it serves.

The process that serves holds the lock of the folder, so a reader knows whether it still runs.
"""

import os
from pathlib import Path

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.common.running.file_lock import held, take_lock
from nodes.common.storage.whole_files import write_whole

_LOCK = "lock"
_SERVED = "served.json"


class Served(msgspec.Struct, kw_only=True):
    """What is served. ``url``: up to and with /v1, "" while the server is started (again)."""

    url: str
    model: str  # the name to ask for
    weights: str  # their version, with the adapter's
    context: int  # tokens, prompt and answer together


class AlreadyServed(Exception):
    """Another process serves from this folder."""


def hold(folder: Path) -> int:
    """Make the folder this process's own, until it ends. Returns the open file of the lock.

    Raises:
        AlreadyServed: it is another process's.
        OSError: it cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    if take_lock(file):
        return file
    os.close(file)
    raise AlreadyServed(str(folder))


def is_held(folder: Path) -> bool:
    """Whether a process serves from this folder."""
    return held(folder / _LOCK)


def note(folder: Path, served: Served) -> None:
    """Raises OSError."""
    write_whole(folder / _SERVED, msgspec.json.encode(served))


def forget(folder: Path) -> None:
    """What is noted is of a process that has ended."""
    (folder / _SERVED).unlink(missing_ok=True)


def read(folder: Path) -> Served | None:
    """What is served there; None where no process serves, or not yet."""
    if not is_held(folder):
        return None
    try:
        return msgspec.json.decode((folder / _SERVED).read_bytes(), type=Served)
    except (OSError, *UNDECODABLE):
        return None
