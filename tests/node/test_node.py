"""Nodes as processes: the worked example of docs/writing_a_node.md, run as it stands there."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from messages.bus import Bus, GoalCancelled, MalformedReply, RemoteError, ServiceError
from messages.bus.actions.goal_store import GoalQuery, GoalRecord, result_service
from messages.bus.errors import RETRYABLE
from messages.empty import Empty
from messages.system import (
    Heartbeat,
    ParameterValue,
    SetParameters,
    describe,
    description,
    get_parameters,
    heartbeat,
    set_parameters,
)
from nodes.common.running.process import python
from nodes.common.storage.node_memory import Memory
from nodes.common.storage.stored_goals import StoredGoals
from nodes.common.storage.whole_files import UnusableFile, write_whole
from nodes.config import flatten
from tests.bus_processes import ECHO, PATIENCE, ROOT, Process, eventually, launch, make_run
from tests.node.example_node import echo


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path, nodes={"echo": {"parameters": {"pause": 0.02}}})


@pytest.fixture
def bus(run: Path) -> Iterator[Bus]:
    bus = Bus(run)
    yield bus
    bus.close()


@pytest.fixture
def start(run: Path) -> Iterator[Callable[..., Process]]:
    started: list[Process] = []

    def start_echo(*arguments: str, **environment: str) -> Process:
        process = Process(ECHO, run, *arguments, **environment)
        started.append(process)
        return process

    yield start_echo
    for process in started:
        if process.popen.poll() is None:
            process.kill()


Start = Callable[..., Process]


def test_the_example_node_answers_and_stops_cleanly(run: Path, bus: Bus, start: Start) -> None:
    process = start("greeting=good day")
    reply = bus.call(echo.SAY, echo.Say(text="you"), timeout=PATIENCE)
    assert reply == echo.Said(text="good day you", times=1)
    with pytest.raises(RemoteError) as refused:
        bus.call(echo.SAY, echo.Say(text=""), timeout=PATIENCE)
    assert refused.value.code == "empty"
    assert process.stop() == 0
    assert "echo is ready" in (run / "echo" / "node.log").read_text()


def test_every_node_has_a_heartbeat_a_description_and_parameters(bus: Bus, start: Start) -> None:
    process = start()
    beats: list[Heartbeat] = []
    descriptions: list[Any] = []
    bus.subscribe(heartbeat("echo"), beats.append)
    bus.subscribe(description("echo"), descriptions.append)

    def came() -> bool:
        bus.spin_once(0.05)
        return len(beats) >= 2 and bool(descriptions)

    eventually(came)
    assert beats[-1].pid == process.popen.pid
    found = bus.call(describe("echo"), Empty(), timeout=PATIENCE)
    assert {"echo/say", "echo/count", "echo/heartbeat"} <= {
        endpoint.name for endpoint in found.endpoints
    }
    parameters = bus.call(get_parameters("echo"), Empty(), timeout=PATIENCE)
    assert parameters.values == {"log_level": "info", "greeting": "hello", "pause": 0.02}
    assert parameters.live == ["greeting", "log_level"]


def test_live_parameters_are_set_and_others_refused(bus: Bus, start: Start) -> None:
    start()
    setting = set_parameters("echo")
    after = bus.call(setting, SetParameters(values={"greeting": "hey"}), timeout=PATIENCE)
    assert after.values["greeting"] == "hey"
    assert bus.call(echo.SAY, echo.Say(text="you"), timeout=PATIENCE).text == "hey you"
    refused: list[dict[str, ParameterValue]] = [
        {"pause": 1.0},
        {"greeting": 3},
        {"greeting": ["ho"]},
        {"greeting": "ho", "unknown": 1},
    ]
    for values in refused:
        with pytest.raises(RemoteError, match=r"pause|greeting|unknown"):
            bus.call(setting, SetParameters(values=values), timeout=PATIENCE)
    assert bus.call(echo.SAY, echo.Say(text="you"), timeout=PATIENCE).text == "hey you"


def test_parameters_are_shown_flat_and_lists_stay_lists() -> None:
    nested = {
        "methods": ["code", "rl"],
        "world": {"kind": "flat", "area": 64},
        "rays": [[0, 1]],
    }
    assert flatten({**nested, "none": {}, "pause": None}) == {
        "methods": ["code", "rl"],
        "world.kind": "flat",
        "world.area": 64,
        "rays": "[[0,1]]",
        "none": "{}",
        "pause": None,
    }


def test_second_node_of_the_name_is_refused(run: Path, bus: Bus, start: Start) -> None:
    start()
    second = launch(ECHO, run)
    _, errors = second.communicate(timeout=PATIENCE)
    assert second.returncode == 3
    assert errors.count("\n") == 1
    assert "already running" in errors
    assert bus.call(echo.SAY, echo.Say(text="you"), timeout=PATIENCE).times == 1


@pytest.mark.parametrize(
    ("config", "arguments", "sentence"),
    [
        ("nodes: {echo: {parameters: {pause: soon}}}", (), "pause"),
        ("nodes: {echo: {parameters: {pauses: 1}}}", (), "pauses"),
        ("nodes: [", (), "not valid YAML (line 1: "),
        ("- 1", (), "mapping"),
        ("nodes: {}", ("pause",), "key=value"),
        ("nodes: {}", ("pause=x",), "pause"),
        ("hosts: {echo: {host: 1}}", (), "hosts.echo"),
        ("hosts: {echo: {host: 192.0.2.1, port: 7000}}", (), "keys"),
        (None, (), "it has no config.yaml"),
    ],
)
def test_bad_configuration_ends_with_one_sentence(
    tmp_path: Path, config: str | None, arguments: tuple[str, ...], sentence: str
) -> None:
    if config is not None:
        (tmp_path / "config.yaml").write_text(config)
    node = launch(ECHO, tmp_path, *arguments)
    _, errors = node.communicate(timeout=PATIENCE)
    assert node.returncode == 2, errors
    assert errors.count("\n") == 1, errors
    assert sentence in errors


@pytest.mark.parametrize("value", ["2e-2", "0.02", "+.2E-1", "20.e-03"])
def test_a_number_of_the_command_line_is_read_in_any_notation(
    bus: Bus, start: Start, value: str
) -> None:
    start(f"pause={value}")
    assert bus.call(get_parameters("echo"), Empty(), timeout=PATIENCE).values["pause"] == 0.02


def test_missing_run_folder_ends_with_one_sentence(tmp_path: Path) -> None:
    node = launch(ECHO, tmp_path / "none")
    _, errors = node.communicate(timeout=PATIENCE)
    assert node.returncode == 2
    assert "there is no run folder" in errors


def test_folder_that_cannot_be_written_ends_with_one_sentence(run: Path) -> None:
    (run / "echo").write_text("a file where the folder should be")
    node = launch(ECHO, run)
    _, errors = node.communicate(timeout=PATIENCE)
    assert node.returncode == 4
    assert errors.count("\n") == 1


IMPATIENT = """
from messages.bus.actions.goal_store import GoalQuery, GoalRecord, result_service
from messages.empty import Empty
from messages.system import describe
from nodes.node import Node

