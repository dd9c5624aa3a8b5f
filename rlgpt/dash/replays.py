"""Episodes that are played again for the page: `rlgpt episode play` as a process, one at a time."""

import subprocess
import threading
import time
from pathlib import Path
from typing import Literal

import msgspec

from nodes.common.running.process import child_environment, python

_WAITING = 8  # at most
_LAST_WORDS = 2_000  # characters of what the command printed


class Replay(msgspec.Struct, kw_only=True):
    """``film``: its name below films/, once it is there."""

    number: int
    run: str
    play: str
    seed: int
    film: str
    state: Literal["waiting", "playing", "done", "differs", "failed"] = "waiting"
    text: str = ""


class Replays:
    """May be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # A page that stayed open while its server was started again asks for none of these yet.
        self._first = time.time_ns() // 10**6
        self._all: list[Replay] = []
        self._process: subprocess.Popen[str] | None = None
        self._busy = False
        self._closed = False

    def add(self, run: Path, play: str, seed: int, film: str) -> Replay | None:
        """Play an episode again, or the replay of it that is under way. None: too many wait."""
        with self._lock:
            waiting = [each for each in self._all if each.state in ("waiting", "playing")]
            for each in waiting:
                if (each.run, each.film) == (run.name, film):
                    return each
            if len(waiting) >= _WAITING or self._closed:
                return None
            number = self._first + len(self._all)
            made = Replay(number=number, run=run.name, play=play, seed=seed, film=film)
            self._all.append(made)
            if not self._busy:
                self._busy = True
                threading.Thread(
                    target=self._work, args=(run.parent,), name="dash-replay", daemon=True
                ).start()
            return made

    def get(self, number: int) -> Replay | None:
        with self._lock:
            place = number - self._first
            return self._all[place] if 0 <= place < len(self._all) else None

    def close(self) -> None:
        with self._lock:
            self._closed = True
            process = self._process
        if process is not None:
            process.terminate()
            try:
                process.wait(20.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _work(self, folder: Path) -> None:
        while True:
            with self._lock:
                following = next((each for each in self._all if each.state == "waiting"), None)
                if following is None or self._closed:
                    self._busy = False
                    return
                following.state = "playing"
            try:
                self._play(folder / following.run, following)
            except OSError as error:  # no process can be started
                with self._lock:
                    following.state, following.text = "failed", str(error)

    def _play(self, run: Path, replay: Replay) -> None:
        film = run / "films" / replay.film
        before = _written(film)
        command = python(
            *("rlgpt.main", "episode", "play", str(run), str(replay.seed)),
            *(f"--of={replay.play}", f"--out={film}"),  # a goal's id may begin with "-"
        )
        with self._lock:
            if self._closed:
                return
            self._process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                text=True,
                errors="replace",
                env=child_environment(),
            )
        text, _ = self._process.communicate()
        with self._lock:
            code, self._process = self._process.returncode, None
            replay.text = text[-_LAST_WORDS:].strip()
            # It ends with 1 where the episode went differently: there is a film all the same.
            filmed = _written(film) not in (None, before)
            replay.state = ("done" if code == 0 else "differs") if filmed else "failed"


def _written(film: Path) -> int | None:
    """When a film was written, in nanoseconds; None: there is none."""
    try:
        return film.stat().st_mtime_ns
    except OSError:
        return None
