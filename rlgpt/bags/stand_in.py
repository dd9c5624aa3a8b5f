"""Takes the place of one node in a run: publishes and replies what the node did in a bag."""

import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from messages.bus import BusError
from messages.bus.replay_bus import ReplayBus
from messages.codec import Frames
from messages.empty import Empty
from messages.system import Description, Heartbeat, describe, description, heartbeat
from nodes.common.running.process import AlreadyRunning, hold
from nodes.config import key_folder
from rlgpt.bags.bag_reader import Channel
from rlgpt.bags.recorded_answers import Answers
from rlgpt.composing.configuration import Stack
from rlgpt.refused import Refused


class StandIn:
    """A stand-in for one node. ``topics``: those that it will publish."""

    def __init__(
        self, run: Path, stack: Stack, node: str, topics: Mapping[str, Channel], answers: Answers
    ) -> None:
        self._node = node
        self._began = time.monotonic()
        (run / node).mkdir(exist_ok=True)
        try:
            self._lock = hold(run / node / "lock", node)
        except AlreadyRunning:
            raise Refused(f"{node} is running, so a bag cannot take its place; stop it") from None
        keys = key_folder(run, stack.keys)
        try:
            self._bus = ReplayBus(run, node, stack.hosts, keys=keys, bind=False)
        except BusError as error:
            self._lock.close()
            raise Refused(str(error)) from None
        self._over = threading.Event()
        for topic, channel in topics.items():
            self._bus.add_topic(topic, channel.schema, channel.latched)
        own = describe(node)
        for service, types in answers.types.items():
            if service.partition("/")[0] == node and service != own.name:
                self._bus.add_service(service, types, answers.respond)
        self._bus.serve(own, self._describe)
        self._bus.advertise(heartbeat(node))
        self._bus.every(1.0, self._beat)
        self._bus.publish(description(node), self._describe(Empty()))
        self._thread = threading.Thread(
            target=self._bus.spin, args=(self._over,), name=f"stand-in-{node}", daemon=True
        )

    def start(self) -> None:
        """Make the stand-in reachable. Raises Refused if its address cannot be used."""
        try:
            self._bus.bind()
        except BusError as error:
            raise Refused(str(error)) from None
        self._thread.start()

    def publish(self, topic: str, latched: bool, frames: Frames, goal: str) -> None:
        self._bus.publish_frames(topic, latched, frames, goal)

    def close(self) -> None:
        self._over.set()
        self._bus.wake()
        if self._thread.ident is not None:
            self._thread.join(5.0)
        self._bus.close()
        self._lock.close()

    def _beat(self) -> None:
        beat: dict[str, Any] = {"node": self._node, "epoch": self._bus.epoch, "pid": os.getpid()}
        self._bus.publish(
            heartbeat(self._node),
            Heartbeat(
                **beat,
                uptime=time.monotonic() - self._began,
                busy=[],
                notes=["a bag is played in its place"],
            ),
        )

    def _describe(self, _: Empty) -> Description:
        return Description(
            node=self._node,
            epoch=self._bus.epoch,
            pid=os.getpid(),
            endpoints=self._bus.endpoints,
            uses=[],
        )
