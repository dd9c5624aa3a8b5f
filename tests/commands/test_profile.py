"""Where the time goes: what nodes write down of it, and the account that is made of that."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.bus import Bus, DeadlineExceeded
from messages.empty import Empty
from messages.interface import Service
from nodes.env_server.programs.part_clock import (
    PARTS,
    PLACES,
    PROGRAMS,
    SINCE,
    WORLD,
    Clock,
    SpentTime,
)
from nodes.node import Node
from nodes.testing import MockBus, start
from nodes.times import FILE, Times, TimesLine, Watch, spending, watch
from rlgpt.profiling import MEANINGS, TITLES, profile
from rlgpt.report.words import duration
from rlgpt.runs.run_folder import Lock
from tests.bus_processes import ECHO, PATIENCE, Process, eventually, make_run
from tests.launch_toys.launched import refused, rlgpt
from tests.node.example_node import echo

MILLISECOND = 1_000_000  # nanoseconds


class Passing:
    """The time of the watches where it passes only when a test says so: a machine that is busy adds
    none to what is measured."""

    def __init__(self) -> None:
        self.now = 0

    def pass_by(self, milliseconds: int) -> None:
        self.now += milliseconds * MILLISECOND

    def perf_counter_ns(self) -> int:
        return self.now

    monotonic = staticmethod(time.monotonic)
    time = staticmethod(time.time)


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> Passing:
    made = Passing()
    monkeypatch.setattr("nodes.times.time", made)
    return made


def line(at: float, seconds: float, **parts: float) -> TimesLine:
    return TimesLine(at=at, seconds=seconds, spent={"": parts})


def written(run: Path, node: str, *lines: TimesLine) -> None:
    (run / node).mkdir(parents=True, exist_ok=True)
    (run / "config.yaml").write_text("name: a\nnodes: {}\n")
    text = b"".join(msgspec.json.encode(each) + b"\n" for each in lines)
    (run / node / FILE).write_bytes(text)


def launched(run: Path, *records: dict[str, Any]) -> None:
    (run / "launches.json").write_text(json.dumps(records))


def seconds(run: Path) -> dict[str, float]:
    return {part.part: part.seconds for part in profile(run).parts}


# ---- the account


def test_parts_add_up_to_the_wall_time_and_the_rest_is_other(tmp_path: Path) -> None:
    written(tmp_path, "env_server", line(110, 2, world=0.5, programs=0.25), line(112, 2, world=1.5))
    written(tmp_path, "llm", line(120, 2, language_model=2.0))
    launched(tmp_path, {"began": 100.0, "ready": 106.0, "ended": 130.0})
    found = seconds(tmp_path)
    assert found["world"] == pytest.approx(2.0)
    assert found["programs"] == pytest.approx(0.25)
    assert found["language_model"] == pytest.approx(2.0)
    assert found["starting"] == pytest.approx(6.0)
    assert found["other"] == pytest.approx(30 - 6 - 2 - 0.25 - 2)
    assert profile(tmp_path).wall_seconds == 30.0
    assert list(found) == [part for part in TITLES if part in found]


def test_nodes_that_worked_at_the_same_time_share_the_time(tmp_path: Path) -> None:
    written(tmp_path, "env_server", line(104, 4, world=4.0))
    written(tmp_path, "learner", line(104, 4, update=4.0))
    launched(tmp_path, {"began": 100.0, "ready": 100.0, "ended": 104.0})
    parts = {part.part: part for part in profile(tmp_path).parts}
    assert parts["world"].seconds == parts["update"].seconds == pytest.approx(2.0)
    assert parts["world"].work == pytest.approx(4.0)
    assert sum(part.seconds for part in parts.values()) == pytest.approx(4.0)


def test_time_between_two_launches_is_not_counted(tmp_path: Path) -> None:
    written(tmp_path, "llm", line(1.0, 1, language_model=1.0), line(101.0, 1, language_model=0.5))
    launched(
        tmp_path,
        {"began": 0.0, "ready": 0.0, "ended": 1.0},
        {"began": 100.0, "ready": 100.0, "ended": 101.0},
    )
    assert profile(tmp_path).wall_seconds == 2.0
    assert seconds(tmp_path) == pytest.approx({"language_model": 1.5, "other": 0.5})
    timeline = profile(tmp_path).timeline
    assert timeline[0].parts == {"language_model": 1.0}
    assert sum(span.parts.get("language_model", 0.0) for span in timeline) == pytest.approx(1.5)


def test_call_time_outside_handlers_is_the_bus_and_absence_is_waiting(
    tmp_path: Path,
) -> None:
    calling = TimesLine(at=10, seconds=10, called={"llm/ask": (4, 5.0)}, away=1.0)
    written(tmp_path, "critic", calling)
    served = TimesLine(
        at=10, seconds=10, served={"llm/ask": (4, 3.0)}, spent={"critic": {"language_model": 3.0}}
    )
    written(tmp_path, "llm", served)
    launched(tmp_path, {"began": 0.0, "ready": 0.0, "ended": 10.0})
    assert seconds(tmp_path) == pytest.approx(
        {"language_model": 3.0, "waiting": 1.0, "bus": 1.0, "other": 5.0}
    )
    (call,) = profile(tmp_path).calls
    assert (call.endpoint, call.calls, call.waited, call.served) == ("llm/ask", 4, 5.0, 3.0)


def test_the_parts_of_a_training_are_those_of_its_sessions(tmp_path: Path) -> None:
    of_learner = {"a/train": {"network": 1.0, "update": 2.0, "waits for env_server": 6.0}}
    of_sessions = {
        "a/train": {"world": 3.0, "session": 1.0},
        "a/train/tryout": {"world": 1.0},
        "another": {"world": 50.0},
    }
    written(tmp_path, "learner", TimesLine(at=10, seconds=10, spent=of_learner))
    written(tmp_path, "env_server", TimesLine(at=10, seconds=10, spent=of_sessions))
    (training,) = profile(tmp_path).trainings
    parts = {part.part: part.seconds for part in training.parts}
    assert parts == {"world": 4.0, "session": 1.0, "network": 1.0, "update": 2.0, "bus": 1.0}
    assert training.seconds == sum(parts.values()) == 9.0


def test_an_incomplete_line_is_left_out_and_an_unknown_part_is_shown(tmp_path: Path) -> None:
    written(tmp_path, "llm", line(2.0, 2, language_model=1.0, dreaming=0.5))
    with (tmp_path / "llm" / FILE).open("ab") as file:
        file.write(b'{"at": 4.0, "seco')
    assert seconds(tmp_path) == pytest.approx(
        {"language_model": 1.0, "dreaming": 0.5, "other": 0.5}
    )
    assert "dreaming" in rlgpt("profile", str(tmp_path), cwd=tmp_path).stdout


def test_times_that_cannot_be_are_no_traceback(tmp_path: Path) -> None:
    written(tmp_path, "llm", line(1e308, 1e308, language_model=1e308))
    written(tmp_path, "planner", line(1e308, 1e308, agents=1e308))
    assert "an unknown time" in rlgpt("profile", str(tmp_path), cwd=tmp_path).stdout
    assert [duration(each) for each in (5.0, 200.0, float("inf"), float("nan"))] == [
        *("5.0 s", "3 min 20 s"),
        *("an unknown time", "an unknown time"),
    ]


def test_lines_that_no_node_can_have_written_are_left_out(tmp_path: Path) -> None:
    instant = line(time.time(), 1e-9, world=1e-9)  # ends at the float at which it began
    uncalled = TimesLine(at=112, seconds=2, called={"x/y": (0, 1.0)})
    written(tmp_path, "env_server", line(110, 2, world=0.5), instant, uncalled)
    launched(tmp_path, {"began": 108, "ready": 108, "ended": 114})
    found = profile(tmp_path)
    assert found.calls == []
    assert seconds(tmp_path)["world"] == pytest.approx(0.5)


def test_a_run_without_a_record_of_times_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("name: a\n")
    assert "has no record of where its time went" in refused("profile", str(tmp_path), cwd=tmp_path)
    with Lock(tmp_path):  # it goes on: that nothing was written yet says nothing about its age
        said = refused("profile", str(tmp_path), cwd=tmp_path)
    assert said.endswith("has done anything yet that is recorded\n")


def test_numbers_that_cannot_be_are_no_columns_of_300_digits(tmp_path: Path) -> None:
    much = {"llm/ask": (10**18, 1e300)}
    wrong = TimesLine(at=1e300, seconds=1e299, spent={"": {"world": 1e300}}, called=much)
    written(tmp_path, "llm", wrong)
    done = rlgpt("profile", str(tmp_path), "--calls", "--nodes", cwd=tmp_path)
    assert done.returncode == 0, done
    assert max(map(len, done.stdout.splitlines())) < 120
    (call,) = [each for each in done.stdout.splitlines() if each.startswith("llm/ask")]
    assert call.split() == ["llm/ask", "unknown", "unknown", "0.00", "unknown"]


def test_files_that_cannot_be_read_are_not_taken_for_missing(tmp_path: Path) -> None:
    written(tmp_path, "planner")
    (tmp_path / "llm" / FILE).mkdir(parents=True)
    said = refused("profile", str(tmp_path), cwd=tmp_path)
    assert f"cannot be read: llm/{FILE}: Is a directory" in said
    (tmp_path / "planner" / FILE).write_text("nothing of a node\n")
    said = refused("profile", str(tmp_path), cwd=tmp_path)
    assert f"planner/{FILE}: none of its lines is one of a node" in said
    written(tmp_path, "planner", line(110, 2, agents=0.5))
    done = rlgpt("profile", str(tmp_path), cwd=tmp_path)  # of those that can
    assert done.returncode == 0, done
    assert "agents" in done.stdout
    assert done.stderr == f"rlgpt: left out, cannot be read: llm/{FILE}: Is a directory\n"


def test_a_node_whose_folder_may_not_be_looked_into_is_not_left_out_in_silence(
    tmp_path: Path,
) -> None:
    written(tmp_path, "planner", line(110, 2, agents=0.5))
    (tmp_path / "config.yaml").write_text("name: a\nnodes: {planner: {}, learner: {}, llm: {}}\n")
    (tmp_path / "learner").symlink_to("learner")  # root may look into every folder but such a one
    done = rlgpt("profile", str(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done
    why = "Too many levels of symbolic links"
    assert done.stderr == f"rlgpt: left out, cannot be read: learner/{FILE}: {why}\n"


def test_every_part_has_a_name_and_a_meaning() -> None:
    assert TITLES.keys() == MEANINGS.keys()
    assert set(PARTS.values()) <= TITLES.keys()


# ---- the watch of a thread


def test_a_watch_counts_time_to_one_part_and_moves_what_workers_report() -> None:
    own = Watch("me", "session")
    time.sleep(0.02)
    own.move([("world", 5 * MILLISECOND), ("programs", 5 * MILLISECOND)])
    before = own.switch("waits for llm")
    assert before == "session"
    spent = own.so_far()
    assert spent["world"] == spent["programs"] == 5 * MILLISECOND
    assert spent["session"] >= 10 * MILLISECOND
    own.switch(before)
    own.move([("world", 3_600_000 * MILLISECOND)])  # an hour, which has not passed
    passed = time.perf_counter_ns() - own.began
    assert sum(own.so_far().values()) <= passed + MILLISECOND
    assert own.spent["session"] == 0


def test_a_line_that_a_kill_cut_off_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / FILE
    whole = msgspec.json.encode(TimesLine(at=1.0, seconds=2.0, away=0.5)) + b"\n"
    path.write_bytes(whole + b'{"at": 3.0, "sec')
    times = Times(path, "agents", lambda: 1.0)
    times.write()
    read = [msgspec.json.decode(line, type=TimesLine) for line in path.read_bytes().splitlines()]
    assert [line.away for line in read] == [0.5, 1.0]


def test_a_line_has_the_time_since_the_last_one_also_of_requests_in_progress(
    tmp_path: Path, passing: Passing
) -> None:
    times = Times(tmp_path / FILE, "agents", lambda: 0.0)
    began, going = threading.Event(), threading.Event()

    def handler(request: object) -> str:
        with spending("network"):
            began.set()
            going.wait(PATIENCE)
        return "done"

    handle = times.timed("critic/judge", handler, lambda request: "somebody")
    thread = threading.Thread(target=handle, args=(None,))
    thread.start()
    began.wait(PATIENCE)
    passing.pass_by(50)
    times.write()
    passing.pass_by(20)
    going.set()
    thread.join()
    times.write()
    times.write()  # nothing has passed: no line
    first, second = [
        msgspec.json.decode(each, type=TimesLine)
        for each in (tmp_path / FILE).read_bytes().splitlines()
    ]
    assert first.spent == {"somebody": {"network": 0.05}}
    assert first.served == {}
    assert second.spent == {"somebody": {"network": 0.02}}
    assert second.served == {"critic/judge": (1, 0.07)}
    assert not times._spent  # what is written is not kept
    assert watch() is None


# ---- the clock of a worker


def test_a_workers_clock_reports_the_part_in_progress_and_no_time_twice() -> None:
    clock = Clock()
    clock.attach(memoryview(bytearray(8 * PLACES)).cast("q"))
    spent = SpentTime(clock.memory)
    assert spent.take() == []  # no request was made
    clock.switch(WORLD)
    time.sleep(0.01)
    ((part, first),) = spent.take()
    assert part == "world"
    assert first >= 10 * MILLISECOND
    assert clock.switch(PROGRAMS) == WORLD
    found = dict(spent.take())
    assert found.keys() == {"world", "programs"}
    assert first + found["world"] == clock.memory[WORLD]


def test_a_workers_clock_that_hostile_code_sets_back_reports_nothing() -> None:
    clock = Clock()
    clock.switch(WORLD)
    clock.switch(0)
    spent = SpentTime(clock.memory)
    clock.memory[WORLD] = -(10**15)
    clock.memory[SINCE] = 2**62
    assert spent.take() == []


# ---- nodes


class Asker(Node):
    name = "asker"

    def setup(self) -> None:
        self.serve(ASKED, self.asked)

    def asked(self, request: Empty) -> Empty:
        return self.call(TOLD, request)


class Teller(Node):
    name = "teller"
    works_on = "language_model"

    def setup(self) -> None:
        self.serve(TOLD, self.told)

    def told(self, request: Empty) -> Empty:
        self.works()
        return request

    def works(self) -> None:
        """In which a test has time pass."""


ASKED = Service("asker/asked", Empty, Empty, timeout=5.0)
TOLD = Service("teller/told", Empty, Empty, timeout=5.0)


def test_time_in_which_a_node_waits_for_another_is_not_its_work(
    tmp_path: Path, passing: Passing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Teller, "works", lambda self: passing.pass_by(20))
    bus = MockBus()
    nodes = [start(kind, bus, tmp_path) for kind in (Asker, Teller)]
    bus.call(ASKED, Empty())
    for node in nodes:
        node.close()
    (tmp_path / "config.yaml").write_text("name: a\n")
    found = profile(tmp_path)
    assert found.nodes["asker"]["waits for teller"] == 0.02
    assert found.nodes["asker"].get("agents", 0.0) == 0.0
    assert found.nodes["teller"]["language_model"] == 0.02
    (call,) = found.calls
    assert (call.endpoint, call.calls) == (TOLD.name, 1)
    assert call.waited == call.served == 0.02


def test_the_wait_for_an_absent_node_is_counted(tmp_path: Path) -> None:
    bus = Bus(make_run(tmp_path))
    try:
        began = time.monotonic()
        with pytest.raises(DeadlineExceeded):
            bus.call(echo.SAY, echo.Say(text="you"), timeout=0.5)
        assert 0.0 < bus.away <= time.monotonic() - began
    finally:
        bus.close()


def test_a_node_process_records_the_time_of_its_goals_and_its_last_seconds(tmp_path: Path) -> None:
    run = make_run(tmp_path, nodes={"echo": {"parameters": {"pause": 0.05}}})
    node = Process(ECHO, run)
    bus = Bus(run)
    try:
        bus.call(echo.SAY, echo.Say(text="you"))
        bus.run_goal(echo.COUNT, "count-1", echo.Count(to=4), timeout=PATIENCE)
    finally:
        bus.close()
        assert node.stop() == 0
    nodes = profile(run).nodes
    assert nodes["echo"][Node.works_on] >= 0.2
    lines = (run / "echo" / FILE).read_bytes().splitlines()
    whose = {name for each in lines for name in msgspec.json.decode(each, type=TimesLine).spent}
    assert "count-1" in whose


def test_a_node_that_was_killed_loses_only_its_last_line(tmp_path: Path) -> None:
    run = make_run(tmp_path, nodes={"echo": {"parameters": {"pause": 0.05}}})
    node = Process(ECHO, run)
    bus = Bus(run)
    path = run / "echo" / FILE

    def at_work() -> bool:
        return path.exists() and b"count-1" in path.read_bytes()

    try:
        bus.send_goal(echo.COUNT, "count-1", echo.Count(to=1_000_000))
        eventually(at_work)
    finally:
        bus.close()
        node.kill()
    assert profile(run).nodes["echo"][Node.works_on] > 0.1


def test_time_in_which_a_node_is_paused_is_waiting(tmp_path: Path, passing: Passing) -> None:
    bus = MockBus()
    asker, teller = (start(kind, bus, tmp_path) for kind in (Asker, Teller))
    gate = asker._pausing.gate
    gate.set(True)

    def go_on() -> None:
        eventually(gate.waiting)
        passing.pass_by(200)
        gate.set(False)

    going = threading.Thread(target=go_on)
    going.start()
    bus.call(ASKED, Empty())
    going.join()
    asker.close()
    teller.close()
    (tmp_path / "config.yaml").write_text("name: a\n")
    assert profile(tmp_path).nodes["asker"]["waiting"] == 0.2
