"""The serving side of actions: a goal is remembered before it is begun and after it ended.

One thread for each action works on one goal after another. When the process ends, goals
that are not finished stay unfinished in the store. The restarted process begins them again from the
top.

A goal that its handler rejected stays rejected. A goal that failed without a decision (an exception
that is no `ServiceError`, a peer that did not answer) can be retried: it begins again when it is
sent to a restarted process. So a user who fixes the node and restarts it goes on from there.
"""

import logging
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic

import msgspec

from messages.bus.actions.goal_store import (
    FINISHED,
    MAX_WAIT,
    PENDING,
    UNKNOWN,
    AnyAction,
    GoalQuery,
    GoalRecord,
    GoalState,
    GoalStore,
)
from messages.bus.diagnostics import Diagnostics
from messages.bus.errors import (
    INTERNAL,
    OVERLOADED,
    RETRYABLE,
    BusClosed,
    BusError,
    GoalCancelled,
    RemoteError,
    ServiceError,
)
from messages.bus.failure_text import disk_failure, failure_text
from messages.bus.services.service_server import Call
from messages.codec import CodecError, decode, encode, snapshot
from messages.interface import Feedback, Goal

MAX_GOALS = 256
"""Goals of one action that have not ended; further ones are rejected."""
MAX_GOAL_BYTES = 64 << 20
"""Bytes of them."""
MAX_FAILED = 4096
"""Failed goals that are remembered, so that this process does not retry them."""


class GoalHandle(Generic[Goal, Feedback]):
    """A goal, as its handler sees it."""

    def __init__(
        self, id: str, request: Goal, publish: Callable[[str, Any], None], closing: threading.Event
    ) -> None:
        self.id = id
        self.request = request
        self._publish = publish
        self._closing = closing
        self._cancelled = threading.Event()

    @property
    def cancelled(self) -> bool:
        """Whether the caller cancelled it, or this process shuts down. A handler that takes long
        checks this regularly, and raises `GoalCancelled` (or calls `check`)."""
        return self._cancelled.is_set() or self._closing.is_set()

    @property
    def withdrawn(self) -> bool:
        """Whether the caller cancelled it. Only then are the goals that this one sent to other
        nodes cancelled: when this process ends they go on, and the restarted process picks them
        up."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raise GoalCancelled if the goal was cancelled."""
        if self.cancelled:
            raise GoalCancelled(f"{self.id} was cancelled")

    def feedback(self, message: Feedback) -> None:
        """Publish feedback to the subscribers."""
        self._publish(self.id, message)

    def cancel(self) -> None:
        self._cancelled.set()


class _Live:
    """A goal that has not ended in this process."""

    __slots__ = ("handle", "record", "size", "waiting")

    def __init__(self, record: GoalRecord, handle: GoalHandle[Any, Any]) -> None:
        self.record = record
        self.size = sum(map(len, record.request))
        self.handle = handle
        self.waiting: list[tuple[float, Call]] = []


