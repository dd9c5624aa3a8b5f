"""Nodes that take longer to end than the launcher lets a request wait, as placed ones may."""

from collections.abc import Iterator
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from messages.bus import RemoteError
from messages.system import KILL, RELEASE, RESTART, NodeName, NodeState
from nodes.testing import MockBus
from rlgpt.inspecting.late_ends import ended_by_launcher
from rlgpt.launching import control

REQUEST = NodeName(node="learner")


class SlowSupervisor:
    """Its node does not end while a request waits."""

    def __init__(self) -> None:
        self.children = {"learner": SimpleNamespace()}

    def request(self, what: str, node: str) -> "Future[NodeState]":
        return Future()


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> MockBus:
    monkeypatch.setattr(control, "LONGEST", 0.01)
    bus = MockBus("launcher")
    control.serve(bus, SlowSupervisor())  # pyright: ignore[reportArgumentType]
    return bus


def seen(*states: tuple[str, int]) -> Iterator[list[NodeState]]:
    for state, pid in states:
        learner = NodeState(
            node="learner", state=state, pid=pid, restarts=0, uptime=1.0, memory=0, notes=[]
        )
        yield [learner]


@pytest.mark.parametrize("service", [RESTART, KILL])
def test_a_node_that_ends_late_is_waited_for(
    bus: MockBus, capsys: pytest.CaptureFixture[str], service
) -> None:
    states = seen(("ready", 5), ("ready", 5), ("ready", 5), ("ready", 0), ("starting", 6))
    state = ended_by_launcher(bus, service, REQUEST, lambda: next(states))
    assert (state.state, state.pid) == ("starting", 6)
    what = service.name.partition("/")[2]
    assert capsys.readouterr().err == (
        f"rlgpt: learner has not ended within 0.01 s; its {what} goes on\n"
    )


def test_a_released_node_that_ends_late_is_waited_for(bus: MockBus) -> None:
    states = seen(("ready", 5), ("ready", 5), ("released", 0))
    assert ended_by_launcher(bus, RELEASE, REQUEST, lambda: next(states)).state == "released"


def test_what_the_launcher_rejects_is_not_waited_for() -> None:
    states = seen(("ready", 5))
    with pytest.raises(RemoteError, match="no node answers"):
        ended_by_launcher(MockBus("launcher"), RESTART, REQUEST, lambda: next(states))
