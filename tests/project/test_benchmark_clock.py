"""The clock of `make bench-training`: each moment is counted once, for the innermost part."""

import types

import pytest

from benchmarks.training import clock as module
from benchmarks.training.clock import Clock


@pytest.fixture
def now(monkeypatch):
    """A CPU time that only the test moves."""
    time = types.SimpleNamespace(passed=0.0, thread_time=lambda: time.passed)
    monkeypatch.setattr(module, "time", time)
    return time


def test_time_of_an_inner_part_is_not_counted_in_the_outer_one(now):
    clock = Clock()
    now.passed += 100.0  # nothing is under way
    with clock.part("session"):
        now.passed += 1.0
        with clock.part("world"):
            now.passed += 2.0
        now.passed += 4.0
    now.passed += 100.0
    with clock.part("world"):
        now.passed += 8.0
    assert clock.spent == {"session": 5.0, "world": 10.0}


def test_time_of_a_watched_method_is_counted_also_where_it_raises(now):
    class World:
        def step(self, steps: float) -> float:
            now.passed += steps
            if steps > 2.0:
                raise ValueError("too far")
            return steps

    clock, world = Clock(), World()
    clock.watch(world, "step", "world")
    assert world.step(2.0) == 2.0
    with clock.part("session"), pytest.raises(ValueError, match="too far"):
        world.step(3.0)
    now.passed += 1.0
    assert clock.spent == {"world": 5.0, "session": 0.0}