class ActionServer:
    """The goals of one action."""

    def __init__(
        self,
        action: AnyAction,
        handler: Callable[[GoalHandle[Any, Any]], Any],
        store: GoalStore,
        publish: Callable[[str, Any], None],
        closing: threading.Event,
        diagnostics: Diagnostics,
        log: logging.Logger,
    ) -> None:
        self._action = action
        self._handler = handler
        self._store = store
        self._publish = publish
        self._closing = closing
        self._diagnostics = diagnostics
        self._log = log
        self._lock = threading.RLock()
        self._live: dict[str, _Live] = {}
        self._bytes = 0  # of their requests
        # Failed in this process, which does not retry them; the oldest first.
        self._failed_now: OrderedDict[str, None] = OrderedDict()
        self._queue: queue.SimpleQueue[_Live | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self.current: str | None = None

    # Endpoints; called in the serving thread.

    def start(self) -> None:
        """Begin again the goals that the last process left unfinished."""
        for record in self._store.unfinished(self._action.name):
            with self._lock:
                if record.goal in self._live:
                    continue
            try:
                self._admit(record)
            except CodecError as error:
                text = f"the goal of an earlier version cannot be read: {error}"
                self._store.save(
                    msgspec.structs.replace(record, status="failed", code="version", text=text)
                )

    def send(self, call: Call) -> None:
        id = call.header.goal
        if not id:
            call.fail("malformed", "a goal needs an id")
            return
        frames = snapshot(call.frames)
        differs = False
        with self._lock:
            live = self._live.get(id)
            record = live.record if live else self._store.load(self._action.name, id)
            fresh = record is None or self._may_be_retried(record)
            if record is None or fresh:
                record = GoalRecord(
                    action=self._action.name, goal=id, status="waiting", request=frames
                )
            # An unfinished goal that is not live: its end could not be stored.
            if fresh or (live is None and record.status not in FINISHED):
                if (why := self._full(frames)) is not None:
                    self._diagnostics.report(self._action.name, why)
                    call.fail(OVERLOADED, why)
                    return
                try:
                    self._admit(record)
                except CodecError as error:
                    self._diagnostics.report(self._action.name, str(error))
                    call.fail("malformed", str(error))
                    return
            elif differs := record.request != frames:
                self._diagnostics.report(
                    self._action.name,
                    f"goal {id} was sent again with another content; the first one counts",
                )
        call.reply(GoalState(goal=id, status=record.status, differs=differs))

    def _full(self, frames: list[bytes]) -> str | None:
        """Why a further goal is rejected; None if it is accepted."""
        if len(self._live) >= MAX_GOALS:
            return f"{MAX_GOALS} goals have not ended yet; wait for one, or cancel it"
        if self._live and self._bytes + sum(map(len, frames)) > MAX_GOAL_BYTES:
            return (
                f"the goals that have not ended are larger than {MAX_GOAL_BYTES >> 20} MiB with "
                "this one; wait for one, or cancel it"
            )
        return None

    def _may_be_retried(self, record: GoalRecord) -> bool:
        failed = record.status == "failed" and record.code in RETRYABLE
        return failed and record.goal not in self._failed_now

    def result(self, call: Call) -> None:
        query = decode(GoalQuery, call.frames)
        with self._lock:
            live = self._live.get(query.goal)
            if live is not None:
                wait = min(max(0.0, query.wait), MAX_WAIT)  # in this order NaN becomes 0
                live.waiting.append((time.monotonic() + wait, call))
                return
        record = self._store.load(self._action.name, query.goal)
        if record is None or record.status not in FINISHED or self._may_be_retried(record):
            call.reply_frames([b""], UNKNOWN)
        else:
            _reply(call, record)

    def cancel(self, call: Call) -> None:
        query = decode(GoalQuery, call.frames)
        with self._lock:
            live = self._live.get(query.goal)
            if live is not None:
                live.handle.cancel()
                live.record = msgspec.structs.replace(live.record, status="cancelling")
                self._store.save(live.record)
                call.reply(GoalState(goal=query.goal, status="cancelling"))
                return
        record = self._store.load(self._action.name, query.goal)
        status = record.status if record else UNKNOWN
        call.reply(GoalState(goal=query.goal, status=status))

    def expire(self, now: float) -> None:
        """Answer the callers that have waited long enough; they ask again."""
        with self._lock:
            for live in self._live.values():
                if live.waiting:
                    late = [call for until, call in live.waiting if until <= now]
                    live.waiting = [(until, call) for until, call in live.waiting if until > now]
                    for call in late:
                        call.reply_frames([b""], PENDING)

    def close(self) -> None:
        self._queue.put(None)

    # Work; in the action's own thread.

    def _admit(self, record: GoalRecord) -> None:
        request = decode(self._action.goal, record.request)
        handle = GoalHandle[Any, Any](record.goal, request, self._publish, self._closing)
        if record.status == "cancelling":
            handle.cancel()
        self._store.save(record)
        live = _Live(record, handle)
        with self._lock:
            self._live[record.goal] = live
            self._bytes += live.size
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._work, name=self._action.name, daemon=True
                )
                self._thread.start()
        self._queue.put(live)

    def _work(self) -> None:
        while (live := self._queue.get()) is not None and not self._closing.is_set():
            self.current = live.handle.id
            record = self._run(live)
            self.current = None
            if record is None:
                return
            # Under the lock: or else `cancel` might overwrite the end with its own status.
            with self._lock:
                try:
                    self._store.save(record)
                except Exception as error:
                    text = f"the result cannot be stored: {error}"
                    if not isinstance(error, ServiceError):
                        self._log.exception("%s: the result cannot be stored", self._action.name)
                    self._diagnostics.report(self._action.name, text, "error")
                if record.status == "failed":
                    self._failed_now[record.goal] = None
                    if len(self._failed_now) > MAX_FAILED:
                        self._failed_now.popitem(last=False)
                del self._live[record.goal]
                self._bytes -= live.size
                for _, call in live.waiting:
                    _reply(call, record)

    def _run(self, live: _Live) -> GoalRecord | None:
        """Work on a goal. None if this process ends before the goal does."""
        action = self._action
        replace = msgspec.structs.replace
        handle = live.handle
        try:
            handle.check()
            with self._lock:
                if live.record.status == "waiting":
                    live.record = replace(live.record, status="running")
                    self._store.save(live.record)
            result = self._handler(handle)
            if not isinstance(result, action.result):
                raise TypeError(
                    f"the handler returned {type(result).__name__}, not {action.result.__name__}"
                )
            frames = snapshot(encode(result))
            return replace(live.record, status="succeeded", result=frames)
        except BaseException as error:
            if self._closing.is_set() or isinstance(error, BusClosed):
                return None
            if isinstance(error, GoalCancelled):
                return replace(live.record, status="cancelled", text=str(error))
            if isinstance(error, (ServiceError, RemoteError)):
                return replace(live.record, status="failed", code=error.code, text=error.message)
            if isinstance(error, BusError):
                code = type(error).__name__
                return replace(live.record, status="failed", code=code, text=str(error))
            text = failure_text(error)
            if not disk_failure(error):
                self._log.exception("%s: goal %s failed", action.name, handle.id)
            self._diagnostics.report(action.name, f"goal {handle.id} failed: {text}", "error")
            return replace(live.record, status="failed", code=INTERNAL, text=text)


def _reply(call: Call, record: GoalRecord) -> None:
    if record.status == "succeeded":
        call.reply_frames(list(record.result))
    elif record.status == "cancelled":
        call.reply_frames([b""], "cancelled")
    else:
        call.fail(record.code or "failed", record.text)
