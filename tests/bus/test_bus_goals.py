"""A goal's end on its way to the store: a cancellation in between, and a store that fails; and
queries for a result that is not there yet."""

import math
import threading
from pathlib import Path

import pytest

from messages.bus import Bus, GoalHandle
from messages.bus.actions.goal_store import (
    PENDING,
    GoalQuery,
    GoalRecord,
    MemoryGoals,
    result_service,
)
from tests.bus.bus_server import WORK, Do, Done
from tests.bus.raw_peer import RawPeer, reply, request
from tests.bus_processes import PATIENCE


class Serving:
    """The node ``server`` in a thread. Its goals take no time while they are ``allowed``."""

    def __init__(self, run: Path, store: MemoryGoals) -> None:
        self.times = 0
        self.allowed = threading.Event()
        self.allowed.set()
        self._bus = Bus(run, "server")
        self._bus.serve_action(WORK, self._work, store)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._bus.spin, args=(self._stop,))
        self._thread.start()

    def _work(self, goal: GoalHandle[Do, Done]) -> Done:
        self.times += 1
        self.allowed.wait(PATIENCE)
        return Done(note=goal.request.note, process=0)

    def end(self) -> None:
        self.allowed.set()
        self._stop.set()
        self._bus.wake()
        self._thread.join(PATIENCE)
        self._bus.close()


def test_cancelling_a_goal_that_has_just_succeeded_leaves_it_succeeded(run: Path, bus: Bus) -> None:
    class Interrupted(MemoryGoals):
        """A caller cancels right after a goal's end was stored."""

        def save(self, record: GoalRecord) -> None:
            super().save(record)
            if record.status == "succeeded":
                canceller.start()
                canceller.join(1.0)

    statuses: list[str] = []
    canceller = threading.Thread(target=lambda: statuses.append(bus.cancel_goal(WORK, "goal")))
    store = Interrupted()
    serving = Serving(run, store)
    try:
        assert bus.run_goal(WORK, "goal", Do(note="a")).note == "a"
        canceller.join(PATIENCE)
        assert statuses == ["succeeded"]
        kept = store.load(WORK.name, "goal")
        assert kept is not None
        assert kept.status == "succeeded"
    finally:
        serving.end()


def test_a_goal_whose_end_could_not_be_stored_is_done_again_when_it_is_sent_again(
    run: Path, bus: Bus
) -> None:
    class Full(MemoryGoals):
        """Fails once to store a goal's end."""

        full = True

        def save(self, record: GoalRecord) -> None:
            if record.status == "succeeded" and self.full:
                self.full = False
                raise OSError("no space left on device")
            super().save(record)

    serving = Serving(run, Full())
    try:
        for _ in range(2):
            assert bus.run_goal(WORK, "goal", Do(note="a"), timeout=PATIENCE).note == "a"
        assert serving.times == 2
    finally:
        serving.end()


@pytest.mark.parametrize("wait", [0.0, -1.0, -math.inf, math.nan])
def test_a_caller_that_does_not_wait_for_a_result_is_answered_at_once(
    run: Path, bus: Bus, wait: float
) -> None:
    serving, peer = Serving(run, MemoryGoals()), RawPeer(run)
    serving.allowed.clear()
    try:
        bus.send_goal(WORK, "goal", Do(note="a"), timeout=PATIENCE)
        asking = peer.connect()
        query = GoalQuery(goal="goal", wait=wait)
        asking.send_multipart(request(1, query, endpoint=result_service(WORK).name, goal="goal"))
        assert reply(asking).code == PENDING
    finally:
        serving.end()
        peer.close()
