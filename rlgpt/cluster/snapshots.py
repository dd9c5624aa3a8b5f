"""Whole copies of databases that a process may be in the middle of changing."""

import contextlib
import sqlite3
from pathlib import Path

JOURNALS = (".sqlite-wal", ".sqlite-shm", ".sqlite-journal")
DATABASE = ".sqlite"


class Snapshots:
    """Keeps the newest one of each database in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._taken: dict[Path, tuple[object, Path]] = {}
        self._number = 0

    def take(self, database: Path) -> Path:
        """A consistent copy of the database; the file itself if it is none. Where no copy can be
        made now, as on a full disk, the one before. Raises OSError if there is none."""
        state = [_state(path) for path in (database, Path(f"{database}-wal"))]
        before = self._taken.get(database)
        if before is not None and before[0] == state:
            return before[1]
        self._number += 1
        copy = self._folder / f"{self._number}{DATABASE}"
        try:
            self._folder.mkdir(exist_ok=True)
            with (
                contextlib.closing(sqlite3.connect(database)) as source,
                contextlib.closing(sqlite3.connect(copy)) as target,
            ):
                source.backup(target)
        except (OSError, sqlite3.OperationalError) as error:
            with contextlib.suppress(OSError):
                copy.unlink(missing_ok=True)
            if before is not None:
                return before[1]
            raise OSError(f"{database} cannot be copied: {error}") from error
        except sqlite3.Error:
            return database
        if before is not None:
            before[1].unlink(missing_ok=True)
        self._taken[database] = (state, copy)
        return copy

    def of(self, path: Path) -> Path:
        """The newest snapshot, of a file that is a database."""
        return self._taken[path][1] if path in self._taken else path


def _state(path: Path) -> tuple[int, int]:
    try:
        about = path.stat()
    except OSError:
        return 0, 0
    return about.st_size, about.st_mtime_ns
