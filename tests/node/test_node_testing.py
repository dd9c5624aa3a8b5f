"""The mock bus, tried on the example node."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from messages.bus import GoalCancelled, RemoteError
from messages.codec import CodecError
from messages.empty import Empty
from messages.system import SetParameters, get_parameters, set_parameters
from nodes.config import ConfigError
from nodes.testing import MockBus, start
from tests.node.example_node import echo


@pytest.fixture
def bus(tmp_path: Path) -> Iterator[MockBus]:
    bus = MockBus("echo")
    node = start(echo.Echo, bus, tmp_path, pause=0.0)
    yield bus
    node.close()


def test_a_mock_bus_calls_services_keeps_published_messages_and_runs_goals(bus: MockBus) -> None:
    assert bus.call(echo.SAY, echo.Say(text="you")).text == "hello you"
    assert [message.times for message in bus.published(echo.LAST)] == [1]
    feedback: list[object] = []
    assert bus.run_goal(echo.COUNT, "a", echo.Count(to=2), feedback.append).number == 2
    assert len(feedback) == 2
    with pytest.raises(GoalCancelled):
        bus.run_goal(echo.COUNT, "b", echo.Count(to=2), cancelled=lambda: True)


def test_a_mock_bus_raises_the_errors_of_a_real_one(bus: MockBus, tmp_path: Path) -> None:
    with pytest.raises(RemoteError, match="nothing to say"):
        bus.call(echo.SAY, echo.Say(text=""))
    with pytest.raises(CodecError, match="Expected `str`"):
        bus.call(echo.SAY, echo.Say(text=3))
    with pytest.raises(RemoteError, match="pause"):
        bus.call(set_parameters("echo"), SetParameters(values={"pause": 1.0}))
    assert bus.call(get_parameters("echo"), Empty()).values["pause"] == 0.0
    with pytest.raises(ConfigError, match="no parameter 'loud'"):
        start(echo.Echo, MockBus("echo"), tmp_path, loud=True)
