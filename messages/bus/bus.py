"""The bus: topics, services and actions between processes, by name.

One thread serves (`Bus.spin`): it owns the bound sockets and runs the handlers of services that are
not in the background and the callbacks of topics. Any thread may call, publish and send goals.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from messages.bus import address as addresses
from messages.bus.action_server import ActionServer, GoalHandle
from messages.bus.call_events import CallEvents
from messages.bus.clients import Clients
from messages.bus.curve import TOOLS
from messages.bus.diagnostics import INTERVAL, Diagnostics
from messages.bus.errors import (
    INTERNAL,
    BusClosed,
    BusError,
    MalformedReply,
    ServiceError,
)
from messages.bus.frames import Socket, keep
from messages.bus.gate import Gate
from messages.bus.goal_client import GoalClient
from messages.bus.goal_store import (
    AnyAction,
    GoalStore,
    MemoryGoals,
    cancel_service,
    feedback_topic,
    result_service,
    send_service,
)
from messages.bus.guard import Guard
from messages.bus.later import Later
from messages.bus.network import LAST, Network
from messages.bus.services import SOCKET as REQUESTS
from messages.bus.services import Call, Services
from messages.bus.serving import TURN, Serving
from messages.bus.topics import (
    SUBSCRIPTIONS,
    FramesCallback,
    Publisher,
    Subscriber,
    TopicReader,
    UntypedCallback,
)
from messages.bus.waiting import Limits, NodeStatus
from messages.bus.workers import Workers
from messages.calling import calls
from messages.codec import CodecError, Frames, decode, encode, fingerprint
from messages.empty import Empty
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
from messages.system import LIST, NOTICE, Diagnostic, Endpoint, diagnostics, status_clause

_PRUNED = 10.0  # seconds between two prunings of what need not be remembered any more
_LAUNCHER = Limits(reply=2.0, absence=0.3, total=2.0)  # a caller that waits for a node queries it
_ENDING = 0.5  # seconds in which waiting threads close their sockets

MAX_POSTED = 10_000
"""Messages that other threads may have published and the serving thread has not sent yet."""


class Bus:
    """A process's end of the bus.

    With a ``node`` name it may serve and publish, and binds the node's addresses: at once, or
    (``bind=False``) with `bind`, once the node is ready to answer. Without a name it can only call,
    send goals and subscribe. ``hosts`` is the configuration's table of nodes that are
    reached by TCP; ``keys`` the folder of their keys, ``<run>/keys`` if not given.

    Raises:
        AddressError: an address or a key cannot be had.
    """

    def __init__(
        self,
        run: Path,
        node: str | None = None,
        hosts: Mapping[str, Any] | None = None,
        *,
        keys: Path | None = None,
        log: logging.Logger | None = None,
        bind: bool = True,
    ) -> None:
        self.run = Path(run).resolve()
        self.node = node
        self.epoch = secrets.token_hex(8)
        self._log = log or logging.getLogger(f"bus.{node or TOOLS}")
        self._network = Network(self.run, node, hosts, keys)
        self._endpoints: dict[str, Endpoint] = {}
        self._used: set[str] = set()
        self._actions: dict[str, ActionServer] = {}
        self._workers: list[Workers] = []
        self._diagnostics = Diagnostics(node or TOOLS, self._publish_diagnostic, self._log)
        self._serving = Serving(self._diagnostics, self._log)
        self._status = NodeStatus(self._node_status, self._notify)
        self._clients = Clients(self._network, self._serving, self.epoch, self._status)
        self._services: Services | None = None
        self._publisher: Publisher | None = None
        self._events: CallEvents | None = None
        self._subscriber: Subscriber | None = None
        self._guard: Guard | None = None
        self._prune_at = 0.0
        self._bound_later: list[tuple[Socket, addresses.Side]] = []
        try:
            if node is not None:
                self._prepare(node)
                if bind:
                    self.bind()
        except BaseException:
            self.close()
            raise
        self.every(TURN, self._expire)
        self.every(INTERVAL, self._diagnostics.flush)

    def bind(self) -> None:
        """Listen on the node's addresses. From then on clients connect, send requests and expect a
        reply in time."""
        assert self.node is not None
        for socket, side in self._bound_later:
            self._network.bind(socket, self.node, side)

    # Serving

    def serve(
        self,
        service: Service[Request, Reply],
        handler: Callable[[Request], Reply | Later[Reply]],
        background: bool = False,
        gate: Gate | None = None,
    ) -> None:
        """Serve a service, in the serving thread or (``background``) in threads of its own. While
        ``gate`` is shut, requests are held by it. A handler that has to wait long returns a
        `Later`, and no thread waits.

        A handler rejects a request by raising `ServiceError`. Any other exception goes to the log,
        and the caller gets a RemoteError with the code ``internal``.
        """

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

        self._own(service.name, "service", [service.request, service.reply])
        self._add(service, handle, background, gate)

    def serve_action(
        self,
        action: Action[Goal, Feedback, Result],
        handler: Callable[[GoalHandle[Goal, Feedback]], Result],
        store: GoalStore | None = None,
    ) -> None:
        """Work on goals, one at a time, in a thread of the action's own.

        An exception of the handler makes the goal fail, except `GoalCancelled`. Goals that the
        store holds unfinished begin again when the bus spins.
        """
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
        self._own(action.name, "action", [action.goal, action.feedback, action.result])
        self.advertise(feedback)
        self._actions[action.name] = server
        self._add(send_service(action), server.send)
        self._add(result_service(action), server.result)
        self._add(cancel_service(action), server.cancel)
        self._serving.post(server.start)

    def advertise(self, topic: Topic[Any]) -> None:
        """List a topic among this node's endpoints before anything is published on it."""
        self._own(topic.name, "topic", [topic.message])

    def publish(self, topic: Topic[Message], message: Message) -> None:
        """Send a message to the subscribers of a topic."""
        if topic.name not in self._endpoints:
            self.advertise(topic)
        self._publish(topic, message, "")

    def subscribed(self, topic: Topic[Any]) -> bool:
        """Whether a topic of this node may have a subscriber: for what is costly to publish."""
        return self._publisher is not None and self._publisher.subscribed(topic.name)

    def subscribe(self, topic: Topic[Message], callback: Callable[[Message], None]) -> None:
        """Call ``callback`` in the serving thread with each message of a topic."""
        self._used.add(topic.name)
        self._serving.post(lambda: self._subscriptions().subscribe(topic, callback))

    def subscribe_untyped(self, name: str, callback: UntypedCallback) -> None:
        """Call ``callback(header, body)`` with each message of a topic of unknown type, the body as
        plain dicts, lists and arrays. ``critic/*`` is every topic of the critic."""
        addresses.check_name(name.partition("/")[0])
        self._serving.post(lambda: self._subscriptions().subscribe_untyped(name, callback))

    def subscribe_frames(self, name: str, callback: FramesCallback) -> None:
        """The same with the body as it came, which is not decoded: for subscribers that only count
        messages."""
        addresses.check_name(name.partition("/")[0])
        self._serving.post(lambda: self._subscriptions().subscribe_frames(name, callback))

    def report(self, about: str, message: str, level: str = "warning") -> None:
        """Publish a problem on the diagnostics topic; problems are counted, and published at most
        once a second for each subject."""
        self._diagnostics.report(about, message, level)

    def every(self, seconds: float, do: Callable[[], None]) -> None:
        """Call ``do`` regularly in the serving thread. Its exceptions go to the log and the
        diagnostics, and it is called again when it is due."""
        self._serving.every(seconds, do)

    @property
    def busy(self) -> list[str]:
        """Goals being worked on."""
        return [goal for server in self._actions.values() if (goal := server.current) is not None]

    @property
    def here(self) -> bool:
        """Whether the calling thread is the one that serves."""
        return self._serving.here

    def check_open(self) -> None:
        """Raise BusClosed once the shutdown has begun."""
        if self._serving.closing.is_set():
            raise BusClosed("the bus is closed")

    def delay(self, subject: str, why: str) -> None:
        """Report to callers why their requests take long, as a clause about this node ("which is
        paused"); their deadlines do not run out meanwhile. Empty: not for this ``subject`` any
        more."""
        if self._services is not None:
            self._services.delays = {**self._services.delays, subject: why}

    @property
    def endpoints(self) -> list[Endpoint]:
        """The node's topics, services and actions, by name."""
        return sorted(self._endpoints.values(), key=lambda endpoint: endpoint.name)

    @property
    def used(self) -> list[str]:
        """The topics that this end subscribes to, and the services and actions of other nodes that
        it has called so far, by name."""
        return sorted(self._used.copy())

    @property
    def away(self) -> float:
        """Seconds for which calls have waited for nodes that were not connected."""
        return self._status.away

    def spin(self, stop: threading.Event) -> None:
        """Serve until ``stop`` is set (and `wake` called, if it is to be at once)."""
        self._serving.spin(stop)

    def spin_once(self, timeout: float = 0.0) -> None:
        """Serve what has come in, or what comes first within ``timeout`` seconds."""
        self._serving.spin_once(timeout)

    def wake(self) -> None:
        """Wake the serving thread. May be called from a signal handler."""
        self._serving.wake()

    # Calling

    def call(
        self,
        service: Service[Request, Reply],
        request: Request,
        timeout: float | None = None,
        *,
        absence: float | None = None,
    ) -> Reply:
        """Send a request and wait for the reply.

        With ``timeout`` the caller waits so many seconds and no more. Without it, the node has the
        service's own time, which counts while the node is connected. The caller waits for an absent
        node as long as the launcher knows it, or for ``absence`` seconds if they are given.
        docs/deadlines.md has the rules.

        Raises:
            DeadlineExceeded: no reply in time.
            PeerRestarted: the node was restarted during the call and the service is not idempotent.
            RemoteError: the node rejected the request or failed.
            MalformedReply: the reply does not decode.
            CodecError: the request cannot be written.
        """
        if not isinstance(request, service.request):
            raise CodecError(
                f"{service.name} takes {service.request.__name__}, not {type(request).__name__}"
            )
        frames = encode(request)
        if timeout is not None:
            limits = Limits.by_the_clock(timeout)
        elif absence is not None:
            limits = Limits(service.timeout, absence, service.timeout + absence)
        elif service.node == LIST.node:  # no supervisor would start it again
            limits = Limits.by_the_clock(service.timeout)
        else:
            limits = Limits.of_service(service.timeout)
        _, reply = self._requester(service.node, service.name)(service.name, frames, limits)
        try:
            return decode(service.reply, reply)
        except CodecError as error:
            raise MalformedReply(f"{service.name}: the reply does not decode: {error}") from error

    def send_goal(
        self, action: Action[Goal, Any, Any], goal_id: str, goal: Goal, timeout: float = 10.0
    ) -> str:
        """Send a goal to its server, which runs it once however often it is sent; returns the
        goal's status."""
        client = GoalClient(self._requester(action.node, action.name), action, goal_id)
        return client.send(goal, Limits.by_the_clock(timeout))

    def run_goal(
        self,
        action: Action[Goal, Feedback, Result],
        goal_id: str,
        goal: Goal,
        on_feedback: Callable[[Feedback], None] | None = None,
        timeout: float | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Result:
        """Send a goal and wait for its result, through restarts of its server and, as the goal's
        id names it for good, of the caller.

        Raises:
            RemoteError: the goal failed.
            GoalCancelled: it was cancelled, here (``cancelled`` returned True) or elsewhere.
            DeadlineExceeded: there is no result after ``timeout`` seconds; the goal goes on.
        """
        client = GoalClient(self._requester(action.node, action.name), action, goal_id)
        reader = None
        if on_feedback is not None:
            reader = TopicReader(self._network.connect(action.node, "pub"))
            reader.subscribe(feedback_topic(action).name)
        try:
            return client.run(goal, reader, on_feedback, timeout, cancelled)
        finally:
            if reader is not None:
                reader.close()

    def cancel_goal(self, action: AnyAction, goal_id: str, timeout: float = 10.0) -> str:
        """Ask the server to cancel a goal; returns its status."""
        client = GoalClient(self._requester(action.node, action.name), action, goal_id)
        return client.cancel(Limits.by_the_clock(timeout))

    def close(self) -> None:
        """Close all sockets. Calls that wait in other threads raise BusClosed; goals that are being
        worked on stay unfinished in their stores."""
        if self._serving.closed:
            return
        self._serving.close()
        for workers in self._workers:
            workers.close()
        for server in self._actions.values():
            server.close()
        if self._guard is not None:
            self._guard.close()
        if self._subscriber is not None:
            self._subscriber.close()
        self._network.close()
        self._clients.close()
        self._network.end(_ENDING if self.node is None else _ENDING + LAST)

    # Inside

    def _prepare(self, node: str) -> None:
        authenticator = self._network.prepare(node)
        if authenticator is not None:
            self._serving.read(authenticator.socket, authenticator.answer)
        publisher, publisher_monitor = self._network.router(node, "pub")
        router, router_monitor = self._network.router(node, "srv")
        self._bound_later = [(publisher, "pub"), (router, "srv")]
        monitors = {router_monitor: REQUESTS, publisher_monitor: SUBSCRIPTIONS}
        self._guard = Guard(monitors, self._diagnostics)
        self._publisher = Publisher(publisher, self.epoch, self._diagnostics)
        self._events = CallEvents(node, self._publisher)
        self._services = Services(
            router,
            self.epoch,
            self._diagnostics,
            self._serving.post,
            self._guard.relieve,
            self._events,
        )
        self._serving.read(publisher, self._publisher.read)
        self._serving.read(router, self._services.read)
        self.every(_PRUNED, self._publisher.drop_departed)
        self.advertise(diagnostics(node))
        self.advertise(calls(node))

    def _own(self, name: str, kind: str, types: list[type[Any]]) -> None:
        if self.node is None or name.partition("/")[0] != self.node:
            raise BusError(
                f"{name} belongs to the node {name.partition('/')[0]!r}, "
                f"not to {self.node or 'a process without a name'!r}"
            )
        self._endpoints[name] = Endpoint(
            name=name,
            kind=kind,
            types=[type_.__name__ for type_ in types],
            fingerprint=fingerprint(*types),
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
                self._log.exception("%s: the handler failed", name)
                text = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
                self._diagnostics.report(name, f"the handler failed: {text}", "error")
                call.fail(INTERNAL, f"the handler failed: {text}")

        begin = self._in_background(name, respond) if background else respond
        if gate is not None:
            begin = self._through(gate, name, begin)
        types = (service.request.__name__, service.reply.__name__)
        cast(Services, self._services).add(name, begin, service.idempotent, types)

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
        publisher = cast(Publisher, self._publisher)
        if self._serving.waiting >= MAX_POSTED:
            self._log.warning("%s: message dropped, the node is too busy to send it", topic.name)
            return
        self._serving.post(lambda: publisher.publish(topic.name, topic.latched, frames, goal))

    def _publish_diagnostic(self, diagnostic: Diagnostic) -> None:
        if self._publisher is not None and self.node is not None:
            self._publish(diagnostics(self.node), diagnostic, "")

    def _subscriptions(self) -> Subscriber:
        if self._subscriber is None:
            self._subscriber = Subscriber(self._open_reader, self._diagnostics, self._log)
        return self._subscriber

    def _open_reader(self, node: str, read: Callable[[TopicReader], None]) -> TopicReader:
        reader = TopicReader(self._network.connect(node, "pub"))
        for socket in reader.sockets:
            self._serving.read(socket, lambda: read(reader))
        return reader

    def _node_status(self, node: str) -> str | None:
        """What the launcher knows about a node, as a clause; None if there is no launcher."""
        try:
            _, reply = self._requester(LIST.node, LIST.name)(LIST.name, encode(Empty()), _LAUNCHER)
            states = decode(LIST.reply, reply)
        except BusClosed:
            raise
        except (BusError, CodecError):
            return None
        return next((status_clause(state) for state in states.nodes if state.node == node), None)

    def _notify(self, node: str, sentence: str) -> None:
        self._diagnostics.report(node, sentence, NOTICE)

    def _requester(self, node: str, endpoint: str) -> Callable[..., Any]:
        if node == self.node and self._serving.here:
            raise BusError(f"{endpoint}: the serving thread cannot wait for its own reply")
        self._used.add(endpoint)
        return self._clients.to(node, endpoint).request

    def _expire(self) -> None:
        now = time.monotonic()
        for server in self._actions.values():
            server.expire(now)
        if self._subscriber is not None:
            self._subscriber.refresh()
        if self._services is not None:
            self._services.drop_departed(now)
        if self._services is not None and now >= self._prune_at:
            self._prune_at = now + _PRUNED
            self._services.expire(now)
