"""Runs the ``rlgpt`` command as a user does, in a folder with launch files of its own."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0  # seconds; how long anything may take before a test gives up


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(CHECKOUT), "COLUMNS": "150"}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "rlgpt.main", *arguments]


def rlgpt(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """Run one command to its end."""
    return subprocess.run(
        command(*arguments),
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def refused(*arguments: str, cwd: Path, code: int = 2) -> str:
    """The one sentence that a command is refused with."""
    done = rlgpt(*arguments, cwd=cwd)
    assert done.returncode == code, done
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("rlgpt: "), done
    return done.stderr


class Launched:
    """A launch in the background, and what it has printed so far."""

    def __init__(self, process: "subprocess.Popen[str]", run: Path) -> None:
        self.process = process
        self.run = run
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)

    @property
    def text(self) -> str:
        return "".join(self.lines)

    def wait_for(self, words: str, count: int = 1) -> None:
        eventually(lambda: self.text.count(words) >= count or None, lambda: self.text)

    def stop(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> int:
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def lives(self) -> list[str]:
        return (self.run / "lives").read_text().splitlines()


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


def eventually(happened: Callable[[], object], told: Callable[[], object] = lambda: "") -> None:
    """Wait until ``happened`` returns something true."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, told()
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
