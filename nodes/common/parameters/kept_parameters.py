"""Parameters that were set while a node ran: the record of every change, by which they are kept
over a restart of the node and shown in the report."""

import os
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.common.storage.whole_files import UnusableFile, cut_unfinished_line

FILE = "parameters.jsonl"
"""The name of the file in the node's folder."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One value that was set. ``reset``: to what the configuration has."""

    time: float  # seconds since the epoch
    name: str
    old: Any
    new: Any
    by: str = ""  # who set it, as the request had it
    reset: bool = False


TAKEN = "taken.jsonl"
"""The name of the file in the learner's folder that has a `Taken` a line."""


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter that a training took. ``samples``: how many it had learned from."""

    time: float  # seconds since the epoch
    policy: str
    samples: int
    name: str
    old: float
    new: float


class KeptParameters:
    """The record of one node.

    Raises:
        UnusableFile: it is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        try:
            cut_unfinished_line(self._path)
            self.changes = read_changes(self._path)
        except FileNotFoundError:
            self.changes: list[Change] = []
        except (OSError, *UNDECODABLE) as error:
            raise UnusableFile(
                f"{self._path} cannot be read ({error}); remove it, and the parameters are those "
                "of config.yaml again"
            ) from None

    def values(self) -> dict[str, Any]:
        """What was set last, by name, without what was reset."""
        last = {change.name: change for change in self.changes}
        return {name: change.new for name, change in last.items() if not change.reset}

    def note(
        self, changes: Mapping[str, tuple[Any, Any]], by: str, reset: Collection[str] = ()
    ) -> None:
        """Record (old, new) by name; ``reset`` names those that were reset. Raises OSError: it
        cannot be written, and nothing is."""
        now = time.time()
        made = [
            Change(time=now, name=name, old=old, new=new, by=by, reset=name in reset)
            for name, (old, new) in changes.items()
        ]
        append_lines(self._path, made)
        self.changes += made


def read_changes(path: Path) -> list[Change]:
    """The whole lines of a record. Raises OSError, `UNDECODABLE`."""
    lines = path.read_bytes().split(b"\n")[:-1]
    return [msgspec.json.decode(line, type=Change) for line in lines]


def append_lines(path: Path, lines: list[Any]) -> None:
    """Write them as JSON, a line each, so that they outlast the process. Raises OSError."""
    with path.open("ab", buffering=0) as file:
        size = file.tell()
        data = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        try:
            written = file.write(data)
            if written is not None and written < len(data):
                raise OSError(28, "No space left on device", str(path))
            os.fsync(file.fileno())
        except OSError:
            os.ftruncate(file.fileno(), size)
            raise
