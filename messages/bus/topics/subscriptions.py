"""Subscriptions of a process to topics of other nodes."""

import logging
from collections.abc import Callable

from messages.bus.diagnostics import Diagnostics
from messages.bus.network import address as addresses
from messages.bus.network.sockets import Network
from messages.bus.serving import Serving
from messages.bus.topics.topic_sockets import (
    FramesCallback,
    Subscriber,
    TopicReader,
    UntypedCallback,
)
from messages.interface import Message, Topic


class Subscriptions:
    """The subscriptions of a node, whose callbacks run in the serving thread.

    Attributes:
        used: topics that were subscribed to by their names.
    """

    def __init__(
        self, network: Network, serving: Serving, diagnostics: Diagnostics, log: logging.Logger
    ) -> None:
        self.used: set[str] = set()
        self._network = network
        self._serving = serving
        self._diagnostics = diagnostics
        self._log = log
        self._subscriber: Subscriber | None = None

    def subscribe(self, topic: Topic[Message], callback: Callable[[Message], None]) -> None:
        self.used.add(topic.name)
        self._serving.post(lambda: self._made().subscribe(topic, callback))

    def subscribe_untyped(self, name: str, callback: UntypedCallback) -> None:
        addresses.check_name(name.partition("/")[0])
        self._serving.post(lambda: self._made().subscribe_untyped(name, callback))

    def subscribe_frames(self, name: str, callback: FramesCallback) -> None:
        addresses.check_name(name.partition("/")[0])
        self._serving.post(lambda: self._made().subscribe_frames(name, callback))

    def refresh(self) -> None:
        """Keep the connections; to be called regularly in the serving thread."""
        if self._subscriber is not None:
            self._subscriber.refresh()

    def close(self) -> None:
        if self._subscriber is not None:
            self._subscriber.close()

    def _made(self) -> Subscriber:
        if self._subscriber is None:
            self._subscriber = Subscriber(self._open_reader, self._diagnostics, self._log)
        return self._subscriber

    def _open_reader(self, node: str, read: Callable[[TopicReader], None]) -> TopicReader:
        reader = TopicReader(self._network.connect(node, "pub"), node)
        for socket in reader.sockets:
            self._serving.read(socket, lambda: read(reader))
        return reader
