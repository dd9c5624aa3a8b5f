"""What a node publishes just before it closes arrives, also where its subscriber reads it late."""

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from messages.bus import Bus
from messages.interface import Topic
from tests.bus.bus_server import DO_AGAIN, LATEST, NEWS, Batch, Do, Done
from tests.bus_processes import PATIENCE, Process, eventually

BATCHES = Topic("server/batches", Batch)


def subscribed(node: Bus, subscriber: Bus, topic: Topic[Any]) -> list[Any]:
    """What the subscriber receives from then on."""
    received: list[Any] = []
    subscriber.subscribe(topic, received.append)

    def there() -> bool:
        node.spin_once(0.01)
        subscriber.spin_once(0.01)
        return node.subscribed(topic)

    eventually(there)
    return received


def read(subscriber: Bus, received: list[Any], count: int) -> None:
    until = time.monotonic() + PATIENCE
    while len(received) < count and time.monotonic() < until:
        subscriber.spin_once(0.05)


@pytest.mark.parametrize("in_a_thread", [False, True])
def test_the_last_messages_of_a_node_are_received_after_it_has_closed(
    run: Path, bus: Bus, in_a_thread: bool
) -> None:
    """More than the library reads from a connection at a time; the subscriber is busy meanwhile."""
    node = Bus(run, "server")
    received = subscribed(node, bus, NEWS)

    def publish() -> None:
        for number in range(500):
            node.publish(NEWS, Done(note=str(number), process=0))

    if in_a_thread:
        thread = threading.Thread(target=publish)
        thread.start()
        thread.join()
    else:
        publish()
    node.close()
    time.sleep(0.3)  # the connection has ended by now
    read(bus, received, 500)
    assert [message.note for message in received] == [str(number) for number in range(500)]


def test_large_last_messages_are_received(run: Path, bus: Bus) -> None:
    node = Bus(run, "server")
    received = subscribed(node, bus, BATCHES)
    for number in range(8):
        node.publish(BATCHES, Batch(values=np.full(200_000, number)))
    closing = threading.Thread(target=node.close)
    closing.start()  # it gives them to who reads them
    read(bus, received, 8)
    closing.join(PATIENCE)
    assert [int(message.values[-1]) for message in received] == list(range(8))


def test_a_node_whose_subscriber_reads_nothing_closes_all_the_same(run: Path, bus: Bus) -> None:
    node = Bus(run, "server")
    subscribed(node, bus, BATCHES)
    for number in range(30):
        node.publish(BATCHES, Batch(values=np.full(200_000, number)))
    began = time.monotonic()
    node.close()
    assert time.monotonic() - began < PATIENCE / 2


def test_the_state_that_a_process_published_last_is_known_after_its_end(
    run: Path, server: Process, bus: Bus
) -> None:
    states: list[Done] = []
    bus.subscribe(LATEST, states.append)
    eventually(lambda: (bus.spin_once(0.05), bus.call(DO_AGAIN, Do(note="first"), PATIENCE))[1])
    read(bus, states, 1)
    for number in range(40):
        bus.call(DO_AGAIN, Do(note=str(number)), PATIENCE)  # this thread reads nothing meanwhile
    assert server.stop() == 0
    time.sleep(0.3)
    eventually(lambda: (bus.spin_once(0.05), states[-1].note == "39")[1])