class Impatient(Node):
    name = "impatient"

    def setup(self):
        self.call(describe("nobody"), Empty(), timeout=0.1)

Impatient.main()
"""


def test_peer_that_does_not_answer_ends_a_node_that_may_be_started_again(run: Path) -> None:
    script = run / "impatient.py"
    script.write_text(IMPATIENT)
    node = launch(script, run)
    _, errors = node.communicate(timeout=PATIENCE)
    assert node.returncode == 1, errors
    assert "nobody/" in errors
    assert "Traceback" not in errors
    assert "nobody/" in (run / "impatient" / "node.log").read_text()


def test_memory_that_cannot_be_read_is_reported_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    path.write_bytes(b"no table at all, and long enough to be taken for one" * 20)
    with pytest.raises(UnusableFile, match=r"memory\.sqlite cannot be used.*move it away"):
        Memory(path)


def test_goals_that_cannot_be_read_are_reported_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "goals.sqlite"
    goals = StoredGoals(path)
    for number in range(50):
        goals.save(
            GoalRecord(action="a", goal=str(number), status="waiting", request=[b"x" * 3000])
        )
    goals.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:9000] + b"\xff" * 20000 + whole[29000:])
    with pytest.raises(UnusableFile, match=r"goals\.sqlite cannot be used: .*; move it away"):
        StoredGoals(path)
    path.write_bytes(whole)
    with sqlite3.connect(path) as table:  # as another version may have written it
        table.execute("update goals set record = ?", (b"\x93of another kind",))
    with pytest.raises(UnusableFile, match=r"goals\.sqlite cannot be used: .*; move it away"):
        StoredGoals(path)
    for record in ("hello", 5):  # of a goal that ended, too
        with sqlite3.connect(path) as table:
            table.execute("update goals set finished = 1, record = ?", (record,))
        with pytest.raises(UnusableFile, match=r"goals\.sqlite cannot be used: .*; move it away"):
            StoredGoals(path)


@pytest.mark.parametrize("value", [b"\x80", b"\xc1", "hello", None])
def test_a_stored_result_of_another_type_is_reported_in_one_sentence(
    tmp_path: Path, value: object
) -> None:
    path = tmp_path / "memory.sqlite"
    memory = Memory(path)
    memory.keep("a", 5)
    with sqlite3.connect(path) as table:
        table.execute("update memory set value = ?", (value,))
    with pytest.raises(ServiceError, match=r"memory\.sqlite cannot be used: .*; move it") as caught:
        memory.find("a", GoalRecord)
    assert caught.value.code in RETRYABLE  # another memory, and the goal goes on
    memory.close()


def test_a_count_in_memory_gives_each_of_many_threads_another_number(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory.sqlite")
    with ThreadPoolExecutor(8) as threads:
        seen = list(threads.map(lambda _: memory.count("calls"), range(100)))
    assert sorted(seen) == list(range(100))
    memory.close()


def test_unfinished_goal_goes_on_after_kill_and_restart(bus: Bus, start: Start) -> None:
    process = start("pause=0.05")
    bus.send_goal(echo.COUNT, "long", echo.Count(to=20))
    process.kill()
    process.start()  # no caller sends the goal again
    query = GoalQuery(goal="long", wait=5.0)

    def result() -> int:
        try:
            return bus.call(result_service(echo.COUNT), query, timeout=PATIENCE).number
        except MalformedReply:  # there is no result yet
            return 0

    eventually(lambda: result() == 20)


def test_caller_that_restarts_gets_the_remembered_result(run: Path, start: Start) -> None:
    process = start()
    for _ in range(2):
        caller = Bus(run)
        result = caller.run_goal(echo.COUNT, "short", echo.Count(to=3), timeout=PATIENCE)
        caller.close()
        assert result.number == 3
    process.kill()
    process.start()
    caller = Bus(run)
    seen: list[Any] = []
    result = caller.run_goal(
        echo.COUNT, "short", echo.Count(to=3), on_feedback=seen.append, timeout=PATIENCE
    )
    caller.close()
    assert (result.number, seen) == (3, [])


def test_a_node_stops_during_a_goal_and_continues_it_after_its_restart(
    bus: Bus, start: Start
) -> None:
    process = start("pause=0.1")
    goal = echo.Count(to=6000)  # longer than anything here waits
    bus.send_goal(echo.COUNT, "slow", goal)
    assert process.stop() == 0
    process.start()
    assert bus.send_goal(echo.COUNT, "slow", goal) in ("waiting", "running")
    bus.cancel_goal(echo.COUNT, "slow")
    with pytest.raises(GoalCancelled):
        bus.run_goal(echo.COUNT, "slow", goal, timeout=PATIENCE)


def test_the_usage_has_the_program_that_was_started() -> None:
    starts = [[str(ECHO)], ["-P", str(ROOT / "nodes" / "start.py"), "nodes.critic"]]
    usages = [f"usage: python {ECHO} ", "usage: python -m nodes.critic "]
    for start, usage in zip(starts, usages, strict=True):
        done = subprocess.run(
            [sys.executable, *start],
            env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "1000"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert done.stderr.startswith(usage)


def importing(place: Path, lines: str) -> "subprocess.Popen[str]":
    """The process of a node whose import prints a line and goes on with these."""
    (place / "slow_import.py").write_text(f"import time\nprint('imports', flush=True)\n{lines}\n")
    process = subprocess.Popen(
        python("slow_import"),
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "imports\n"
    return process


def test_an_interrupt_while_a_node_is_imported_ends_it_without_a_traceback(tmp_path: Path) -> None:
    process = importing(tmp_path, "time.sleep(600)")
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PATIENCE) == ("", "")
    assert process.returncode == -signal.SIGINT


def test_another_error_while_a_node_is_imported_is_shown_whole(tmp_path: Path) -> None:
    process = importing(tmp_path, "raise ValueError('a fault')")
    _, shown = process.communicate(timeout=PATIENCE)
    assert shown.startswith("Traceback")
    assert shown.endswith("ValueError: a fault\n")
    assert process.returncode == 1


def test_node_ends_with_its_supervisor(run: Path) -> None:
    program = (
        "import os, subprocess, sys, time\n"
        "os.environ['RLGPT_SUPERVISED'] = str(os.getpid())\n"
        f"p = subprocess.Popen([sys.executable, {str(ECHO)!r}, '--run', {str(run)!r}])\n"
        "print(p.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    supervisor = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert supervisor.stdout is not None
    child = int(supervisor.stdout.readline())
    log = run / "echo" / "node.log"
    eventually(lambda: log.exists() and "is ready" in log.read_text())
    supervisor.send_signal(signal.SIGKILL)
    supervisor.communicate()

    def gone() -> bool:
        try:
            return "zombie" in Path(f"/proc/{child}/status").read_text()
        except OSError:
            return True

    eventually(gone)


SLOW = """
import time
from nodes.node import Node

