"""Starts nodes in order, starts them again when they end, and stops them in reverse order.

Everything happens in the main thread, in one loop over process ends, READY messages, signals and
requests of other threads. Other threads use ``request`` and ``finish`` only.
"""

import contextlib
import math
import queue
import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from messages.system import NodeState
from nodes.common.running.ending_signals import ended_by
from nodes.common.running.exit_codes import ALREADY_RUNNING, REFUSED, UNUSABLE_FILE
from nodes.common.running.process_status import signal_name
from rlgpt.cluster.host_choice import command, grace
from rlgpt.composing.configuration import Stack
from rlgpt.launching.child import Child, Purpose
from rlgpt.launching.guarding import LOOK_EVERY, Guardian
from rlgpt.launching.readiness import READY, Readiness

FINAL_CODES = (REFUSED, ALREADY_RUNNING, UNUSABLE_FILE)  # a restart would end the same way
CAUGHT_UP_EVERY = 0.5  # seconds


class Observer(Protocol):
    """Receives the supervisor's reports, in its thread."""

    def report(self, text: str) -> None: ...
    def all_ready(self) -> None: ...
    def crashed(self, node: str, how: str) -> None: ...


class _Request:
    """A request of another thread, and when it is done."""

    def __init__(self, node: str, do: Callable[[Child], None], done: Callable[[Child], bool]):
        self.node = node
        self.do = do
        self.done = done
        self.reply: Future[NodeState] = Future()


