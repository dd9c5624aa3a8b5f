"""The bus: topics, services and actions between processes, by name.

One thread serves (`Bus.spin`): it owns the bound sockets and runs the handlers of services that are
not in the background and the callbacks of topics. Any thread may call, publish and send goals.

`Bus` is the interface. Behind it are the node's own endpoints (node_endpoints.py), its calls of
other nodes (caller.py), its subscriptions (subscriptions.py) and the serving thread (serving.py).
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from messages.bus.actions.action_server import GoalHandle
from messages.bus.actions.goal_store import AnyAction, GoalStore
from messages.bus.caller import Caller
from messages.bus.diagnostics import INTERVAL, Diagnostics
from messages.bus.errors import BusClosed
from messages.bus.gate import Gate
from messages.bus.network.curve import TOOLS
from messages.bus.network.sockets import LAST, Network
from messages.bus.node_endpoints import NodeEndpoints
from messages.bus.services.later import Later
from messages.bus.serving import TURN, Serving
from messages.bus.topics.subscriptions import Subscriptions
from messages.bus.topics.topic_sockets import FramesCallback, UntypedCallback
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
from messages.system import NOTICE, Diagnostic, Endpoint

_ENDING = 0.5  # seconds in which waiting threads close their sockets


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
        log = log or logging.getLogger(f"bus.{node or TOOLS}")
        self._network = Network(self.run, node, hosts, keys)
        self._diagnostics = Diagnostics(node or TOOLS, self._publish_diagnostic, log)
        self._serving = Serving(self._diagnostics, log)
        self._own = NodeEndpoints(
            node, self.epoch, self._network, self._serving, self._diagnostics, log
        )
        self._caller = Caller(node, self.epoch, self._network, self._serving, self._notify)
        self._subscriptions = Subscriptions(self._network, self._serving, self._diagnostics, log)
        try:
            if node is not None:
                self._own.prepare(node)
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
        self._own.bind()

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
        self._own.serve(service, handler, background, gate)

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
        self._own.serve_action(action, handler, store)

    def advertise(self, topic: Topic[Any]) -> None:
        """List a topic among this node's endpoints before anything is published on it."""
        self._own.advertise(topic)

    def publish(self, topic: Topic[Message], message: Message) -> None:
        """Send a message to the subscribers of a topic."""
        self._own.publish(topic, message)

    def subscribed(self, topic: Topic[Any]) -> bool:
        """Whether a topic of this node may have a subscriber: for what is costly to publish."""
        return self._own.subscribed(topic)

    def report(self, about: str, message: str, level: str = "warning") -> None:
        """Publish a problem on the diagnostics topic; problems are counted, and published at most
        once a second for each subject."""
        self._diagnostics.report(about, message, level)

    def delay(self, subject: str, why: str) -> None:
        """Report to callers why their requests take long, as a clause about this node ("which is
        paused"); their deadlines do not run out meanwhile. Empty: not for this ``subject`` any
        more."""
        self._own.delay(subject, why)

    @property
    def busy(self) -> list[str]:
        """Goals being worked on."""
        return self._own.busy

    @property
    def endpoints(self) -> list[Endpoint]:
        """The node's topics, services and actions, by name."""
        return sorted(self._own.by_name.values(), key=lambda endpoint: endpoint.name)

    # Subscribing

    def subscribe(self, topic: Topic[Message], callback: Callable[[Message], None]) -> None:
        """Call ``callback`` in the serving thread with each message of a topic."""
        self._subscriptions.subscribe(topic, callback)

    def subscribe_untyped(self, name: str, callback: UntypedCallback) -> None:
        """Call ``callback(header, body)`` with each message of a topic of unknown type, the body as
        plain dicts, lists and arrays. ``critic/*`` is every topic of the critic."""
        self._subscriptions.subscribe_untyped(name, callback)

    def subscribe_frames(self, name: str, callback: FramesCallback) -> None:
        """Subscribe to a topic with the body as it came, which is not decoded: for subscribers that
        only count messages."""
        self._subscriptions.subscribe_frames(name, callback)

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
        return self._caller.call(service, request, timeout, absence)

    def send_goal(
        self, action: Action[Goal, Any, Any], goal_id: str, goal: Goal, timeout: float = 10.0
    ) -> str:
        """Send a goal to its server, which runs it once however often it is sent; returns the
        goal's status."""
        return self._caller.send_goal(action, goal_id, goal, timeout)

    def run_goal(
        self,
        action: Action[Goal, Feedback, Result],
        goal_id: str,
        goal: Goal,
        on_feedback: Callable[[Feedback], None] | None = None,
        timeout: float | None = None,
        cancelled: Callable[[], bool] | None = None,
        same: bool = False,
    ) -> Result:
        """Send a goal and wait for its result, through restarts of its server and, as the goal's
        id names it for good, of the caller. The first request under an id counts; with ``same``
        another one is refused. A node's own may differ after its restart.

        Raises:
            RemoteError: the goal failed.
            OtherGoal: with ``same``, another request was sent under this id.
            GoalCancelled: it was cancelled, here (``cancelled`` returned True) or elsewhere.
            DeadlineExceeded: there is no result after ``timeout`` seconds; the goal goes on.
        """
        return self._caller.run_goal(action, goal_id, goal, on_feedback, timeout, cancelled, same)

    def cancel_goal(self, action: AnyAction, goal_id: str, timeout: float = 10.0) -> str:
        """Ask the server to cancel a goal; returns its status."""
        return self._caller.cancel_goal(action, goal_id, timeout)

    @property
    def used(self) -> list[str]:
        """The topics that this end subscribes to, and the services and actions of other nodes that
        it has called so far, by name."""
        return sorted(self._caller.used.copy() | self._subscriptions.used.copy())

    @property
    def away(self) -> float:
        """Seconds for which calls have waited for nodes that were not connected."""
        return self._caller.away

    # The serving thread

    def every(self, seconds: float, do: Callable[[], None]) -> None:
        """Call ``do`` regularly in the serving thread. Its exceptions go to the log and the
        diagnostics, and it is called again when it is due."""
        self._serving.every(seconds, do)

    @property
    def here(self) -> bool:
        """Whether the calling thread is the one that serves."""
        return self._serving.here

    def spin(self, stop: threading.Event) -> None:
        """Serve until ``stop`` is set (and `wake` called, if it is to be at once)."""
        self._serving.spin(stop)

    def spin_once(self, timeout: float = 0.0) -> None:
        """Serve what has come in, or what comes first within ``timeout`` seconds."""
        self._serving.spin_once(timeout)

    def wake(self) -> None:
        """Wake the serving thread. May be called from a signal handler."""
        self._serving.wake()

    def check_open(self) -> None:
        """Raise BusClosed once the shutdown has begun."""
        if self._serving.closing.is_set():
            raise BusClosed("the bus is closed")

    def stop_answering(self) -> None:
        """Leave the requests and goals that are not done to the next process of this node, however
        they end in this one. What is published is still sent."""
        self._serving.closing.set()
        self._serving.wake()

    def close(self) -> None:
        """Close all sockets. Calls that wait in other threads raise BusClosed; goals that are being
        worked on stay unfinished in their stores."""
        if self._serving.closed:
            return
        self._serving.close()
        self._own.close()
        self._subscriptions.close()
        self._network.close()
        self._caller.close()
        self._network.end(_ENDING if self.node is None else _ENDING + LAST)

    # Inside

    def _publish_diagnostic(self, diagnostic: Diagnostic) -> None:
        self._own.publish_diagnostic(diagnostic)

    def _notify(self, node: str, sentence: str) -> None:
        self._diagnostics.report(node, sentence, NOTICE)

    def _expire(self) -> None:
        now = time.monotonic()
        self._own.expire(now)
        self._subscriptions.refresh()
