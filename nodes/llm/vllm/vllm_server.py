"""The vLLM server as a child: started, watched, started again, put to sleep, ended."""

import contextlib
import json
import logging
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from nodes.common.running.log_end import last_lines
from nodes.common.running.process_status import status_of
from nodes.common.storage.whole_files import named, write_whole
from nodes.llm.profiles import Vllm
from nodes.llm.vllm import architecture, monitor
from nodes.llm.vllm.adapter import adapter_words, version
from nodes.llm.vllm.cards import cards
from nodes.llm.vllm.group import StopWatch, kill_group
from nodes.llm.vllm.http import request
from nodes.llm.vllm.memory_need import NotFree, check_host_memory, check_memory, host_memory, need
from nodes.llm.vllm.model_files import find_weights, weightless
from nodes.llm.vllm.server_figures import read_metrics
from nodes.llm.vllm.vllm_command import command_line, environment, find_program

LOG = "vllm.log"
_LEFT = "server.json"  # the group of a server that runs; found by the next process of the node
_GRACE = 5.0  # seconds between asking the server to stop and making it
_ALIVE_WITHIN = 5.0  # seconds, for health and metrics
_FREED_WITHIN = 15.0  # seconds, after which a card that is in use will stay so
_HUNG_AFTER = 120.0  # seconds without an answer to a look at the metrics
_SLEEP_WITHIN = 300.0  # seconds: answers under way are finished, weights are moved
_NO_MEMORY = ("out of memory", "No available memory", "Free memory on device", "KV cache is needed")
_ERROR = re.compile(r"Error: \S|Value error, \S")  # the second of pydantic, after its first line
_TOO_LONG = re.compile(r"greater than the derived max_model_len \(\w+=(\d+)")


class ServerFailed(Exception):
    """There is no server; the sentence has the reason and what to do."""


class Stopping(ServerFailed):
    """The node stops."""


