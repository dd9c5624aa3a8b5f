"""The client side of actions: send a goal, wait for its result through restarts, cancel it."""

import contextlib
import math
import time
from collections.abc import Callable
from typing import Any, cast

import zmq

from messages.bus.actions.goal_store import (
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
from messages.bus.errors import DeadlineExceeded, GoalCancelled, MalformedReply, OtherGoal
from messages.bus.network.header import decode_header
from messages.bus.services.client import TICK
from messages.bus.services.waiting import RequestLimits
from messages.bus.topics.topic_sockets import TopicReader
from messages.codec import CodecError, Frames, decode, encode

PATIENCE = 10.0
"""Seconds to wait for a connected server that should have answered, before a retry."""


SUBSCRIBED = 1.0
"""Seconds to wait for the subscription to a goal's feedback, before it is sent without."""


def _wait_for_subscription(reader: TopicReader, until: float, tick: Callable[[], None]) -> None:
    poller = zmq.Poller()
    for socket in reader.sockets:
        poller.register(socket, zmq.POLLIN)
    with contextlib.suppress(zmq.ContextTerminated):  # sending the goal reports it
        tick()
        while not reader.confirmed and (left := until - time.monotonic()) > 0:
            poller.poll(max(1, math.ceil(min(left, TICK) * 1000)))
            tick()


def _within(reply: float, left: float) -> RequestLimits:
    """An absent node is waited for as long as there is time left at all."""
    return RequestLimits(reply=min(reply, left), total=left)


class GoalClient:
    """One goal of one action, for its caller. ``request`` is `Client.request` of its server's
    client."""

    def __init__(self, request: Callable[..., Any], action: AnyAction, goal: str) -> None:
        self._request = request
        self._action = action
        self._goal = goal

    def send(
        self,
        goal: Any,
        limits: RequestLimits,
        tick: Callable[[], None] | None = None,
        same: bool = False,
    ) -> str:
        """The goal's status. ``same``: see `run`."""
        if not isinstance(goal, self._action.goal):
            raise CodecError(
                f"{self._action.name} takes {self._action.goal.__name__}, not {type(goal).__name__}"
            )
        endpoint = send_service(self._action).name
        _, reply = self._request(endpoint, encode(goal), limits, goal=self._goal, tick=tick)
        state = self._state(reply)
        if same and state.differs:
            raise OtherGoal(
                f"{self._action.name}: another request was sent as the goal {self._goal} before, "
                "and its result is that request's: choose another id"
            )
        return state.status

    def cancel(self, limits: RequestLimits) -> str:
        endpoint = cancel_service(self._action).name
        query = GoalQuery(goal=self._goal)
        _, reply = self._request(endpoint, encode(query), limits, goal=self._goal)
        return self._state(reply).status

    def run(
        self,
        goal: Any,
        reader: TopicReader | None,
        on_feedback: Callable[[Any], None] | None,
        timeout: float | None,
        cancelled: Callable[[], bool] | None,
        same: bool = False,
    ) -> Any:
        """``same``: raise OtherGoal where another request was sent under the goal's id before."""
        until = math.inf if timeout is None else time.monotonic() + timeout
        name = self._action.name
        endpoint = result_service(self._action).name

        def tick() -> None:
            if reader is not None and on_feedback is not None:
                self._read_feedback(reader, on_feedback)
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
            if reader is not None:  # or else the first feedback could come before it
                _wait_for_subscription(reader, min(until, time.monotonic() + SUBSCRIBED), tick)
            while True:
                seconds = left()
                tick()
                try:
                    if not sent:
                        self.send(goal, _within(PATIENCE, seconds), tick, same)
                        sent = True
                        continue
                    query = GoalQuery(goal=self._goal, wait=min(seconds, MAX_WAIT))
                    header, reply = self._request(
                        endpoint,
                        encode(query),
                        _within(MAX_WAIT + PATIENCE, seconds),
                        goal=self._goal,
                        also=reader.sockets if reader is not None else (),
                        tick=tick,
                    )
                except DeadlineExceeded:
                    sent = False  # a restarted server may not know the goal
                    continue
                if header.code == UNKNOWN:
                    sent = False
                elif header.code == "cancelled":
                    raise GoalCancelled(f"{name}: goal {self._goal} was cancelled")
                elif header.code != PENDING:
                    if reader is not None and on_feedback is not None:
                        self._read_feedback(reader, on_feedback)
                    return self._read(self._action.result, reply)
        except GoalCancelled as error:
            if cancelled is not None and cancelled():
                self._cancel_after(error)
            raise

    def _cancel_after(self, reason: GoalCancelled) -> None:
        """Cancel at the server, also at a restarting one: it would go on with the goal."""
        try:
            self.cancel(RequestLimits.of_service(PATIENCE))
        except DeadlineExceeded as error:
            raise reason from error

    def _read_feedback(self, reader: TopicReader, on_feedback: Callable[[Any], None]) -> None:
        topic = feedback_topic(self._action).name.encode() + b"\0"
        # Feedback is only shown; the result is what counts.
        with contextlib.suppress(CodecError):
            for frames in reader.read():
                if len(frames) < 3 or frames[0] != topic:
                    continue
                with contextlib.suppress(CodecError):
                    if decode_header(frames[1]).goal == self._goal:
                        on_feedback(decode(self._action.feedback, frames[2:]))

    def _state(self, reply: Frames) -> GoalState:
        return cast(GoalState, self._read(GoalState, reply))

    def _read(self, kind: type[Any], reply: Frames) -> Any:
        try:
            return decode(kind, reply)
        except CodecError as error:
            raise MalformedReply(
                f"{self._action.name}: the reply does not decode: {error}"
            ) from error
