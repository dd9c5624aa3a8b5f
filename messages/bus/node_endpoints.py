"""A node's own endpoints: the services and actions that it serves, the topics that it publishes."""

import logging
from collections.abc import Callable
from typing import Any, cast

from messages.bus.actions.action_server import ActionServer, GoalHandle
from messages.bus.actions.goal_store import (
    GoalStore,
    MemoryGoals,
    cancel_service,
    feedback_topic,
    result_service,
    send_service,
)
from messages.bus.diagnostics import Diagnostics
from messages.bus.errors import INTERNAL, BusError, ServiceError
from messages.bus.failure_text import disk_failure
from messages.bus.gate import Gate
from messages.bus.network import address as addresses
from messages.bus.network.connection_guard import Guard
from messages.bus.network.frames import Socket, keep
from messages.bus.network.sockets import Network
from messages.bus.services.call_events import CallEvents
from messages.bus.services.later import Later
from messages.bus.services.service_server import SOCKET as REQUESTS
from messages.bus.services.service_server import Call, Services
from messages.bus.services.workers import Workers
from messages.bus.serving import Serving
from messages.bus.topics.topic_sockets import SUBSCRIPTIONS, Publisher
from messages.calling import calls
from messages.codec import CodecError, Frames, decode, encode, fingerprint
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
from messages.system import Diagnostic, Endpoint, diagnostics

MAX_POSTED = 10_000
"""Messages that other threads may have published and the serving thread has not sent yet."""

_PRUNED = 10.0  # seconds between two prunings of what need not be remembered any more


