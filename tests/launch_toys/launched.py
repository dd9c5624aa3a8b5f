"""Runs the ``rlgpt`` command as a user does, in a folder with launch files of its own."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

from rlgpt.main import main

CHECKOUT = Path(__file__).resolve().parents[2]
PATIENCE = 180.0  # seconds; how long anything may take before a test gives up


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(CHECKOUT), "COLUMNS": "150"}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "rlgpt.main", *arguments]


def rlgpt(
    *arguments: str, cwd: Path, timeout: float = PATIENCE
) -> "subprocess.CompletedProcess[str]":
    """Run one command to its end, in so many seconds at most."""
    return subprocess.run(
        command(*arguments),
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def refused(*arguments: str, cwd: Path) -> str:
    """The one sentence with which a command is refused (exit code 2), run in this process. Nothing
    is started by then, so an interpreter of its own would show no more."""
    errors = io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stderr(errors):
        code = main(arguments)
    assert code == 2, errors.getvalue()
    return _sentence(errors.getvalue())


def printed(*arguments: str, cwd: Path) -> str:
    """What a command prints that only asks or sets. It is run in this process, which an interpreter
    of its own would take half a second of computing more for."""
    shown, errors = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(shown),
        contextlib.redirect_stderr(errors),
        patch.dict(os.environ, environment()),
    ):
        code = main(arguments)
    assert code == 0, errors.getvalue()
    return shown.getvalue()


def failed(*arguments: str, cwd: Path, code: int) -> str:
    """The sentence with which a command, run as a user does, ends."""
    done = rlgpt(*arguments, cwd=cwd)
    assert done.returncode == code, done
    return _sentence(done.stderr)


def _sentence(errors: str) -> str:
    assert "Traceback" not in errors
    assert errors.startswith("rlgpt: "), errors
    return errors


class Launched:
    """A launch in the background, and what it has printed so far."""

    def __init__(self, process: "subprocess.Popen[str]", run: Path) -> None:
        self.process = process
        self.run = run
        self.lines: list[str] = []
        self._seen_enough = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if self._seen_enough:
                break

    @property
    def text(self) -> str:
        return "".join(self.lines)

    def wait_for(self, words: str, count: int = 1) -> None:
        eventually(lambda: self.text.count(words) >= count or None, lambda: self.text)

    def stop_reading(self) -> None:
        """Close our end of its output with the next line that comes, as `head` does."""
        assert self.process.stdout is not None
        self._seen_enough = True
        self._reader.join(PATIENCE)
        self.process.stdout.close()

    def stop(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> int:
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def events(self) -> list[str]:
        return (self.run / "events").read_text().splitlines()


@contextlib.contextmanager
def launched(*arguments: str, cwd: Path, run: Path) -> Iterator[Launched]:
    """``rlgpt <arguments>``, whose run folder will be ``run``."""
    process = subprocess.Popen(
        command(*arguments),
        cwd=cwd,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    launch = Launched(process, run)
    try:
        yield launch
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        launch._reader.join(PATIENCE)
        assert process.stdout is not None
        process.stdout.close()
    eventually(lambda: not processes_of(run), lambda: processes_of(run))


def eventually(happened: Callable[[], object], state: Callable[[], object] = lambda: "") -> None:
    """Wait until ``happened`` returns a true value; a failure shows ``state``."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, state()
        time.sleep(0.02)


def processes_of(run: Path) -> list[int]:
    """Processes that have ``run`` in their command line or environment, zombies not counted."""
    found: list[int] = []
    name = str(run).encode()
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            text = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
        except OSError:
            continue
        arguments = text.split(b"\0")
        if any(a in (name, b"TOY_RUN=" + name) for a in arguments):
            found.append(int(folder.name))
    return found
