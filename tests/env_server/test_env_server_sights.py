"""What a player sees: the env server publishes it only while there are subscribers."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from messages.bus import Bus
from messages.world import CLOSE, OPEN, SIGHT, STEP, CloseSession, Sight, Step, View
from nodes.env_server.live_sights import Sights
from tests.bus_processes import PATIENCE, Process, eventually
from tests.env_server.embedded_server import COMPILING, bus, run, server
from tests.env_server.test_env_server import opening

__all__ = ["bus", "run", "server"]  # fixtures


@pytest.fixture
def serving(bus: Bus) -> Iterator[Bus]:
    """The bus, served by a thread of its own."""
    over = threading.Event()
    thread = threading.Thread(target=bus.spin, args=(over,))
    thread.start()
    yield bus
    over.set()
    bus.wake()
    thread.join(PATIENCE)


def test_the_players_view_is_published_while_there_are_subscribers(
    server: Process, serving: Bus, run_folder: Path
) -> None:
    serving.call(OPEN, opening(autoreset=True), timeout=COMPILING)
    seen: list[Sight] = []
    choices = np.array([1, 1, 1], np.int64)

    def step() -> list[Sight]:
        stepped = serving.call(STEP, Step(session="test/a", choices=choices), timeout=PATIENCE)
        assert stepped.steps.all()
        return seen

    watcher = Bus(run_folder)
    try:
        watcher.subscribe(SIGHT, seen.append)
        over = threading.Event()
        thread = threading.Thread(target=watcher.spin, args=(over,))
        thread.start()
        eventually(lambda: len(step()) > 1)
        over.set()
        watcher.wake()
        thread.join(PATIENCE)
    finally:
        watcher.close()
    sight = seen[-1]
    assert (sight.session, sight.task) == ("test/a", "harvest_log")
    assert sight.picture.shape == (3, 160, 256)
    assert sight.picture.std() > 5.0  # there is something in it
    assert sight.above.shape == (3, 41, 41)
    assert sight.above.std() > 5.0
    assert 0.0 < sight.view.life <= 20.0
    serving.call(CLOSE, CloseSession(session="test/a"), timeout=PATIENCE)


def test_published_pictures_stay_with_one_session() -> None:
    published: list[str] = []
    sights = Sights(lambda sight: published.append(sight.session))
    first, second = (sights.of(opening(name)) for name in ("a", "b"))
    picture, above = np.zeros((3, 2, 2), np.uint8), np.zeros((3, 0, 0), np.uint8)
    view = View(inventory={})
    assert not first.wants_sight()
    for each in (first, second):
        each.show(1, view, picture, above)
    assert published == []
    sights.wanted = True
    assert first.wants_sight()
    assert not first.wants_sight()  # a moment later: there is a pause between two
    for each in (first, second, first):
        each.show(1, view, picture, above)
    assert published == ["a", "a"]