class NodeEndpoints:
    """The endpoints of ``node``; of a process without a name (None) there are none.

    Attributes:
        by_name: all of them, as they are listed.
        services, publisher: their sockets; None in a process without a name.
    """

    def __init__(
        self,
        node: str | None,
        epoch: str,
        network: Network,
        serving: Serving,
        diagnostics: Diagnostics,
        log: logging.Logger,
    ) -> None:
        self.by_name: dict[str, Endpoint] = {}
        self.services: Services | None = None
        self.publisher: Publisher | None = None
        self._node = node
        self._epoch = epoch
        self._network = network
        self._serving = serving
        self._diagnostics = diagnostics
        self._log = log
        self._actions: dict[str, ActionServer] = {}
        self._workers: list[Workers] = []
        self._events: CallEvents | None = None
        self._guard: Guard | None = None
        self._prune_at = 0.0
        self._bound_later: list[tuple[Socket, addresses.Side]] = []

    def prepare(self, node: str) -> None:
        """Make the node's sockets. Raises AddressError: an address or a key cannot be had."""
        authenticator = self._network.prepare(node)
        if authenticator is not None:
            self._serving.read(authenticator.socket, authenticator.answer)
        publisher, publisher_monitor = self._network.router(node, "pub")
        router, router_monitor = self._network.router(node, "srv")
        self._bound_later = [(publisher, "pub"), (router, "srv")]
        monitors = {router_monitor: REQUESTS, publisher_monitor: SUBSCRIPTIONS}
        self._guard = Guard(monitors, self._diagnostics, self._log)
        self.publisher = Publisher(publisher, self._epoch, self._diagnostics)
        self._events = CallEvents(node, self.publisher)
        self.services = Services(
            router,
            self._epoch,
            self._diagnostics,
            self._serving.post,
            self._guard.return_memory,
            self._events,
            self._serving.closing,
        )
        self._serving.read(publisher, self.publisher.read)
        self._serving.read(router, self.services.read)
        self._serving.every(_PRUNED, self.publisher.drop_departed)
        self.advertise(diagnostics(node))
        self.advertise(calls(node))

    def bind(self) -> None:
        """Listen on the node's addresses."""
        assert self._node is not None
        for socket, side in self._bound_later:
            self._network.bind(socket, self._node, side)

    # Services and actions

    def serve(
        self,
        service: Service[Request, Reply],
        handler: Callable[[Request], Reply | Later[Reply]],
        background: bool,
        gate: Gate | None,
    ) -> None:
        def handle(call: Call) -> None:
            request = decode(service.request, call.frames)
            reply = handler(request)
            if isinstance(reply, Later):
                call.wait_for(cast("Later[Any]", reply))
                return
            if not isinstance(reply, service.reply):
                raise TypeError(
                    f"the handler returned {type(reply).__name__}, not {service.reply.__name__}"
                )
            call.reply(reply)

        self._list(service.name, "service", [service.request, service.reply])
        self._add(service, handle, background, gate)

    def serve_action(
        self,
        action: Action[Goal, Feedback, Result],
        handler: Callable[[GoalHandle[Goal, Feedback]], Result],
        store: GoalStore | None,
    ) -> None:
        feedback = feedback_topic(action)
        server = ActionServer(
            action,
            handler,
            store or MemoryGoals(),
            lambda goal, message: self._publish(feedback, message, goal),
            self._serving.closing,
            self._diagnostics,
            self._log,
        )
        self._list(action.name, "action", [action.goal, action.feedback, action.result])
        self.advertise(feedback)
        self._actions[action.name] = server
        self._add(send_service(action), server.send)
        self._add(result_service(action), server.result)
        self._add(cancel_service(action), server.cancel)
        self._serving.post(server.start)

    @property
    def busy(self) -> list[str]:
        """Goals being worked on."""
        return [goal for server in self._actions.values() if (goal := server.current) is not None]

    def delay(self, subject: str, why: str) -> None:
        if self.services is not None:
            self.services.delays = {**self.services.delays, subject: why}

    # Topics

    def advertise(self, topic: Topic[Any]) -> None:
        self._list(topic.name, "topic", [topic.message], topic.latched)

    def publish(self, topic: Topic[Message], message: Message) -> None:
        if topic.name not in self.by_name:
            self.advertise(topic)
        self._publish(topic, message, "")

    def publish_diagnostic(self, diagnostic: Diagnostic) -> None:
        if self.publisher is not None and self._node is not None:
            self._publish(diagnostics(self._node), diagnostic, "")

    def subscribed(self, topic: Topic[Any]) -> bool:
        return self.publisher is not None and self.publisher.subscribed(topic.name)

    # The end

    def expire(self, now: float) -> None:
        """Forget what need not be remembered any more, and send what had to wait; to be called
        regularly."""
        for server in self._actions.values():
            server.expire(now)
        if self.publisher is not None:
            self.publisher.send_missed()
        if self.services is not None:
            self.services.drop_departed(now)
            if now >= self._prune_at:
                self._prune_at = now + _PRUNED
                self.services.expire(now)

    def close(self) -> None:
        """End the threads. Goals that are being worked on stay unfinished in their stores."""
        for workers in self._workers:
            workers.close()
        for server in self._actions.values():
            server.close()
        if self._guard is not None:
            self._guard.close()

    # Inside

    def _list(self, name: str, kind: str, types: list[type[Any]], latched: bool = False) -> None:
        if self._node is None or name.partition("/")[0] != self._node:
            raise BusError(
                f"{name} belongs to the node {name.partition('/')[0]!r}, "
                f"not to {self._node or 'a process without a name'!r}"
            )
        known = self.by_name.get(name)
        if known is not None and not known.kind == kind == "topic":
            raise BusError(f"{self._node} already has the {known.kind} {name}; serve it once")
        self.by_name[name] = Endpoint(
            name=name,
            kind=kind,
            types=[type_.__name__ for type_ in types],
            fingerprint=fingerprint(*types),
            latched=latched,
        )

    def _add(
        self,
        service: Service[Any, Any],
        handle: Callable[[Call], None],
        background: bool = False,
        gate: Gate | None = None,
    ) -> None:
        name = service.name

        def respond(call: Call) -> None:
            try:
                handle(call)
            except ServiceError as error:
                call.fail(error.code, error.message)
            except CodecError as error:
                self._diagnostics.report(name, f"{error}; rejected")
                call.fail("malformed", str(error))
            except BusError as error:
                call.fail(getattr(error, "code", type(error).__name__), str(error))
            except Exception as error:
                if not (text := disk_failure(error)):
                    self._log.exception("%s: the handler failed", name)
                    why = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
                    text = f"the handler failed: {why}"
                self._diagnostics.report(name, text, "error")
                call.fail(INTERNAL, text)

        begin = self._in_background(name, respond) if background else respond
        if gate is not None:
            begin = self._through(gate, name, begin)
        types = (service.request.__name__, service.reply.__name__)
        cast(Services, self.services).add(name, begin, service.idempotent, types)

    def _through(
        self, gate: Gate, name: str, begin: Callable[[Call], None]
    ) -> Callable[[Call], None]:
        """``begin``, in the serving thread, when the gate lets the request through."""

        def post(call: Call) -> None:
            self._serving.post(lambda: begin(call))

        return lambda call: gate.hold(name, lambda: post(call))

    def _in_background(self, name: str, respond: Callable[[Call], None]) -> Callable[[Call], None]:
        """``respond`` in threads of this service alone: if all its calls block, other services
        still answer."""
        workers = Workers(name)
        self._workers.append(workers)
        return lambda call: workers.run(lambda: respond(call))

    def _publish(self, topic: Topic[Any], message: Any, goal: str) -> None:
        if not isinstance(message, topic.message):
            raise CodecError(
                f"{topic.name} carries {topic.message.__name__}, not {type(message).__name__}"
            )
        frames: Frames = keep(encode(message))
        publisher = cast(Publisher, self.publisher)
        if self._serving.waiting >= MAX_POSTED:
            self._log.warning("%s: message dropped, the node is too busy to send it", topic.name)
            return
        self._serving.post(lambda: publisher.publish(topic.name, topic.latched, frames, goal))
