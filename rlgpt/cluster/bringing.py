"""Copies a process's files between its host and the run folder."""

import contextlib
import os
from collections.abc import Callable, Collection, Generator
from pathlib import Path

from rlgpt.cluster.snapshots import DATABASE, JOURNALS
from rlgpt.received_path import leads_out

LARGEST = 4 << 30
"""Bytes of one file that is copied; a larger one stays where it is."""
FILM = ".mp4"
OURS = frozenset({"lock", "output.log"})
"""Files of a node that the launcher's host has by the same names."""

Listed = list[tuple[str, int, int, int]]
"""Path, size, time of change and number (inode) of each file there."""


class Bringing:
    """Into ``folder`` comes what is not among ``ours``; ``part(path, offset, number)`` is the next
    bytes of a file there. No file is larger than ``largest`` bytes."""

    def __init__(
        self,
        folder: Path,
        part: Callable[[str, int, int], bytes],
        ours: Collection[str] = OURS,
        largest: int = LARGEST,
    ) -> None:
        self._folder = folder
        self._part = part
        self._ours = ours
        self._largest = largest
        self._brought: dict[str, tuple[int, int, int]] = {}
        self._kept: frozenset[str] = frozenset()

    def have(self, listed: Listed, not_sent: Collection[str] = ()) -> None:
        """The files there are those here: they were sent. Those that were ``not_sent`` are never
        replaced here: what is there by the same name has begun without them."""
        self._kept = frozenset(not_sent)
        self._brought = {
            path: (size, changed, number)
            for path, size, changed, number in listed
            if not leads_out(self._folder, path)
        }

    def bring(self, listed: Listed) -> list[str]:
        """Copy what has changed, and delete what was deleted there. Returns a sentence for each
        file that was not copied. One that has just been replaced is left for the next time."""
        problems: list[str] = []
        for path in self._brought.keys() - {each[0] for each in listed}:
            try:
                (self._folder / path).unlink(missing_ok=True)
            except OSError as error:
                problems.append(f"{path} was deleted there, and not here: {error.strerror}")
                continue
            del self._brought[path]
        for path, size, changed, number in listed:
            about = (size, changed, number)
            if Path(path).name in self._ours or self._brought.get(path) == about:
                continue
            if problem := self._problem(path, size):
                problems.append(problem)
                continue
            try:
                if self._copy(path, size, number):
                    self._brought[path] = about
            except _NotWritten as error:
                problems.append(f"{path}: {error}")
        return problems

    def _problem(self, path: str, size: int) -> str:
        if problem := leads_out(self._folder, path):
            return problem
        if path in self._kept:
            return f"{path} here is too large to have been sent there, and is not replaced"
        if size > self._largest:
            return f"{path} is {size >> 20} MiB; at most {self._largest >> 20}"
        return ""

    def _copy(self, path: str, size: int, number: int) -> bool:
        target = self._folder / path
        draft = target.with_name(f".{target.name}.draft")
        try:
            with _written_here():
                target.parent.mkdir(parents=True, exist_ok=True)
                file = draft.open("wb", buffering=0)
            with file:
                while file.tell() < size:
                    data = self._part(path, file.tell(), number)[: size - file.tell()]
                    if not data:
                        return False
                    with _written_here():
                        file.write(data)
            with _written_here():
                for journal in JOURNALS:  # of an older one, which would be played into the new one
                    if target.suffix == DATABASE:
                        target.with_suffix(journal).unlink(missing_ok=True)
                os.replace(draft, target)
        finally:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
        return True


class _NotWritten(Exception):
    """A file cannot be written here, as on a full disk. The process there is as well as before."""


@contextlib.contextmanager
def _written_here() -> Generator[None]:
    # Only around what is done here: a host that does not answer raises an OSError too.
    try:
        yield
    except OSError as error:
        raise _NotWritten(error.strerror) from error


def files_to_bring(folder: Path, largest: int = LARGEST) -> tuple[list[Path], list[Path]]:
    """The files of a node's folder that its next process goes on from, wherever it is placed, and
    those that are too large (bytes) for that. Films are of neither: they are of requests that are
    over."""
    found = [path for path in files_of(folder, OURS) if path.suffix != FILM]
    large = [path for path in found if path.stat().st_size > largest]
    return [path for path in found if path not in large], large


def files_of(folder: Path, ours: Collection[str]) -> list[Path]:
    """All files below a folder, but for those named so."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and path.name not in ours
    ]
