"""An end of the bus that publishes and replies with messages that were encoded before: it takes the
place of a node whose messages were recorded, and whose types need not be known."""

import time
from collections.abc import Callable
from typing import cast

from messages.bus.bus import Bus
from messages.bus.services.service_server import Call, Services
from messages.bus.topics.topic_sockets import Publisher
from messages.codec import Frames
from messages.system import Endpoint

_BEHIND = 1000  # messages that wait to be sent, after which the publishing thread waits too


class ReplayBus(Bus):
    """Add endpoints first, then `bind`."""

    def add_topic(self, name: str, kind: str, latched: bool) -> None:
        """List a topic whose messages have the type ``kind``."""
        self._own.by_name[name] = Endpoint(
            name=name, kind="topic", types=[kind], fingerprint="", latched=latched
        )

    def add_service(
        self, name: str, types: tuple[str, str], respond: Callable[[Call], None]
    ) -> None:
        """Reply to the requests of a service with ``respond``, in the serving thread."""
        self._own.by_name[name] = Endpoint(
            name=name, kind="service", types=list(types), fingerprint=""
        )
        cast(Services, self._own.services).add(name, respond, True, types)

    def publish_frames(self, name: str, latched: bool, frames: Frames, goal: str = "") -> None:
        """Publish a message as it is. From any thread but the serving one."""
        publisher = cast(Publisher, self._own.publisher)
        while self._serving.waiting >= _BEHIND and not self._serving.closed:
            time.sleep(0.001)
        self._serving.post(lambda: publisher.publish(name, latched, frames, goal))
