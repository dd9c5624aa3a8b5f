"""The gate at which a paused node holds its work."""

import threading

import pytest

from messages.bus import BusClosed
from messages.bus.gate import Gate
from tests.bus_processes import PATIENCE, eventually


def test_held_requests_pass_in_order_and_by_steps() -> None:
    changes: list[int] = []
    gate = Gate(lambda: changes.append(1))
    done: list[str] = []

    def come(name: str) -> None:
        gate.hold(name, lambda: done.append(name))

    come("a")
    assert done == ["a"]
    assert not changes  # nothing waits, nothing is counted
    gate.set(True)
    for name in "bcde":
        come(name)
    assert done == ["a"]
    assert gate.waiting() == ["b", "c", "d", "e"]
    gate.set(True, steps=2)
    assert done == ["a", "b", "c"]
    assert (gate.steps, gate.taken) == (0, 2)
    gate.set(False)
    assert done == ["a", "b", "c", "d", "e"]
    assert gate.waiting() == []


def test_allowed_steps_are_taken_by_later_requests_until_the_gate_is_set_again() -> None:
    gate = Gate()
    done: list[str] = []
    gate.set(True, steps=2)
    for name in "abc":
        gate.hold(name, lambda name=name: done.append(name))
    assert done == ["a", "b"]
    assert gate.waiting() == ["c"]
    gate.set(True, steps=2)
    assert done == ["a", "b", "c"]
    gate.set(True)  # what was left is taken back
    gate.hold("d", lambda: done.append("d"))
    assert done == ["a", "b", "c"]


def test_a_waiting_thread_passes_by_a_step_and_when_the_gate_opens() -> None:
    gate = Gate()
    gate.set(True)
    passed: list[int] = []

    def work() -> None:
        for number in range(3):
            gate.wait("critic/judge", lambda: None)
            passed.append(number)

    thread = threading.Thread(target=work)
    thread.start()
    eventually(lambda: gate.waiting() == ["critic/judge"])
    gate.set(True, steps=1)
    eventually(lambda: passed == [0] and gate.waiting())
    assert gate.taken == 1
    gate.set(False)
    thread.join(PATIENCE)
    assert passed == [0, 1, 2]
    assert gate.waiting() == []


def test_a_waiting_thread_is_released_by_an_exception_of_its_check() -> None:
    gate = Gate()
    gate.set(True)
    stops = threading.Event()

    def check() -> None:
        if stops.is_set():
            raise BusClosed("it stops")

    def work() -> None:
        with pytest.raises(BusClosed):
            gate.wait("critic/judge", check)
        stops.clear()

    thread = threading.Thread(target=work)
    thread.start()
    eventually(gate.waiting)
    stops.set()
    thread.join(PATIENCE)
    assert not stops.is_set()
    assert gate.waiting() == []


def test_uncounted_requests_need_a_step_and_take_none() -> None:
    gate = Gate()
    gate.set(True, steps=1)
    gate.wait("planner/pursue", lambda: None, counts=False)
    assert (gate.steps, gate.taken) == (1, 0)
