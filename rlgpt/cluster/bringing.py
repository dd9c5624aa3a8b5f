"""Copies a process's files between its host and the run folder."""

import os
from collections.abc import Callable, Collection
from pathlib import Path

from nodes.common.storage.whole_files import named
from rlgpt.cluster.snapshots import DATABASE, JOURNALS
from rlgpt.received_path import leads_out

LARGEST = 256 << 20
"""Bytes of one file; a larger one stays on its host."""
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

    def have(self, listed: Listed) -> None:
        """The files there are those here: they were sent."""
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
            (self._folder / path).unlink(missing_ok=True)
            del self._brought[path]
        for path, size, changed, number in listed:
            about = (size, changed, number)
            if Path(path).name in self._ours or self._brought.get(path) == about:
                continue
            if problem := self._problem(path, size):
                problems.append(problem)
            elif self._copy(path, size, number):
                self._brought[path] = about
        return problems

    def _problem(self, path: str, size: int) -> str:
        if problem := leads_out(self._folder, path):
            return problem
        if size > self._largest:
            return f"{path} is {size >> 20} MiB; at most {self._largest >> 20}"
        return ""

    def _copy(self, path: str, size: int, number: int) -> bool:
        target = self._folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f".{target.name}.draft")
        try:
            with draft.open("wb", buffering=0) as file:
                while file.tell() < size:
                    data = self._part(path, file.tell(), number)[: size - file.tell()]
                    if not data:
                        return False
                    with named(target):
                        file.write(data)
            for journal in JOURNALS:  # of an older one, which would be played into the new one
                if target.suffix == DATABASE:
                    target.with_suffix(journal).unlink(missing_ok=True)
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)
        return True


def taken_along(folder: Path, largest: int) -> list[Path]:
    """The files of a node's folder, of that many bytes at most, that its next process goes on from,
    wherever it is placed. Films stay: they are of requests that are over."""
    return [
        path
        for path in files_of(folder, OURS)
        if path.suffix != ".mp4" and path.stat().st_size <= largest
    ]


def files_of(folder: Path, ours: Collection[str]) -> list[Path]:
    """All files below a folder, but for those named so."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and path.name not in ours
    ]
