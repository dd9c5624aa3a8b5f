"""Calls of other nodes: requests to services, and goals of actions."""

from collections.abc import Callable
from typing import Any

from messages.bus.actions.goal_client import GoalClient
from messages.bus.actions.goal_store import AnyAction, feedback_topic
from messages.bus.errors import BusClosed, BusError, MalformedReply
from messages.bus.network.sockets import Network
from messages.bus.services.clients import Clients
from messages.bus.services.waiting import NodeStatus, RequestLimits
from messages.bus.serving import Serving
from messages.bus.topics.topic_sockets import TopicReader
from messages.codec import CodecError, decode, encode
from messages.empty import Empty
from messages.interface import Action, Feedback, Goal, Reply, Request, Result, Service
from messages.system import LIST, status_clause

_LAUNCHER = RequestLimits(
    reply=2.0, absence=0.3, total=2.0
)  # a caller that waits for a node queries it


class Caller:
    """The calls of one process.

    Args:
        node: its name, None without one.
        notify: takes a node that is waited for and one sentence, for the log and the diagnostics.

    Attributes:
        clients: of its threads.
        used: the services and actions that were called so far.
    """

    def __init__(
        self,
        node: str | None,
        epoch: str,
        network: Network,
        serving: Serving,
        notify: Callable[[str, str], None],
    ) -> None:
        self.used: set[str] = set()
        self._node = node
        self._network = network
        self._serving = serving
        self._status = NodeStatus(self._node_status, notify)
        self.clients = Clients(network, serving, epoch, self._status)

    @property
    def away(self) -> float:
        """Seconds for which calls have waited for nodes that were not connected."""
        return self._status.away

    def call(
        self,
        service: Service[Request, Reply],
        request: Request,
        timeout: float | None,
        absence: float | None,
    ) -> Reply:
        if not isinstance(request, service.request):
            raise CodecError(
                f"{service.name} takes {service.request.__name__}, not {type(request).__name__}"
            )
        frames = encode(request)
        if timeout is not None:
            limits = RequestLimits.by_the_clock(timeout)
        elif absence is not None:
            limits = RequestLimits(service.timeout, absence, service.timeout + absence)
        elif service.node == LIST.node:  # no supervisor would start it again
            limits = RequestLimits.by_the_clock(service.timeout)
        else:
            limits = RequestLimits.of_service(service.timeout)
        _, reply = self._requester(service.node, service.name)(service.name, frames, limits)
        try:
            return decode(service.reply, reply)
        except CodecError as error:
            raise MalformedReply(f"{service.name}: the reply does not decode: {error}") from error

    def send_goal(
        self, action: Action[Goal, Any, Any], goal_id: str, goal: Goal, timeout: float
    ) -> str:
        return self._goal_client(action, goal_id).send(goal, RequestLimits.by_the_clock(timeout))

    def run_goal(
        self,
        action: Action[Goal, Feedback, Result],
        goal_id: str,
        goal: Goal,
        on_feedback: Callable[[Feedback], None] | None,
        timeout: float | None,
        cancelled: Callable[[], bool] | None,
        same: bool,
    ) -> Result:
        client = self._goal_client(action, goal_id)
        reader = None
        if on_feedback is not None:
            reader = TopicReader(self._network.connect(action.node, "pub"), action.node)
            reader.subscribe(feedback_topic(action).name)
        try:
            return client.run(goal, reader, on_feedback, timeout, cancelled, same)
        finally:
            if reader is not None:
                reader.close()

    def cancel_goal(self, action: AnyAction, goal_id: str, timeout: float) -> str:
        return self._goal_client(action, goal_id).cancel(RequestLimits.by_the_clock(timeout))

    def close(self) -> None:
        self.clients.close()

    def _goal_client(self, action: AnyAction, goal_id: str) -> GoalClient:
        return GoalClient(self._requester(action.node, action.name), action, goal_id)

    def _requester(self, node: str, endpoint: str) -> Callable[..., Any]:
        if node == self._node and self._serving.here:
            raise BusError(f"{endpoint}: the serving thread cannot wait for its own reply")
        self.used.add(endpoint)
        return self.clients.to(node, endpoint).request

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