class Server:
    """Any thread may call any method; starting, sleeping and waking exclude each other.

    ``changed`` is called, without an argument, when the state did. ``wanted`` returns whether a
    server that died may be started again by the watcher (not while the learner has the card).

    Raises:
        ValueError: vLLM, weights, a card or memory is missing; one sentence with what to do.
    """

    def __init__(
        self,
        profile: Vllm,
        folder: Path,
        log: logging.Logger,
        changed: Callable[[], None] = lambda: None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self.profile = profile
        self.restarts = 0
        self.state = "stopped"
        self.figures: dict[str, float] = {}
        self._folder = folder
        self._log = log
        self._changed = changed
        self._wanted = wanted
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0
        self._log_start = 0
        self._failures = 0  # starts in a row
        self._was_killed = False  # the last start failed by a signal from elsewhere
        self._stops = StopWatch(0)
        self._begun = False
        self._ended_one = False  # a server, of this process or of one before
        self._heard = 0.0
        self._lock = threading.RLock()
        self._closing = threading.Event()
        self._end_left_over()
        program = find_program(profile)
        self._weights = find_weights(profile)
        if wrong := (
            weightless(self._weights, profile.arguments)
            or architecture.refused(self._weights, profile.arguments, program)
        ):
            raise ValueError(f"The weights in {self._weights} cannot be served: {wrong}.")
        adapter_words(profile, self._weights)  # it can be used
        self.version = version(profile, self._weights)
        if profile.device == "cuda":
            self._check_memory()
        else:
            check_host_memory(profile, self._weights, host_memory())
        self._watcher = threading.Thread(target=self._watch, name="vllm watcher", daemon=True)

    def _check_memory(self) -> None:
        """Raises DoesNotFit."""
        deadline = time.monotonic() + _FREED_WITHIN
        while True:
            try:
                check_memory(self.profile, self._weights, cards())
            except NotFree:
                # The learner has the card, or the server of an earlier process is just ending.
                if not self._wanted():
                    return
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.5)
            else:
                return

    # For callers

    def start(self) -> None:
        """Start the server and wait until it is healthy. Raises ServerFailed."""
        with self._lock:
            while True:
                try:
                    self._start()
                    break
                except Stopping:
                    raise
                except ServerFailed as error:
                    # What is wrong with the server is wrong the next time, too.
                    if not self._was_killed or self._failures >= self.profile.restarts:
                        raise
                    self._failures += 1
                    self._log.warning("%s It was killed; it is started again.", error)
        self.watch()

    def watch(self) -> None:
        """Keep the server up from now on."""
        if not self._watcher.is_alive() and not self._closing.is_set():
            self._watcher.start()

    def ready(self) -> str:
        """The URL, up to and with /v1, of a server that is healthy and awake. Raises ServerFailed
        when it cannot be brought there."""
        with self._lock:
            while not self._running():
                self._start_again()
            if self.state == "asleep":
                self.wake()
            return self._url()

    @property
    def address(self) -> str:
        """The URL as above of a server that answers right now; "" where none does."""
        return self._url() if self.state == "ready" else ""

    def sleep(self) -> float:
        """Free the card: weights go to the host's memory, the KV cache is dropped. A server that
        does not do so within its time is ended. Returns the seconds that it took."""
        began = time.monotonic()
        with self._lock:
            if not self._running() or self.state == "asleep":
                return 0.0
            try:
                status, answer = request(
                    self._port, "POST", "/sleep?level=1&mode=wait", _SLEEP_WITHIN
                )
                if status != 200:
                    raise OSError(f"{status}: {answer[:200]}")
            except OSError as error:
                self._log.warning("vLLM does not go to sleep (%s); it is ended instead", error)
                self._end()
                self._become("stopped")
            else:
                self._become("asleep")
        return time.monotonic() - began

    def wake(self) -> None:
        """Raises ServerFailed when the server neither wakes nor can be started again."""
        with self._lock:
            try:
                status, answer = request(self._port, "POST", "/wake_up", _SLEEP_WITHIN)
                if status != 200:
                    raise OSError(f"{status}: {answer[:200]}")
                self._become("ready")
            except OSError as error:
                self._log.warning("vLLM does not wake up (%s); it is started again", error)
                self._end()
                self._start_again()

    @property
    def stopping(self) -> bool:
        return self._closing.is_set()

    def stop_waiting(self) -> None:
        """Callers that wait for the server to start get the reason: the node stops."""
        self._closing.set()

    def close(self) -> None:
        """End the server and everything that it started."""
        self._closing.set()
        process = self._process
        if process is not None and process.poll() is None:
            # The thread that holds the lock may be waiting for an answer of the server.
            with contextlib.suppress(OSError):
                process.send_signal(signal.SIGTERM)
        with self._lock:
            self._end()
            self._become("stopped")
        if self._watcher.is_alive() and self._watcher is not threading.current_thread():
            self._watcher.join(_GRACE)

    @property
    def pid(self) -> int:
        """The leader of the server's process group; 0 where none runs."""
        process = self._process
        return process.pid if process is not None else 0

    def _url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    # Starting

    def _start(self) -> None:
        self._end()
        self.restarts += self._begun
        self._begun = True
        self._port = self.profile.port or _free_port()
        if wrong := self._port_problem():
            self._become("failed")
            raise ServerFailed(
                f"llm.port={self._port} cannot be used ({wrong}): end what listens there, set "
                "another one, or llm.port=0 for one that is free."
            )
        words = command_line(self.profile, self._weights, self._port)
        with (self._folder / LOG).open("ab") as log:
            with named(self._folder / LOG):
                log.write(f"--- {time.strftime('%Y-%m-%d %H:%M:%S')} {' '.join(words)}\n".encode())
                log.flush()
            self._log_start = log.tell()
            try:
                self._process = subprocess.Popen(
                    [*self._monitor(), *words],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env=environment(self.profile),
                    start_new_session=True,
                )
            except OSError as error:
                raise ServerFailed(f"vLLM cannot be started: {error}") from None
        self._note_group()
        self._become("starting")
        began = time.monotonic()
        self._log.info("vLLM is started: %s", " ".join(words))
        self._stops = StopWatch(self._process.pid)
        try:
            self._await_health(self._process, began + self.profile.start_timeout)
        except ServerFailed:
            self._was_killed = self._ended_by_signal()
            self._end()
            self._become("failed")
            raise
        self._failures = 0
        self._heard = time.monotonic()
        self._log.info("vLLM is healthy after %.1f s", time.monotonic() - began)
        self._become("ready")

    def _port_problem(self) -> str:
        """Why the server cannot listen on its port; "" where it can."""
        # A server of ours that was killed may have it for another moment.
        until = time.monotonic() + (_GRACE if self._ended_one else 0.0)
        while (wrong := _unusable(self._port)) and time.monotonic() < until:
            if self._closing.wait(0.1):
                break
        return wrong

    def _monitor(self) -> list[str]:
        cores = ",".join(str(core) for core in self.profile.cores)
        return [sys.executable, "-I", "-S", monitor.__file__, cores, str(self.profile.niceness)]

    def _await_health(self, process: "subprocess.Popen[bytes]", deadline: float) -> None:
        while True:
            if self._closing.is_set():
                raise Stopping("The node stops.")
            if process.poll() is not None:
                raise ServerFailed(self._why_it_ended())
            if self._stops.stopped():
                kill_group(process.pid)
            with contextlib.suppress(OSError):
                if request(self._port, "GET", "/health", _ALIVE_WITHIN)[0] == 200:
                    return
            if time.monotonic() > deadline:
                raise ServerFailed(
                    f"vLLM was not healthy within llm.start_timeout="
                    f"{self.profile.start_timeout:g} seconds; its log is {self._folder / LOG}."
                )
            self._closing.wait(0.1)

    def _start_again(self) -> None:
        """Start a server that ended, after a pause that doubles. Raises ServerFailed when that
        failed too often in a row."""
        while True:
            if self._closing.is_set():
                raise Stopping("The node stops.")
            if self._failures > self.profile.restarts:
                raise ServerFailed(
                    f"vLLM could not be started {self._failures} times in a row; "
                    f"its log is {self._folder / LOG}."
                )
            self._closing.wait(min(0.2 * 2**self._failures, 10.0) if self._failures else 0.0)
            try:
                self._start()
            except Stopping:
                raise
            except ServerFailed as error:
                self._failures += 1
                self._log.error("%s", error)
                if self._failures > self.profile.restarts:
                    raise
            else:
                return

    def _why_it_ended(self) -> str:
        lines = [line for line in self._lines() if not line.startswith("--- ")]
        errors = [
            line for line in lines if _ERROR.search(line) and "See root cause above" not in line
        ]
        last = (errors or lines or ["it printed nothing"])[-1].strip()[:400]
        if too_long := _TOO_LONG.search(last):
            return (
                f"llm.context={self.profile.context} is more than the {int(too_long[1]):,} tokens "
                f"that {self.profile.model} takes: set llm.context={too_long[1]}."
            )
        if any(sign in line for line in lines for sign in _NO_MEMORY):
            return self._out_of_memory(last)
        return f"vLLM ended before it was healthy: {last} (its log is {self._folder / LOG})."

    def _out_of_memory(self, said: str) -> str:
        wanted = need(self.profile, self._weights)
        free = "; ".join(
            f"{card.gpu.name}: {card.gpu.free / 1024:.1f} of {card.gpu.total / 1024:.1f} GiB free"
            for card in cards()
        )
        sizes = f": {self.profile.model} needs {wanted}" if wanted is not None else ""
        there = f"; now {free}" if free else ""
        return (
            f"vLLM ran out of memory at its start{sizes}{there}. Lower llm.context or "
            f"llm.sequences, raise llm.memory_share, or take a smaller model ({said})."
        )

    def _ended_by_signal(self) -> bool:
        """Whether the server was killed, or its monitor, which reports how it ended."""
        if self._process is None or self._process.poll() is None:
            return False
        reports = [line for line in self._lines() if line.startswith(monitor.ENDED)]
        return not reports or reports[-1].startswith(monitor.BY_SIGNAL)

    def _lines(self) -> list[str]:
        return last_lines(self._folder / LOG, self._log_start)

    # Ending

    def _running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            with contextlib.suppress(OSError):
                process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
        kill_group(process.pid)
        self._ended_one = True
        process.wait()
        if process.stdin is not None:
            process.stdin.close()
        (self._folder / _LEFT).unlink(missing_ok=True)
        self.figures = {}

    def _note_group(self) -> None:
        assert self._process is not None
        pid = self._process.pid
        note = {"group": pid, "started": _started_at(pid)}
        write_whole(self._folder / _LEFT, json.dumps(note).encode())

    def _end_left_over(self) -> None:
        """End the server of an earlier process, in case its monitor was killed as well."""
        path = self._folder / _LEFT
        try:
            note = json.loads(path.read_text("utf-8"))
            group, started = int(note["group"]), str(note["started"])
        except (OSError, ValueError, KeyError, TypeError):
            return
        # While the group has members its number is not given to another process.
        if _started_at(group) in (started, ""):
            kill_group(group)
            self._ended_one = True
        path.unlink(missing_ok=True)

    # Watching

    def _become(self, state: str) -> None:
        if state != self.state:
            self.state = state
            self._changed()

    def _watch(self) -> None:
        turn = 0
        while not self._closing.wait(0.5):
            turn += 1
            if self._ended_by_itself():
                with self._lock, contextlib.suppress(ServerFailed):
                    if self._ended_by_itself() and not self._closing.is_set():
                        self._log.warning("vLLM ended by itself; see %s", self._folder / LOG)
                        self._end()
                        self._become("stopped")
                        if self._wanted():
                            self._start_again()
            elif self._process is not None and self._stops.stopped():
                self._log.warning("vLLM was stopped by a signal; it is killed")
                kill_group(self.pid)
            elif turn % 10 == 0 and self.state in ("ready", "asleep"):
                self._read_metrics()

    def _ended_by_itself(self) -> bool:
        process = self._process
        return process is not None and process.poll() is not None and self.state != "starting"

    def _read_metrics(self) -> None:
        try:
            status, text = request(self._port, "GET", "/metrics", _ALIVE_WITHIN)
        except OSError:
            if time.monotonic() - self._heard > _HUNG_AFTER:
                self._log.error("vLLM has not answered for %g s; it is killed", _HUNG_AFTER)
                kill_group(self.pid)
            return
        self._heard = time.monotonic()
        if status == 200:
            self.figures = read_metrics(text)
            self._changed()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _unusable(port: int) -> str:
    """Why no server can listen there; "" where one can."""
    with socket.socket() as probe:
        # As servers have it: connections of an earlier one that are just ending do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            return error.strerror or str(error)
    return ""


def _started_at(pid: int) -> str:
    status = status_of(pid)
    return "" if status is None else status.started
