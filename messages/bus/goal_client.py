"""The asking side of actions: send a goal, wait for its result through restarts, cancel it."""

import contextlib
import math
import time
from collections.abc import Callable
from typing import Any, cast

from messages.bus.errors import DeadlineExceeded, GoalCancelled, MalformedReply
from messages.bus.goals import (
    MAX_WAIT,
    PENDING,
    UNKNOWN,
    AnyAction,
    GoalQuery,
    GoalState,
    cancel_service,
    feedback_topic,
    result_service,
    send_service,
)
from messages.bus.header import decode_header
from messages.bus.topics import Listener
from messages.bus.waiting import Limits
from messages.codec import CodecError, Frames, decode, encode

PATIENCE = 10.0
"""Seconds to wait for a server that is there and should have answered before it is asked again."""


def _within(answer: float, left: float) -> Limits:
    """A node that is away is waited for as long as there is time left at all."""
    return Limits(answer=min(answer, left), total=left)


class GoalClient:
    """One goal of one action, as its caller sees it. ``ask`` is `Peer.ask` of the line to its
    server."""

    def __init__(self, ask: Callable[..., Any], action: AnyAction, goal: str) -> None:
        self._ask = ask
        self._action = action
        self._goal = goal

    def send(self, goal: Any, limits: Limits, tick: Callable[[], None] | None = None) -> str:
        if not isinstance(goal, self._action.goal):
            raise CodecError(
                f"{self._action.name} takes {self._action.goal.__name__}, not {type(goal).__name__}"
            )
        door = send_service(self._action).name
        _, answer = self._ask(door, encode(goal), limits, goal=self._goal, tick=tick)
        return self._state(answer)

    def cancel(self, limits: Limits) -> str:
        door = cancel_service(self._action).name
        query = GoalQuery(goal=self._goal)
        _, answer = self._ask(door, encode(query), limits, goal=self._goal)
        return self._state(answer)

    def run(
        self,
        goal: Any,
        listener: Listener | None,
        on_feedback: Callable[[Any], None] | None,
        timeout: float | None,
        cancelled: Callable[[], bool] | None,
    ) -> Any:
        until = math.inf if timeout is None else time.monotonic() + timeout
        name = self._action.name
        door = result_service(self._action).name

        def tick() -> None:
            if listener is not None and on_feedback is not None:
                self._hear(listener, on_feedback)
            if cancelled is not None and cancelled():
                raise GoalCancelled(f"{name}: goal {self._goal} was cancelled here")

        def left() -> float:
            seconds = until - time.monotonic()
            if seconds <= 0:
                raise DeadlineExceeded(
                    f"{name}: goal {self._goal} has no result from {self._action.node} "
                    f"within {timeout:g} seconds"
                )
            return seconds

        sent = False
        try:
            while True:
                seconds = left()
                tick()
                try:
                    if not sent:
                        self.send(goal, _within(PATIENCE, seconds), tick)
                        sent = True
                        continue
                    query = GoalQuery(goal=self._goal, wait=min(seconds, MAX_WAIT))
                    header, answer = self._ask(
                        door,
                        encode(query),
                        _within(MAX_WAIT + PATIENCE, seconds),
                        goal=self._goal,
                        also=listener.sockets if listener is not None else (),
                        tick=tick,
                    )
                except DeadlineExceeded:
                    sent = False  # whoever comes back may not know of the goal
                    continue
                if header.code == UNKNOWN:
                    sent = False
                elif header.code == "cancelled":
                    raise GoalCancelled(f"{name}: goal {self._goal} was cancelled")
                elif header.code != PENDING:
                    if listener is not None and on_feedback is not None:
                        self._hear(listener, on_feedback)
                    return self._read(self._action.result, answer)
        except GoalCancelled as error:
            if cancelled is not None and cancelled():
                self._give_up(error)
            raise

    def _give_up(self, reason: GoalCancelled) -> None:
        """Tell the server; one that is being restarted would go on with the goal else."""
        try:
            self.cancel(Limits.of_service(PATIENCE))
        except DeadlineExceeded as error:
            raise reason from error

    def _hear(self, listener: Listener, on_feedback: Callable[[Any], None]) -> None:
        topic = feedback_topic(self._action).name.encode() + b"\0"
        # Feedback is for show; the result is what counts.
        with contextlib.suppress(CodecError):
            for frames in listener.read():
                if len(frames) < 3 or frames[0] != topic:
                    continue
                with contextlib.suppress(CodecError):
                    if decode_header(frames[1]).goal == self._goal:
                        on_feedback(decode(self._action.feedback, frames[2:]))

    def _state(self, answer: Frames) -> str:
        return cast(GoalState, self._read(GoalState, answer)).status

    def _read(self, kind: type[Any], answer: Frames) -> Any:
        try:
            return decode(kind, answer)
        except CodecError as error:
            raise MalformedReply(
                f"{self._action.name}: the answer does not decode: {error}"
            ) from error