class Slow(Node):
    name = "echo"

    class Parameters(Node.Parameters):
        pause: float = 0.0

    def __init__(self, run, config, bus, overrides):
        super().__init__(run, config, bus, overrides)
        (run / "begun").touch()
        time.sleep(600)

Slow.main()
"""


def test_a_node_that_is_not_ready_yet_ends_at_once(run: Path, tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    slow = launch(script, run)
    eventually((run / "begun").exists)
    slow.send_signal(signal.SIGTERM)
    _, errors = slow.communicate(timeout=PATIENCE)
    assert slow.returncode == 0
    assert errors == ""


def test_node_whose_supervisor_has_ended_already_does_not_begin(run: Path) -> None:
    node = launch(ECHO, run, RLGPT_SUPERVISED=str(os.getppid()))
    node.communicate(timeout=PATIENCE)
    assert node.returncode == 1
    assert not (run / "echo").exists()


def test_threads_that_write_the_same_file_leave_it_whole(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    contents = [bytes([number]) * 300_000 for number in range(8)]

    def write(content: bytes) -> None:
        for _ in range(60):
            write_whole(path, content)
            assert path.read_bytes() in contents

    with ThreadPoolExecutor(len(contents)) as pool:
        list(pool.map(write, contents))
    assert [found.name for found in tmp_path.iterdir()] == ["kept"]