class Supervisor:
    def __init__(
        self, stack: Stack, run: Path, released: Iterable[str], observer: Observer
    ) -> None:
        order = stack.order()
        self.children = {
            n: Child(n, command(stack, n, run), stack.nodes[n], run, grace(stack, n)) for n in order
        }
        self._modules = {name: stack.module(name) for name in order}
        for name in released:
            self.children[name].state = "released"
        self.failure: str | None = None
        self.refusal = 0  # the exit code of a node that refused to start, if that is the failure
        self.interrupted: int | None = None  # the signal that ended the launch
        self._observer = observer
        self._requests: queue.SimpleQueue[_Request] = queue.SimpleQueue()
        self._pending: list[_Request] = []
        self._finished = False
        self._stopping: list[Child] | None = None
        self._reported_ready = False
        self._received_until = self._caught_up_at = time.monotonic()
        self._readiness = Readiness()
        self._selector = selectors.DefaultSelector()
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)
        self._guardian = Guardian(self._readiness.folder)

    # ---- from any thread

    def request(self, what: str, node: str) -> Future[NodeState]:
        """Restart, kill, release or reclaim ``node``. The future has its state once that is done;
        it raises KeyError for an unknown node. A killed node is started again like any that ended
        by itself; a released one only once it is reclaimed."""
        does: dict[str, tuple[Callable[[Child], None], Callable[[Child], bool]]] = {
            "restart": (self._restart, lambda c: c.purpose is None),
            "kill": (self._kill, lambda c: c.purpose is None),
            "release": (self._release, lambda c: c.purpose is None),
            "reclaim": (self._reclaim, lambda c: True),
        }
        made = _Request(node, *does[what])
        self._requests.put(made)
        self._wake()
        return made.reply

    def states(self) -> list[NodeState]:
        return [child.described() for child in self.children.values()]

    def alive(self, node: str, notes: list[str], paused: bool = False) -> None:
        """A heartbeat of ``node`` was received."""
        if (child := self.children.get(node)) is not None:
            child.last_heartbeat = time.monotonic()
            for note in notes:
                if note not in child.notes:
                    self._observer.report(f"{node}: {note}")
            child.notes, child.paused = notes, paused

    def caught_up(self) -> None:
        """Note that all heartbeats that have come by now are received. Called every
        `CAUGHT_UP_EVERY` seconds: a node counts as silent only while this process receives. It may
        have been stopped itself, or wait for a terminal that takes no more output."""
        # As of the last call: all that had come by then was read since, even if this was stopped.
        self._received_until, self._caught_up_at = self._caught_up_at, time.monotonic()
        if any(child.plan.restart.hang for child in self.children.values()):
            self._wake()

    def finish(self) -> None:
        """End the launch in order."""
        self._finished = True
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            self._wake_out.send(b"\0")

    def ended_by_signals(self) -> AbstractContextManager[None]:
        """Within it signals end the launch in order, before and after ``run``, too. A launch in the
        background is ended by SIGINT as well."""
        return ended_by(self._signalled)

    # ---- the loop

    def run(self) -> None:
        """Returns when every node has ended: after ``finish``, a signal or a failure."""
        wakeup = signal.set_wakeup_fd(self._wake_out.fileno(), warn_on_full_buffer=False)
        self._selector.register(self._wake_in, selectors.EVENT_READ, self._drain)
        self._selector.register(self._readiness, selectors.EVENT_READ, self._read_readiness)
        self._selector.register(self._guardian, selectors.EVENT_READ, self._guardian_ended)
        try:
            while True:
                self._handle_requests()
                if self._stopping is None:
                    if self._finished or self.failure or self.interrupted is not None:
                        self._observer.report("stopping")
                        self._stopping = list(self.children.values())
                    else:
                        self._start_due()
                        if self.failure:
                            continue  # no other event may end the wait
                if self._stopping is not None and self._stop_next():
                    return
                for key, _ in self._selector.select(self._patience()):
                    key.data()
                self._enforce()
        finally:
            self._close()
            signal.set_wakeup_fd(wakeup)

    def _close(self) -> None:
        for child in self.children.values():  # only after an exception in the loop
            if child.process is not None:
                child.process.kill()
                child.reap()
        while not self._requests.empty():
            self._pending.append(self._requests.get())
        for request in self._pending:
            request.reply.set_exception(RuntimeError("the launch is ending"))
        self._guardian.close()
        self._readiness.close()
        self._selector.close()
        self._wake_in.close()
        self._wake_out.close()

    def _signalled(self, number: int, _frame: object) -> None:
        if self.interrupted is not None:  # the second signal kills
            for child in self.children.values():
                child.send(signal.SIGKILL)
        self.interrupted = number

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._wake_in.recv(4096):
                continue

    def _read_readiness(self) -> None:
        for group, lines in self._readiness.messages():
            for child in self.children.values():
                if child.process is None or child.process.pid != group:
                    continue
                if child.state != "starting" or child.purpose is not None:
                    continue
                if sentence := child.placing(lines):
                    self._observer.report(f"{child.name} {sentence}")
                if READY in lines:
                    self._became_ready(child)

    def _became_ready(self, child: Child) -> None:
        child.state, child.was_ready, child.requested = "ready", True, False
        child.last_heartbeat = time.monotonic()
        if self._stopping is None:
            seconds = child.last_heartbeat - child.started
            self._observer.report(f"{child.name} is ready after {seconds:.1f} s")

    def _patience(self) -> float:
        all_ = self.children.values()
        times = [t for c in all_ for t in (c.start_at, c.kill_at, c.late_at) if t]
        soonest = min(times, default=math.inf) - time.monotonic()
        return min(max(0.0, soonest), LOOK_EVERY)

    def _all(self, *states: str) -> list[Child]:
        return [c for c in self.children.values() if c.state in states]

    def _enforce(self) -> None:
        now = time.monotonic()
        if self._guardian.there:
            self._guardian.look()
        else:
            self._replace_guardian()
        for child in self.children.values():
            if halted := child.look():
                self._observer.report(f"{child.name} is {halted}")
            if child.kill_at is not None and now >= child.kill_at:
                child.kill_at = None
                self._observer.report(f"{child.name} does not stop; it is killed")
                child.send(signal.SIGKILL)
            if child.hung_at is not None and self._received_until >= child.hung_at:
                self._observer.report(f"{child.name} hangs; it is killed")
                self._end(child, "kill", at_once=True)
            if child.late_at is not None and now >= child.late_at:
                self._fail(child, f"was not ready within {child.plan.patience:g} s")
                child.send(signal.SIGKILL)

    # ---- starting

    def _start_due(self) -> None:
        now = time.monotonic()
        for child in self._all("waiting"):
            if child.begun:
                due = child.start_at is not None and now >= child.start_at
            else:
                before = (self.children[name] for name in child.plan.after)
                due = all(b.was_ready or b.state == "released" for b in before)
            if due:
                self._spawn(child)
        awaited = [
            child
            for child in self._all("waiting", "starting", "failed")
            if not (child.spare and (child.state == "failed" or child.waits))
        ]
        if not self._reported_ready and not awaited:
            self._reported_ready = True
            self._observer.all_ready()

    def _spawn(self, child: Child) -> None:
        try:
            pid = child.spawn(self._readiness.address)
        except OSError as error:
            about = f" ({error.filename})" if error.filename else ""
            self._fail(child, f"cannot be started: {error.strerror}{about}")
            return
        self._selector.register(child.pidfd, selectors.EVENT_READ, lambda: self._ended(child))
        self._guardian.began(pid)

    def _guardian_ended(self) -> None:
        self._selector.unregister(self._guardian)
        self._observer.report("the guardian process was killed; another one is started")
        self._replace_guardian()

    def _replace_guardian(self) -> None:
        if self._guardian.replace():
            self._selector.register(self._guardian, selectors.EVENT_READ, self._guardian_ended)

    # ---- ending

    def _ended(self, child: Child) -> None:
        self._selector.unregister(child.pidfd)
        pid = child.process.pid if child.process is not None else 0
        code = child.reap()
        self._guardian.ended(pid)
        purpose, child.purpose = child.purpose, None
        if self._stopping is not None or purpose == "stop":
            child.state = "stopped"
        elif purpose == "release":
            child.state = "released"
        elif purpose == "restart":
            child.restarts += 1
            self._spawn(child)
        elif child.state == "failed":
            return
        elif code in FINAL_CODES:
            self._ended_for_good(child, code)
        else:
            self._ended_by_itself(child, code)

    def _ended_for_good(self, child: Child, code: int) -> None:
        words = (child.last_lines(1) or [f"ended with code {code} and no output"])[0]
        words = words.removeprefix(f"{child.name}: ").removeprefix(f"{child.name} ")
        # It ran before and is already running now: a user has started it by hand meanwhile.
        taken = code == ALREADY_RUNNING and child.was_ready
        if not child.requested and not taken:
            if not child.spare:
                self.refusal = code
            self._fail(child, words)
            return
        # A user who edits a node and restarts it with a mistake can fix it.
        child.state = "released" if code == ALREADY_RUNNING else "failed"
        self._observer.report(f"{child.name}: {words}")

    def _ended_by_itself(self, child: Child, code: int) -> None:
        how = f"ended with code {code}" if code >= 0 else f"was ended by {signal_name(-code)}"
        self._observer.crashed(child.name, how)
        # Once it may have been asked to end, by a signal from outside.
        if code == 0 and child.state == "starting" and child.idle_starts:
            module = self._modules[child.name]
            self._fail(
                child,
                f"ended twice with code 0 before it was ready: is `{module}` the module of a node, "
                "whose __main__ calls its main()?",
            )
            return
        child.idle_starts = int(code == 0 and child.state == "starting")
        delay = child.next_backoff()
        if delay is None:
            limit = child.plan.restart
            lines = "".join(f"\n    {line}" for line in child.last_lines(8))
            often = f"{limit.max} restarts within {limit.window:g} s were not enough"
            if child.false_starts > limit.max:
                often = f"{limit.max} restarts did not get it ready"
            self._fail(child, f"{how}; {often}{':' if lines else ''}{lines}")
            return
        child.restarts += 1
        child.state, child.start_at = "waiting", time.monotonic() + delay
        self._observer.report(f"{child.name} {how}; started again in {delay:.1f} s")

    def _fail(self, child: Child, why: str) -> None:
        child.state = "failed"
        if child.spare:
            self._observer.report(f"{child.name}: {why}; the launch goes on without it")
            return
        self.failure = self.failure or f"{child.name}: {why}"

    def _end(self, child: Child, purpose: Purpose, at_once: bool = False) -> None:
        child.purpose = purpose
        if at_once:
            child.send(signal.SIGKILL)
        else:
            child.send(signal.SIGTERM)
            child.kill_at = time.monotonic() + child.grace

    def _stop_next(self) -> bool:
        """Stop the last started node that still runs; True when none does."""
        assert self._stopping is not None
        while self._stopping:
            child = self._stopping[-1]
            if child.process is not None:
                if child.purpose != "stop":
                    self._end(child, "stop")
                return False
            if child.state != "failed":
                child.state = "stopped"
            self._stopping.pop()
        return True

    # ---- requests of other threads

    def _handle_requests(self) -> None:
        while not self._requests.empty():
            request = self._requests.get()
            child = self.children.get(request.node)
            if child is None:
                request.reply.set_exception(KeyError(request.node))
            elif self._stopping is not None:
                request.reply.set_exception(RuntimeError("the launch is ending"))
            else:
                request.do(child)
                self._pending.append(request)
        for request in [w for w in self._pending if w.done(self.children[w.node])]:
            self._pending.remove(request)
            request.reply.set_result(self.children[request.node].described())

    def _restart(self, child: Child) -> None:
        self._observer.report(f"{child.name} is restarted, as requested")
        child.requested = True
        if child.process is not None:
            self._end(child, "restart")
        else:
            self._spawn(child)

    def _kill(self, child: Child) -> None:
        if child.process is not None:
            self._observer.report(f"{child.name} is killed, as requested")
            # Its purpose stays: a release that became a kill would start it again.
            self._end(child, child.purpose or "kill", at_once=True)

    def _release(self, child: Child) -> None:
        self._observer.report(f"{child.name} is released; it runs elsewhere from now on")
        if child.process is not None:
            self._end(child, "release")
        else:
            child.state, child.start_at = "released", None

    def _reclaim(self, child: Child) -> None:
        if child.purpose == "release":  # who asked for it has left before its end
            self._observer.report(f"{child.name} is taken back")
            child.requested, child.purpose = True, "restart"
        elif child.state in ("released", "failed"):
            self._observer.report(f"{child.name} is taken back")
            child.requested = True
            if child.process is not None:  # it has failed, and has not ended yet
                self._end(child, "restart")
            else:
                self._spawn(child)
