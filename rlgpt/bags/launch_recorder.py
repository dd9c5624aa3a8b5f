"""The recorder of a whole launch (``bag=true``): a process of its own, from before the first node
starts until after the last one has ended."""

import signal
import subprocess
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from nodes.common.running.process import child_environment, end_with_parent, python
from rlgpt.bags.recording import SUBSCRIBED

_READY = 30.0  # seconds
_LOOK = 0.1  # seconds between two looks at whether the launch is given up
_SUBSCRIBED = 5.0  # seconds
_GRACE = 15.0  # seconds for the footer


class LaunchRecorder:
    """``report`` is called with each sentence of the recorder, from another thread."""

    def __init__(self, run: Path, snapshot: bool, report: Callable[[str], None]) -> None:
        self._report = report
        self._ready = threading.Event()
        self._subscribed = threading.Event()
        more = ("--snapshot",) if snapshot else ()
        self._process = subprocess.Popen(
            python("rlgpt.main", "bag", "record", "--all", "--run", str(run), *more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=child_environment(),
            start_new_session=True,  # Ctrl-C ends the nodes first
            # A launcher that is killed takes it along, also before it records.
            preexec_fn=partial(end_with_parent, signal.SIGTERM),
            text=True,
            errors="replace",
        )
        self._reader = threading.Thread(target=self._read, name="bag", daemon=True)
        self._reader.start()

    def wait_ready(self, given_up: Callable[[], bool]) -> None:
        """Wait until it records, or until the launch is ``given_up``."""
        until = time.monotonic() + _READY
        while not self._ready.wait(_LOOK) and not given_up():
            if time.monotonic() > until:
                self._report("bag: the recorder is not ready yet; what comes first may be missing")
                return

    def wait_subscribed(self) -> None:
        """Wait until it is subscribed to all nodes, which it cannot be to one that is run by hand
        and was not started yet."""
        self._subscribed.wait(_SUBSCRIBED)

    def stop(self) -> None:
        """End the recording in order."""
        self._process.send_signal(signal.SIGTERM)  # nothing, if it has ended
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_GRACE)
        if self._process.stderr is not None:
            self._process.stderr.close()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if SUBSCRIBED in line:
                self._subscribed.set()
                continue
            self._report("bag: " + line.strip().removeprefix("rlgpt: "))
            self._ready.set()
        self._ready.set()
        self._subscribed.set()
