"""Brings the files of a node's process from its host into the run folder, and those that a start
goes on from there."""

import os
from collections.abc import Callable
from pathlib import Path

LARGEST = 256 << 20
"""Bytes of one file; a larger one stays on its host."""
TAKEN_ALONG = 4 << 20
"""Bytes of one file that goes to the next host."""
OURS = frozenset({"lock", "output.log"})  # of the launcher's host, by the same names
DATABASE = (".sqlite", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal")

Listed = list[tuple[str, int, int]]


class Bringing:
    """``part(path, offset)``: the next bytes of a file there."""

    def __init__(self, folder: Path, part: Callable[[str, int], bytes]) -> None:
        self._folder = folder
        self._part = part
        self._brought: dict[str, tuple[int, int]] = {}

    def bring(self, listed: Listed, ended: bool) -> list[str]:
        """Copy what has changed; a database only once its process has ``ended``, as it may be in
        the middle of a change. Returns a sentence for each file that was not copied."""
        problems: list[str] = []
        for path, size, changed in listed:
            if Path(path).name in OURS or self._brought.get(path) == (size, changed):
                continue
            if path.endswith(DATABASE) and not ended:
                continue
            if problem := self._problem(path, size):
                problems.append(problem)
                continue
            self._copy(path, size)
            self._brought[path] = (size, changed)
        return problems

    def _problem(self, path: str, size: int) -> str:
        # The path comes from another machine: it must not lead out of the node's folder.
        if Path(path).is_absolute() or ".." in Path(path).parts or "\0" in path:
            return f"{path!r} leads out of the folder"
        if not (self._folder / path).resolve().is_relative_to(self._folder.resolve()):
            return f"{path!r} leads out of the folder by a link"
        if size > LARGEST:
            return f"{path} is {size >> 20} MiB; at most {LARGEST >> 20}"
        return ""

    def _copy(self, path: str, size: int) -> None:
        target = self._folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f".{target.name}.draft")
        try:
            with draft.open("wb") as file:
                while file.tell() < size:
                    data = self._part(path, file.tell())[: size - file.tell()]
                    if not data:
                        break  # it was cut meanwhile
                    file.write(data)
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)


def taken_along(folder: Path) -> dict[str, bytes]:
    """The files of a node's folder that its next process goes on from, wherever it is placed. Films
    stay: they are of requests that are over."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.is_symlink() or path.name in OURS or path.suffix == ".mp4":
            continue
        if path.stat().st_size <= TAKEN_ALONG:
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found
