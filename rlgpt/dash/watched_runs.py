"""The run folders that the page shows, by name: the one that it was started for and its neighbours.

A name comes from a browser. It is looked up among the folders that there are and never made a path
of, so that no name leads anywhere else.
"""

import threading
import time
from pathlib import Path

from rlgpt.dash.controls import Controls
from rlgpt.dash.follow.follower import Follower
from rlgpt.dash.follow.sight_watch import SightWatch
from rlgpt.dash.views.conversation_view import Conversation
from rlgpt.dash.views.curve_view import Curves
from rlgpt.runs.runs import Run, described, run_folders

_KEPT = 8  # runs that stay watched without a page
_LISTED = 5.0  # seconds for which a line of the list stands


class WatchedRun:
    """A run with all that is kept of it between two requests."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.follower = Follower(run)
        self.controls = Controls(self.follower)
        self.sight = SightWatch(run)
        self.curves = Curves(run, lambda: self.follower.renew("curves"))
        self.conversation = Conversation(run)
        self.used_at = time.monotonic()


class WatchedRuns:
    """May be used from several threads."""

    def __init__(self, run: Path) -> None:
        self.first = run
        self._lock = threading.Lock()
        self._watched: dict[Path, WatchedRun] = {}
        self._lines: dict[Path, tuple[float, Run]] = {}

    def folders(self) -> dict[str, Path]:
        """The run folders by name."""
        try:
            found = {path.name: path for path in run_folders(self.first.parent)}
        except FileNotFoundError:  # all of them were deleted
            return {}
        if self.first.is_dir():
            found[self.first.name] = self.first
        return found

    def lines(self) -> list[Run]:
        """All runs in a line each, the newest first; without those that may not be read."""
        lines: list[Run] = []
        for path in self.folders().values():
            at, line = self._lines.get(path, (0.0, None))
            now = time.monotonic()
            if line is None or now - at > _LISTED:
                try:
                    line = described(path)
                except (PermissionError, FileNotFoundError):
                    continue
                self._lines[path] = (now, line)
            lines.append(line)
        return sorted(lines, key=lambda line: -line.began)

    def get(self, name: str) -> WatchedRun | None:
        """Begins to watch it, if it is not watched yet. None: there is no such run."""
        path = self.folders().get(name)
        if path is None:
            return None
        with self._lock:
            # A folder that was deleted and made again is another run.
            spare = [each for each in self._watched.values() if each.follower.gone]
            for each in spare:
                del self._watched[each.run]
            known = self._watched.get(path)
            if known is None:
                known = self._watched[path] = WatchedRun(path)
            known.used_at = time.monotonic()
            idle = [each for each in self._watched.values() if not each.follower.watched]
            idle.sort(key=lambda each: each.used_at)
            for each in idle[: max(len(idle) - _KEPT, 0)]:
                del self._watched[each.run]
                spare.append(each)
        for each in spare:
            each.follower.close()
        return known

    def close(self) -> None:
        with self._lock:
            watched, self._watched = list(self._watched.values()), {}
        for each in watched:
            each.follower.close()
