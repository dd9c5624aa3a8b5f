"""A subscriber that does not read costs its publisher a bounded amount of memory, whatever it is
subscribed to, and reads the state of latched topics once it goes on."""

import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from messages.array import Array
from messages.bus import Bus
from messages.bus.topics.flow import MAX_WAITING
from messages.interface import Topic
from messages.system import Diagnostic, diagnostics
from tests.bus_processes import PATIENCE, ROOT

SIZE = 1 << 20
MANY = 4 * MAX_WAITING // SIZE


class Shot(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    number: int
    pixels: Array


class Status(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    number: int


SHOT = Topic("camera/shot", Shot)
STATUS = Topic("camera/status", Status, latched=True)

_SUBSCRIBER = """
import sys, threading
from pathlib import Path
from messages.bus import Bus

bus = Bus(Path(sys.argv[1]))
bus.subscribe_untyped("camera/*", lambda _, body: print(body.get("number"), flush=True))
bus.spin(threading.Event())
"""


@pytest.fixture
def camera(tmp_path: Path) -> Iterator[Bus]:
    bus = Bus(tmp_path, "camera")
    over = threading.Event()
    thread = threading.Thread(target=bus.spin, args=(over,), daemon=True)
    thread.start()
    yield bus
    over.set()
    thread.join(PATIENCE)
    bus.close()


def test_a_stopped_subscriber_gets_what_has_room_and_the_last_state(
    tmp_path: Path, camera: Bus
) -> None:
    told: queue.SimpleQueue[Diagnostic] = queue.SimpleQueue()
    watcher = Bus(tmp_path)
    watcher.subscribe(diagnostics("camera"), told.put)
    process = subprocess.Popen(
        [sys.executable, "-c", _SUBSCRIBER, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        camera.publish(STATUS, Status(number=-1))
        assert process.stdout.readline() == "-1\n"
        process.send_signal(signal.SIGSTOP)
        for number in range(MANY):
            camera.publish(SHOT, Shot(number=number, pixels=np.zeros(SIZE, np.uint8)))
        camera.publish(STATUS, Status(number=-2))
        process.send_signal(signal.SIGCONT)
        shots = 0
        while process.stdout.readline() != "-2\n":
            shots += 1
        assert 0 < shots * SIZE <= MAX_WAITING + SIZE
        while told.empty():
            watcher.spin_once(0.1)
        assert "a subscriber does not read" in told.get().message
    finally:
        process.kill()
        process.communicate()
        watcher.close()
