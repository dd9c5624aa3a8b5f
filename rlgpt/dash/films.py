"""The films of a run, by name: of evaluations and of episodes that were played again."""

from pathlib import Path
from typing import Any

_FOLDERS = {"evaluation": "env_server/videos", "again": "films"}


def listing(run: Path) -> list[dict[str, Any]]:
    """The newest first. ``name`` is what `find` takes."""
    rows: list[dict[str, Any]] = []
    for kind, folder in _FOLDERS.items():
        for path in (run / folder).glob("*.mp4"):
            state = path.stat()
            rows.append(
                {
                    "kind": kind,
                    "name": path.name,
                    "bytes": state.st_size,
                    "written": state.st_mtime,
                }
            )
    return sorted(rows, key=lambda row: -row["written"])


def find(run: Path, kind: str, name: str) -> Path | None:
    """A film's file. The name is looked up among those that there are: it leads nowhere else."""
    folder = _FOLDERS.get(kind)
    if folder is None:
        return None
    return next((path for path in (run / folder).glob("*.mp4") if path.name == name), None)
