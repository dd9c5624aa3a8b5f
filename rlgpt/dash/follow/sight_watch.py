"""What a player sees, for the pages that show it: subscribed to only while there is one.

It has a bus of its own, which is closed when the last page leaves: with it the subscription ends,
and the env server stops making pictures.
"""

import contextlib
import json
import struct
import threading
from pathlib import Path

from messages.bus import Bus, BusError
from messages.world import SIGHT, Sight
from nodes.config import key_folder
from rlgpt.composing.configuration import load
from rlgpt.dash.feed import Feed
from rlgpt.refused import Refused


class SightWatch:
    """May be used from several threads."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._feeds: list[Feed] = []
        self._bus: Bus | None = None
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, feed: Feed) -> None:
        with self._lock:
            self._feeds.append(feed)
            if self._bus is None:
                with contextlib.suppress(BusError, Refused):  # of a run that cannot be reached
                    self._begin()

    def remove(self, feed: Feed) -> None:
        with self._lock:
            if feed in self._feeds:
                self._feeds.remove(feed)
            if self._feeds or self._bus is None:
                return
            bus, thread = self._bus, self._thread
            self._bus = None
            self._over.set()
        bus.wake()
        if thread is not None:
            thread.join(5.0)
        bus.close()

    def _begin(self) -> None:
        stack = load(self._run)
        bus = Bus(
            run=self._run, node=None, hosts=stack.hosts, keys=key_folder(self._run, stack.keys)
        )
        self._over = threading.Event()
        bus.subscribe(SIGHT, self._take)
        self._bus = bus
        self._thread = threading.Thread(
            target=bus.spin, args=(self._over,), name="dash-sight", daemon=True
        )
        self._thread.start()

    def _take(self, sight: Sight) -> None:
        message = packed(sight)
        with self._lock:
            for feed in self._feeds:
                feed.put("sight", message)


def packed(sight: Sight) -> bytes:
    """A sight packed for the page: the length of the head (4 bytes, little-endian), the head as
    JSON, the picture and the map, each as rows of red, green and blue."""
    view = sight.view
    head = json.dumps(
        {
            "session": sight.session,
            "task": sight.task,
            "steps": sight.steps,
            "position": view.position,
            "yaw": view.yaw,
            "pitch": view.pitch,
            "life": view.life,
            "food": view.food,
            "facing": view.facing,
            "biome": view.biome,
            "inventory": view.inventory,
            "picture": sight.picture.shape[1:],
            "above": sight.above.shape[1:],
        }
    ).encode()
    picture, above = (each.transpose(1, 2, 0).tobytes() for each in (sight.picture, sight.above))
    return struct.pack("<I", len(head)) + head + picture + above
