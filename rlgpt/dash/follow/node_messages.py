"""What the nodes of a run publish, as states of the page: one connection to the bus for all pages.

It stays open over the end of a launcher and a resumption: a run's addresses do not change, and the
bus connects again by itself.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from messages.breaking import BROKEN
from messages.bus import Bus, BusError
from messages.bus.network.header import Header
from messages.calling import calls
from messages.chat import EXCHANGES, TOKENS
from messages.codec import CodecError, Frames, decode
from messages.interface import Topic
from messages.pausing import Pause
from messages.plan import PLAN, WORKING
from messages.system import Description, Heartbeat, description, heartbeat
from messages.training import PROGRESS
from messages.world import ACTIVITY, SIGHT, Activity
from nodes.config import key_folder
from rlgpt.composing.configuration import Stack
from rlgpt.dash.follow.answers_being_written import Speaking
from rlgpt.interfaces import descriptions
from rlgpt.launching.machines import LAUNCHER
from rlgpt.launching.world_activity import together

_SHOWN: dict[str, tuple[str, Topic[Any]]] = {
    BROKEN.name: ("breakpoints", BROKEN),
    PLAN.name: ("plan", PLAN),
    WORKING.name: ("working", WORKING),
    PROGRESS.name: ("progress", PROGRESS),
}
"""Topics whose newest message is a state of the page, and the channel of each."""
_GRAPH = 4.0  # seconds between two looks at who uses what


class TopicRate(msgspec.Struct, frozen=True, kw_only=True):
    """What a topic carried since the last look."""

    topic: str
    hz: float
    kib: float  # KiB a second
    count: int  # messages since the page's server subscribed
    missed: int


class _Count:
    def __init__(self) -> None:
        self.messages = self.bytes = self.missed = self.total = 0
        self._last: tuple[str, int] | None = None

    def add(self, header: Header, size: int) -> None:
        if header.kind != "latched":
            self.messages += 1
            self.total += 1
            self.bytes += size
            if self._last is not None and self._last[0] == header.epoch:
                self.missed += max(0, header.id - self._last[1] - 1)
        self._last = (header.epoch, header.id)


class NodeMessages:
    """``put`` is called with a channel and what is to be shown there, in the thread of the bus.

    Raises:
        BusError: there can be no connection: keys are missing, for example.
    """

    def __init__(self, run: Path, stack: Stack, put: Callable[[str, Any], None]) -> None:
        self.bus = Bus(run=run, node=None, hosts=stack.hosts, keys=key_folder(run, stack.keys))
        self._put = put
        self._lock = threading.Lock()
        self._counts: dict[str, _Count] = {}
        self._counted_at = time.monotonic()
        self._descriptions: dict[str, Description] = {}
        self._heartbeats: dict[str, Heartbeat] = {}
        self._speaking = Speaking()
        self._speaking_lock = threading.Lock()
        # Topics that cost their node something where there are subscribers.
        self._not_counted = {SIGHT.at(node).name for node in stack.env_servers}
        self._not_counted |= {calls(node).name for node in (*stack.nodes, LAUNCHER)}
        self._activity_topics = {ACTIVITY.at(node).name for node in stack.env_servers}
        self._activities: dict[str, Activity] = {}
        self._pauses: dict[str, Pause] = {}  # by node
        self._subscribed: set[str] = set()
        for node in (*stack.nodes, LAUNCHER):
            self._subscribe(description(node).name)
            self._subscribe(heartbeat(node).name)
        self._over = threading.Event()
        self._thread = threading.Thread(
            target=self.bus.spin, args=(self._over,), name="dash-bus", daemon=True
        )
        self._thread.start()
        self._asking = threading.Thread(
            target=self._ask_again, args=(list(stack.nodes),), name="dash-graph", daemon=True
        )
        self._asking.start()

    def heartbeats(self) -> dict[str, Heartbeat]:
        with self._lock:
            return dict(self._heartbeats)

    def graph(self) -> dict[str, Any]:
        """Nodes, their topics, and who uses what: as `rlgpt graph` has them."""
        with self._lock:
            found = list(self._descriptions.values())
        kinds = {each.name: each.kind for one in found for each in one.endpoints}
        nodes = [one.node for one in found]
        edges = [
            {"user": one.node, "owner": owner, "name": name, "kind": kinds.get(name, "")}
            for one in found
            for name in one.uses
            if (owner := name.partition("/")[0]) != one.node and owner in nodes
        ]
        topics = sorted(name for name, kind in kinds.items() if kind == "topic")
        edges.sort(key=lambda edge: (edge["user"], edge["name"]))
        return {"nodes": sorted(nodes), "edges": edges, "topics": topics}

    def rates(self) -> list[TopicRate]:
        """The rates of every topic, since this was called last."""
        now = time.monotonic()
        with self._lock:
            seconds = max(now - self._counted_at, 1e-3)
            self._counted_at = now
            rows = [
                TopicRate(
                    topic=name,
                    hz=round(each.messages / seconds, 2),
                    kib=round(each.bytes / seconds / 1024, 2),
                    count=each.total,
                    missed=each.missed,
                )
                for name, each in sorted(self._counts.items())
            ]
            for each in self._counts.values():
                each.messages = each.bytes = 0
        return rows

    def expire(self) -> None:
        """Take off answers that no more of is to come; to be called regularly."""
        self._show_speaking(self._speaking.left)

    def close(self) -> None:
        self._over.set()
        self.bus.wake()
        self._thread.join(5.0)
        self.bus.close()  # ends a call of the other thread
        self._asking.join(5.0)

    def _ask_again(self, nodes: list[str]) -> None:
        """A node publishes its description when it starts; what it uses is known later."""
        while not self._over.wait(_GRAPH):
            try:
                for one in descriptions(self.bus, nodes):
                    self._described(one.node, one)
            except BusError:
                return  # it is closed

    def _subscribe(self, topic: str) -> None:
        if topic not in self._subscribed and topic not in self._not_counted:
            self._subscribed.add(topic)
            self.bus.subscribe_frames(topic, self._take)

    def _take(self, header: Header, frames: Frames) -> None:
        name = header.endpoint
        size = sum(memoryview(frame).nbytes for frame in frames)
        with self._lock:
            self._counts.setdefault(name, _Count()).add(header, size)
        try:
            self._show(name, frames)
        except CodecError:
            return  # of another version: it is counted all the same

    def _show(self, name: str, frames: Frames) -> None:
        if (shown := _SHOWN.get(name)) is not None:
            channel, topic = shown
            self._put(channel, decode(topic.message, frames))
        elif name in self._activity_topics:
            self._activities[name] = decode(Activity, frames)
            self._put("activity", together(self._activities.values()))
        elif name == TOKENS.name:
            piece = decode(TOKENS.message, frames)
            self._show_speaking(lambda: self._speaking.add(piece))
        elif name == EXCHANGES.name:
            id = decode(EXCHANGES.message, frames).answered.id
            self._show_speaking(lambda: self._speaking.answered(id))
        elif name.endswith("/pause"):
            state = decode(Pause, frames)
            self._pauses[_owner(name)] = state
            self._put("pauses", self._pauses)
        elif name.endswith("/heartbeat"):
            beat = decode(Heartbeat, frames)
            with self._lock:
                self._heartbeats[_owner(name)] = beat
        elif name.endswith("/description"):
            self._described(_owner(name), decode(Description, frames))

    def _show_speaking(self, change: Callable[[], list[dict[str, Any]]]) -> None:
        with self._speaking_lock:  # of two threads the later list is shown last
            self._put("speaking", change())

    def _described(self, node: str, found: Description) -> None:
        with self._lock:
            known = self._descriptions.get(node)
            # A node that was started again has yet to use what it used.
            uses = sorted({*found.uses, *(known.uses if known is not None else [])})
            self._descriptions[node] = msgspec.structs.replace(found, node=node, uses=uses)
        for each in found.endpoints:
            if each.kind == "topic":
                self._subscribe(each.name)
        self._put("graph", self.graph())


def _owner(topic: str) -> str:
    """The node that publishes a topic. What a message has for its sender's name is not taken."""
    return topic.partition("/")[0]


def connect(run: Path, stack: Stack, put: Callable[[str, Any], None]) -> NodeMessages | None:
    """A connection to a run's nodes; None where there can be none."""
    try:
        return NodeMessages(run, stack, put)
    except BusError:
        return None
