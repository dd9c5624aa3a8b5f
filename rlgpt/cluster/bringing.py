"""Brings the files of a process from its host into the run folder, and sends those that a start
goes on from there."""

import os
from collections.abc import Callable, Collection
from pathlib import Path

LARGEST = 256 << 20
"""Bytes of one file; a larger one stays on its host."""
TAKEN_ALONG = 4 << 20
"""Bytes of one file that goes to the next host with a node."""
OURS = frozenset({"lock", "output.log"})
"""Files of a node that the launcher's host has by the same names."""
DATABASE = (".sqlite", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal")

Listed = list[tuple[str, int, int]]
"""Path, size and time of change of each file there."""


class Bringing:
    """Into ``folder`` comes what is not among ``ours``; ``part(path, offset)`` is the next bytes of
    a file there. No file is larger than ``largest`` bytes."""

    def __init__(
        self,
        folder: Path,
        part: Callable[[str, int], bytes],
        ours: Collection[str] = OURS,
        largest: int = LARGEST,
    ) -> None:
        self._folder = folder
        self._part = part
        self._ours = ours
        self._largest = largest
        self._brought: dict[str, tuple[int, int]] = {}

    def have(self, listed: Listed) -> None:
        """The files there are those here: they were sent."""
        self._brought = {path: (size, changed) for path, size, changed in listed}

    def bring(self, listed: Listed, ended: bool) -> list[str]:
        """Copy what has changed; a database only once its process has ``ended``, as it may be in
        the middle of a change. Returns a sentence for each file that was not copied."""
        problems: list[str] = []
        for path, size, changed in listed:
            if Path(path).name in self._ours or self._brought.get(path) == (size, changed):
                continue
            if path.endswith(DATABASE) and not ended:
                continue
            if problem := self._problem(path, size):
                problems.append(problem)
                continue
            if self._copy(path, size):
                self._brought[path] = (size, changed)
        if ended:
            self._remove_left({path for path, _, _ in listed})
        return problems

    def _remove_left(self, there: set[str]) -> None:
        """A journal that the database no longer has would be played into the new one."""
        for path in self._folder.rglob("*"):
            if path.name.endswith(DATABASE) and str(path.relative_to(self._folder)) not in there:
                path.unlink()

    def _problem(self, path: str, size: int) -> str:
        # The path comes from another machine: it must not lead out of the node's folder.
        if Path(path).is_absolute() or ".." in Path(path).parts or "\0" in path:
            return f"{path!r} leads out of the folder"
        if not (self._folder / path).resolve().is_relative_to(self._folder.resolve()):
            return f"{path!r} leads out of the folder by a link"
        if size > self._largest:
            return f"{path} is {size >> 20} MiB; at most {self._largest >> 20}"
        return ""

    def _copy(self, path: str, size: int) -> bool:
        """False where it was deleted meanwhile."""
        target = self._folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f".{target.name}.draft")
        try:
            with draft.open("wb") as file:
                while file.tell() < size:
                    data = self._part(path, file.tell())[: size - file.tell()]
                    if not data:
                        break  # it was cut or deleted meanwhile
                    file.write(data)
                if size and not file.tell():
                    return False
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)
        return True


def taken_along(folder: Path) -> list[Path]:
    """The files of a node's folder that its next process goes on from, wherever it is placed. Films
    stay: they are of requests that are over."""
    return [
        path
        for path in files_of(folder, OURS)
        if path.suffix != ".mp4" and path.stat().st_size <= TAKEN_ALONG
    ]


def files_of(folder: Path, ours: Collection[str]) -> list[Path]:
    """All files below a folder, but for those named so."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and path.name not in ours
    ]
