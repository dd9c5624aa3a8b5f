"""How the page's server follows a run: what it subscribes to, and what it says of changes."""

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from messages.bus import Bus
from messages.calling import calls
from messages.chat import EXCHANGES, TOKENS, Answered, Exchange, Tokens
from messages.system import Description, description
from nodes.common.running.file_lock import take_lock
from rlgpt.composing.configuration import load
from rlgpt.dash.follow import answers_being_written
from rlgpt.dash.follow.node_messages import NodeMessages
from rlgpt.dash.follow.run_files import Memory
from rlgpt.dash.replays import Replays
from tests.bus_processes import eventually
from tests.dash.dash_served import served, states_until
from tests.launch_toys.talker import CHATTER


@contextlib.contextmanager
def spinning(bus: Bus) -> Iterator[Bus]:
    over = threading.Event()
    serving = threading.Thread(target=bus.spin, args=(over,))
    serving.start()
    try:
        yield bus
    finally:
        over.set()
        bus.wake()
        serving.join()
        bus.close()


def configure(run: Path, **nodes: str) -> None:
    config = {
        "name": "toys",
        "run": str(run),
        "nodes": {name: {"module": module} for name, module in nodes.items()},
    }
    (run / "config.yaml").write_text(yaml.safe_dump(config))


def describe(bus: Bus, node: str) -> None:
    found = Description(node=node, epoch="1", pid=1, endpoints=bus.endpoints)
    bus.publish(description(node), found)


@pytest.fixture
def llm(run_folder: Path) -> Iterator[Bus]:
    """A node ``llm`` that runs without a launcher, and publishes what a test says."""
    configure(run_folder, llm="nodes.llm")
    (run_folder / "llm").mkdir()
    with (run_folder / "llm" / "lock").open("w") as lock:
        assert take_lock(lock.fileno())
        bus = Bus(run_folder, "llm")
        bus.advertise(EXCHANGES)
        bus.advertise(TOKENS)
        describe(bus, "llm")
        with spinning(bus):
            yield bus


@pytest.mark.parametrize("node", ["talker", "launcher"])
def test_a_node_that_is_shown_need_not_publish_its_calls(run_folder: Path, node: str) -> None:
    """It would encode every request and reply for a page that shows none of them."""
    configure(run_folder, talker="tests.launch_toys.talker")
    bus = Bus(run_folder, node)
    heard = CHATTER.at(node)
    bus.advertise(heard)
    names = [each.name for each in bus.endpoints]
    assert names.index(calls(node).name) < names.index(heard.name)  # they come in this order
    describe(bus, node)
    shown: dict[str, Any] = {}
    with spinning(bus):
        messages = NodeMessages(run_folder, load(run_folder), shown.__setitem__)
        try:
            eventually(lambda: bus.subscribed(heard))
            assert not bus.subscribed(calls(node))
            eventually(lambda: calls(node).name in shown.get("graph", {}).get("topics", []))
        finally:
            messages.close()


def being_answered(states: dict[str, Any]) -> list[str]:
    return [each["id"] for each in states.get("speaking", [])]


def test_an_answer_is_shown_as_being_written_until_it_is_there(run_folder: Path, llm: Bus) -> None:
    with served(run_folder) as page, page.live(run_folder.name) as socket:
        eventually(lambda: llm.subscribed(TOKENS) and llm.subscribed(EXCHANGES))
        for id in ("first", "second"):
            piece = Tokens(id=id, agent="planner", attempt=0, thinking=False, text="{")
            llm.publish(TOKENS, piece)
        states_until(socket, lambda s: being_answered(s) == ["first", "second"])
        answered = Answered(id="first", answer="{}", model="m")
        llm.publish(EXCHANGES, Exchange(agent="planner", asked="PlanQuestion", answered=answered))
        states_until(socket, lambda s: being_answered(s) == ["second"])


def test_an_answer_of_which_nothing_comes_any_more_is_not_shown_for_ever(
    run_folder: Path, llm: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(run_folder) as page, page.live(run_folder.name) as socket:
        eventually(lambda: llm.subscribed(TOKENS))
        piece = Tokens(id="first", agent="planner", attempt=0, thinking=False, text="{")
        llm.publish(TOKENS, piece)
        states_until(socket, lambda s: being_answered(s) == ["first"])
        monkeypatch.setattr(answers_being_written, "_OVER", 0.0)
        states_until(socket, lambda s: s.get("speaking") == [])


def test_an_open_page_notices_that_the_server_was_started_again(
    run_folder: Path,
) -> None:
    """The panels fetch again what has another version, and the log is read from its beginning."""
    configure(run_folder, talker="tests.launch_toys.talker")
    lines = [f"2026-01-02 03:04:0{second},678 INFO line {second}\n" for second in range(6)]
    (run_folder / "launcher.log").write_text("".join(lines))
    path = f"/api/runs/{run_folder.name}/log"
    versions: list[dict[str, int]] = []
    logs: list[dict[str, Any]] = []
    for _ in range(2):
        with served(run_folder) as page, page.live(run_folder.name) as socket:
            states = states_until(
                socket, lambda s: {"versions", "log", "rates", "speaking"} <= set(s)
            )
            versions.append(states["versions"])
            known = logs[-1] if logs else {"newest": 0, "of": ""}
            found = page.json(f"{path}?after={known['newest']}&of={known['of']}")
            assert [each["entry"]["text"] for each in found["entries"]] == [
                f"line {second}" for second in range(6)
            ]
            assert (found["newest"], found["of"]) == (states["log"]["newest"], states["log"]["of"])
            assert page.json(f"{path}?after={found['newest']}&of={found['of']}")["entries"] == []
            # What was known of the run before is no more than what is known now.
            assert (states["speaking"], states["rates"]) == ([], [])
            logs.append(found)
    assert logs[0]["of"] != logs[1]["of"]
    first, second = versions
    assert all(second[panel] > number for panel, number in first.items())


def test_replays_of_two_servers_have_different_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An open page would show the film of another episode."""
    monkeypatch.setattr(Replays, "_work", lambda replays, folder: None)
    known = Replays()
    made = known.add(tmp_path, "play", 1, "one.mp4")
    time.sleep(0.002)
    later = Replays()
    assert later.add(tmp_path, "play", 2, "another.mp4") is not None
    assert made is not None
    assert known.get(made.number) is made
    assert later.get(made.number) is None


def test_the_memory_of_hours_is_sent_in_as_many_points_as_a_chart_shows() -> None:
    """And in the same ones each time, so that the drawn line stands still."""
    memory = Memory()
    for number in range(5_400):
        memory.note({"llm": number}, 1e9 + 2.0 * number)
    before = memory.columns()
    assert 600 < len(before["times"]) <= 701
    assert before["series"]["llm"][-1] == 5_399
    memory.note({"llm": 5_400}, 1e9 + 2.0 * 5_400)
    after = memory.columns()
    assert len(set(before["times"]) - set(after["times"])) <= 1
    few = Memory()
    few.note({"llm": 1}, 1e9)
    few.note({"llm": 2}, 1e9 + 2.0)
    assert few.columns() == {"times": [1e9, 1e9 + 2.0], "series": {"llm": [1, 2]}}
    assert Memory().columns() == {"times": [], "series": {}}
