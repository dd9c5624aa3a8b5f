"""One supervised node: its process, its log and its state."""

import contextlib
import os
import resource
import signal
import subprocess
import time
from collections import deque
from pathlib import Path
from typing import Literal

from messages.system import NodeState
from nodes.common.running.log_end import last_lines
from nodes.common.running.process import child_environment
from nodes.common.running.process_status import Watch
from nodes.common.storage.whole_files import named
from rlgpt.composing.configuration import NodePlan
from rlgpt.launching.readiness import PLACED, STATUS, UNPLACED

State = Literal["starting", "ready", "stopped", "waiting", "released", "failed"]
Purpose = Literal["restart", "release", "stop", "kill"]
"""Why the supervisor ends a process. None: it ended by itself."""

LONGEST_BACKOFF = 10.0  # seconds
GRACE = 10.0  # seconds between SIGTERM and SIGKILL


class Child:
    """Bookkeeping only; the supervisor decides. Times are ``time.monotonic`` seconds. ``grace``:
    seconds that the process has for its end."""

    def __init__(
        self, name: str, command: list[str], plan: NodePlan, run: Path, grace: float = GRACE
    ) -> None:
        self.name = name
        self.grace = grace
        self.plan = plan
        self.state: State = "waiting"
        self.purpose: Purpose | None = None
        self.process: subprocess.Popen[bytes] | None = None
        self._watch: Watch | None = None
        self.pidfd = -1
        self.restarts = 0
        self.begun = False  # started at least once in this launch
        self.was_ready = False
        self.requested = False  # started because a user asked for it
        self.started = 0.0
        self.unplaced = False  # a cluster has no host for it yet
        self.waits = ""  # the sentence, if that has taken a while
        self._patient_from = 0.0
        self.notes: list[str] = []  # of its last heartbeat
        self.paused = False
        self.debugged = False  # released to a user's debugger
        self.halted = ""  # the sentence, if it has been stopped by a signal for a while
        self.last_heartbeat = 0.0  # or when it became ready; set from the bus's thread too
        self.start_at: float | None = None
        self.kill_at: float | None = None
        self._failures: deque[float] = deque()
        self.false_starts = 0  # ends in a row before it was ready
        self.idle_starts = 0  # those of them with code 0
        self._command = command
        self._log = run / name / "output.log"
        self._log_start = 0

    @property
    def spare(self) -> bool:
        """Whether the launch goes on without it."""
        return self.plan.kind_of is not None

    def spawn(self, notify: str) -> int:
        """Start the process and return its pid. Only from the main thread: the kernel kills a node
        that ends with its parent when the *thread* that started it ends."""
        self._log.parent.mkdir(exist_ok=True)  # a run folder that was removed stays so
        environment = child_environment(self.name)
        environment |= {"NOTIFY_SOCKET": notify, "PYTHONUNBUFFERED": "1"}
        # A file and not a pipe: a node never waits for its launcher to read.
        with self._log.open("ab") as log:
            with named(self._log):
                log.write(f"--- started {time.strftime('%Y-%m-%d %H:%M:%S')}\n".encode())
                log.flush()
            self._log_start = log.tell()
            self.process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        try:
            self.pidfd = os.pidfd_open(self.process.pid)
        except OSError:  # too many open files: without it its end would go unnoticed
            self.process.kill()
            self.process.wait()
            self.process = None
            raise
        self._watch, self.halted = Watch(self.process.pid), ""
        self.begun, self.debugged = True, False
        self.state = "starting"
        self.started = self._patient_from = time.monotonic()
        self.unplaced, self.waits = False, ""
        self.start_at = self.kill_at = None
        return self.process.pid

    def placing(self, lines: list[str]) -> str:
        """Note what it says of its host (`readiness.py`). Returns a sentence to report, if any."""
        if UNPLACED in lines:
            self.unplaced = True
        if PLACED in lines:
            self.unplaced, self.waits = False, ""
            self._patient_from = time.monotonic()
        if self.unplaced:
            for line in lines:
                if line.startswith(STATUS):
                    self.waits = line.removeprefix(STATUS)
                    return self.waits
        return ""

    @property
    def late_at(self) -> float | None:
        """When it has been starting for too long: a host that has no room yet is not its fault."""
        if self.state != "starting" or self.purpose is not None or self.unplaced:
            return None
        return self._patient_from + self.plan.patience

    def send(self, number: signal.Signals) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(number)

    def reap(self) -> int:
        """Take the exit status of the ended process, and kill the processes that it left."""
        process = self.process
        assert process is not None
        code = process.wait()
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        os.close(self.pidfd)
        self.process, self.pidfd, self.kill_at = None, -1, None
        self._watch, self.halted, self.waits = None, "", ""
        return code

    def look(self) -> str:
        """Once it has been stopped by a signal (SIGSTOP) for a while: a sentence, the first time.
        To other nodes it looks like one that works."""
        halted, before = "", self.halted
        if self.process is not None and self._watch is not None and self._watch.look():
            halted = (
                f"stopped by a signal; `kill -CONT {self.process.pid}` lets it go on, "
                f"`rlgpt node restart {self.name}` starts it again"
            )
        self.halted = halted
        return "" if before else halted

    def next_backoff(self) -> float | None:
        """Count one more failure: seconds until the next start, None if there were too many."""
        now = time.monotonic()
        self._failures.append(now)
        while now - self._failures[0] > self.plan.restart.window:
            self._failures.popleft()
        # Failures of a node that takes long to fail at its start never fall into one window.
        self.false_starts = self.false_starts + 1 if self.state == "starting" else 0
        if max(len(self._failures), self.false_starts) > self.plan.restart.max:
            return None
        doubled = min(len(self._failures) - 1, 60)  # a power of more does not fit into a float
        return min(self.plan.restart.backoff * 2**doubled, LONGEST_BACKOFF)

    def last_lines(self, count: int) -> list[str]:
        """The last lines that the process wrote since it was started."""
        return last_lines(self._log, self._log_start)[-count:]

    @property
    def hung_at(self) -> float | None:
        """When the node will count as hung if no heartbeat comes."""
        if self.plan.restart.hang and self.state == "ready" and self.purpose is None:
            return self.last_heartbeat + self.plan.restart.hang
        return None

    def described(self) -> NodeState:
        process = self.process  # read in the bus's thread, while the main thread may reap it
        return NodeState(
            node=self.name,
            state=self.state,
            pid=process.pid if process is not None else 0,
            restarts=self.restarts,
            uptime=time.monotonic() - self.started if process is not None else 0.0,
            memory=_resident(process.pid) if process is not None else 0,
            notes=[*self.notes, *(each for each in (self.halted, self.waits) if each)],
            paused=self.paused,
            debugged=self.debugged,
        )


def _resident(pid: int) -> int:
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * resource.getpagesize()
