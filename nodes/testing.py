"""Test a node without sockets, processes or threads.

    bus = MockBus("critic")
    bus.answer(ASK, lambda ask: Answered(...))        # another node's reply
    critic = start(Critic, bus, tmp_path, required_rate=0.5)
    verdict = bus.call(JUDGE, evidence)               # through the node's own handler
    assert bus.published(PLAN) == [...]

Messages are encoded and decoded, so that what could not be sent fails here as well. Goals run to
their end inside `run_goal`; background services are answered at once.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from messages.bus import Bus, GoalCancelled, GoalHandle, Later, RemoteError, ServiceError
from messages.bus.actions.goal_store import feedback_topic
from messages.codec import decode, encode, fingerprint, snapshot
from messages.interface import (
    Action,
    Feedback,
    Goal,
    Message,
    Reply,
    Request,
    Result,
    Service,
    Topic,
)
from messages.system import Endpoint
from nodes.node import Node

_Node = TypeVar("_Node", bound=Node)


def travel(kind: type[Message], message: Message) -> Message:
    """A message as it is received: encoded, decoded and checked."""
    return decode(kind, snapshot(encode(message)))


class MockBus:
    """Replaces `messages.bus.Bus`. Several nodes may share one and then call each other."""

    def __init__(self, node: str | None = None) -> None:
        self.node = node
        self.epoch = "mock"
        self.busy: list[str] = []
        self.reports: list[tuple[str, str]] = []
        self.requests: list[tuple[str, Any]] = []
        self._handlers: dict[str, Callable[[Any], Any]] = {}
        self._actions: dict[str, Callable[[Any], Any]] = {}
        self._results: dict[tuple[str, str], Any] = {}
        self._published: dict[str, list[Any]] = {}
        self._subscribers: dict[str, list[Callable[[Any], None]]] = {}
        self._endpoints: dict[str, Endpoint] = {}

    # The interface of a test

    def answer(self, service: Service[Request, Reply], handler: Callable[[Request], Reply]) -> None:
        """Stand in for the node that answers a service."""
        self._handlers[service.name] = handler

    def answer_action(
        self,
        action: Action[Goal, Feedback, Result],
        handler: Callable[[GoalHandle[Goal, Feedback]], Result],
    ) -> None:
        """Stand in for the node that works on goals."""
        self._actions[action.name] = handler

    def published(self, topic: Topic[Message]) -> list[Message]:
        """The messages that were published on a topic so far."""
        return cast("list[Message]", list(self._published.get(topic.name, [])))

    # The bus as a node sees it

    def serve(
        self,
        service: Service[Request, Reply],
        handler: Callable[[Request], Reply | Later[Reply]],
        background: bool = False,
        gate: object = None,
    ) -> None:
        self._handlers[service.name] = handler
        self._own(service.name, "service", [service.request, service.reply])

    def serve_action(
        self,
        action: Action[Goal, Feedback, Result],
        handler: Callable[[GoalHandle[Goal, Feedback]], Result],
        store: object = None,
    ) -> None:
        self.answer_action(action, handler)
        self._own(action.name, "action", [action.goal, action.feedback, action.result])
        self.advertise(feedback_topic(action))

    def advertise(self, topic: Topic[Any]) -> None:
        self._own(topic.name, "topic", [topic.message], topic.latched)

    def publish(self, topic: Topic[Message], message: Message) -> None:
        arrived = travel(topic.message, message)
        self._published.setdefault(topic.name, []).append(arrived)
        for callback in self._subscribers.get(topic.name, []):
            callback(arrived)

    def subscribe(self, topic: Topic[Message], callback: Callable[[Message], None]) -> None:
        self._subscribers.setdefault(topic.name, []).append(callback)

    def subscribed(self, topic: Topic[Any]) -> bool:
        return bool(self._subscribers.get(topic.name))

    def call(
        self,
        service: Service[Request, Reply],
        request: Request,
        timeout: float | None = None,
        *,
        absence: float | None = None,
    ) -> Reply:
        self.requests.append((service.name, request))
        handler = self._handlers.get(service.name)
        if handler is None:
            raise RemoteError(service.name, "unknown_service", "no node answers this in the test")
        try:
            reply = handler(travel(service.request, request))
            if isinstance(reply, Later):
                reply = _Awaited(cast("Later[Any]", reply)).result()
            return travel(service.reply, reply)
        except ServiceError as error:
            raise RemoteError(service.name, error.code, error.message) from error

    def send_goal(
        self, action: Action[Goal, Any, Any], goal_id: str, goal: Goal, timeout: float = 10.0
    ) -> str:
        self.run_goal(action, goal_id, goal)
        return "succeeded"

    def run_goal(
        self,
        action: Action[Goal, Feedback, Result],
        goal_id: str,
        goal: Goal,
        on_feedback: Callable[[Feedback], None] | None = None,
        timeout: float | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Result:
        if cancelled is not None and cancelled():
            raise GoalCancelled(f"{action.name}: goal {goal_id} was cancelled here")
        if (action.name, goal_id) in self._results:
            return self._results[action.name, goal_id]
        self.requests.append((action.name, goal))
        handler = self._actions.get(action.name)
        if handler is None:
            raise RemoteError(action.name, "unknown_service", "no node answers this in the test")

        def publish(_: str, message: Feedback) -> None:
            if on_feedback is not None:
                on_feedback(travel(action.feedback, message))

        handle = GoalHandle[Goal, Feedback](
            goal_id, travel(action.goal, goal), publish, threading.Event()
        )
        try:
            result = travel(action.result, handler(handle))
        except ServiceError as error:
            raise RemoteError(action.name, error.code, error.message) from error
        self._results[action.name, goal_id] = result
        return result

    def cancel_goal(
        self, action: Action[Any, Any, Any], goal_id: str, timeout: float = 10.0
    ) -> str:
        return "succeeded" if (action.name, goal_id) in self._results else "unknown_goal"

    def report(self, about: str, message: str, level: str = "warning") -> None:
        self.reports.append((about, message))

    def every(self, seconds: float, do: Callable[[], None]) -> None:
        """Timers do not run in a test."""

    def wake(self) -> None:
        """No thread sleeps."""

    @property
    def here(self) -> bool:
        return False

    def check_open(self) -> None:
        """Do nothing: the bus is open."""

    def delay(self, subject: str, why: str) -> None:
        """No caller waits."""

    def close(self) -> None:
        """There is nothing to close."""

    @property
    def endpoints(self) -> list[Endpoint]:
        return sorted(self._endpoints.values(), key=lambda endpoint: endpoint.name)

    @property
    def away(self) -> float:
        """No node is ever absent."""
        return 0.0

    @property
    def used(self) -> list[str]:
        return sorted({name for name, _ in self.requests} | self._subscribers.keys())

    def _own(
        self, name: str, kind: str, types: list[type[msgspec.Struct]], latched: bool = False
    ) -> None:
        self._endpoints[name] = Endpoint(
            name=name,
            kind=kind,
            types=[type_.__name__ for type_ in types],
            fingerprint=fingerprint(*types),
            latched=latched,
        )


class _Awaited:
    """Waits for a reply that comes later."""

    def __init__(self, later: Later[Any]) -> None:
        self._outcome: Future[Any] = Future()
        later.attach(self)

    def reply(self, message: Any) -> None:
        self._outcome.set_result(message)

    def fail(self, code: str, text: str) -> None:
        self._outcome.set_exception(ServiceError(text, code))

    def result(self) -> Any:
        return self._outcome.result()


def start(
    kind: type[_Node],
    bus: MockBus,
    run: Path,
    config: dict[str, Any] | None = None,
    **parameters: Any,
) -> _Node:
    """A node on a mock bus, which serves its endpoints, with its folder under ``run``.

    Raises:
        ConfigError: the parameters are invalid.
    """
    (run / kind.name).mkdir(parents=True, exist_ok=True)
    whole = {**(config or {}), "nodes": {kind.name: {"parameters": parameters}}}
    node = kind(run, whole, cast(Bus, bus))
    node.open_endpoints()
    return node
