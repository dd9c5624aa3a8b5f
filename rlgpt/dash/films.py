"""The films of a run, by name: of evaluations and of episodes that were played again."""

from pathlib import Path
from typing import Any

from nodes.common.goals.goal_ids import file_name

_FOLDERS = {"evaluation": "env_server/videos", "again": "films"}


_SHOWN = 30


def listing(run: Path, of: str | None = None) -> dict[str, Any]:
    """The newest, and how many there are in ``all``. ``of``: of this goal or play alone; of an
    episode that was played again the name begins with its play's, too. ``name`` is what `find`
    takes."""
    begins = "" if of is None else file_name(of)
    rows: list[dict[str, Any]] = []
    for kind, folder in _FOLDERS.items():
        for path in (run / folder).glob("*.mp4"):
            if begins and not path.stem.startswith((f"{begins}+", f"{begins}.")):
                continue
            state = path.stat()
            rows.append(
                {
                    "kind": kind,
                    "name": path.name,
                    "bytes": state.st_size,
                    "written": state.st_mtime,
                }
            )
    rows.sort(key=lambda row: -row["written"])
    return {"all": len(rows), "rows": rows[:_SHOWN]}


def find(run: Path, kind: str, name: str) -> Path | None:
    """A film's file. The name is looked up among those that there are: it leads nowhere else."""
    folder = _FOLDERS.get(kind)
    if folder is None:
        return None
    return next((path for path in (run / folder).glob("*.mp4") if path.name == name), None)
