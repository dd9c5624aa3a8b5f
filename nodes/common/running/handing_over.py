"""The files of a node's folder that it hands over on request: a run's report is written on one
machine, and its nodes may be on others."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from messages.bus import ServiceError
from messages.empty import Empty
from messages.files import MOST_FILES, PART, FileEntry, FilePart, Files, ReadFile


class HandedOver:
    """The files below ``folder`` that match one of the ``patterns``; no other can be read."""

    def __init__(self, folder: Path, patterns: Iterable[str]) -> None:
        self._folder = folder
        self._patterns = sorted(set(patterns))

    def list(self, _: Empty) -> Files:
        entries = [e for path in self._paths() if (e := self._entry(path)) is not None]
        return Files(files=entries[:MOST_FILES])

    def read(self, request: ReadFile) -> FilePart:
        """Raises ServiceError ``unknown_file``."""
        path = self._folder / request.path
        if path not in self._paths():
            raise ServiceError(
                f"there is no file {request.path!r} here that is handed over", code="unknown_file"
            )
        try:
            with path.open("rb") as file:
                file.seek(request.offset)
                return FilePart(data=file.read(PART))
        except OSError as error:
            raise ServiceError(f"{request.path} cannot be read: {error.strerror}") from None

    def _paths(self) -> Iterator[Path]:
        for pattern in self._patterns:
            for path in sorted(self._folder.glob(pattern)):
                # A link may point anywhere, and a name that begins with a dot is a draft.
                hidden = any(part.startswith(".") for part in path.parts[len(self._folder.parts) :])
                if path.is_file() and not hidden and path.resolve() == path:
                    yield path

    def _entry(self, path: Path) -> FileEntry | None:
        digest = hashlib.sha256()
        size = 0
        try:
            with path.open("rb") as file:
                while data := file.read(PART):
                    digest.update(data)
                    size += len(data)
        except OSError:
            return None  # it was removed since
        name = path.relative_to(self._folder).as_posix()
        return FileEntry(path=name, size=size, digest=digest.hexdigest())
