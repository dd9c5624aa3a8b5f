"""Nodes that are paused: what waits, what is answered all the same, deadlines, restarts, steps."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from messages.bus import Bus, DeadlineExceeded
from messages.empty import Empty
from messages.interface import Service
from messages.pausing import Pause, SetPause, get_pause, pause, set_pause
from messages.program import Program
from messages.roll_out import ROLL_OUT, RollOut
from messages.system import Heartbeat, describe, heartbeat
from messages.world import (
    CLOSE,
    LOOK,
    OPEN,
    PLAY_ON,
    RUN_PROGRAM,
    STEP,
    Actor,
    CloseSession,
    Interface,
    Opened,
    OpenSession,
    PlayOn,
    RewardTerm,
    RunProgram,
    SeedRange,
    SessionName,
    Step,
)
from models.actor import layer_of
from nodes.common.running.pausing import FILE
from tests.agent_stack import LOG, TASK
from tests.bus_processes import ECHO, PATIENCE, Process, eventually, make_run
from tests.launch_toys.launched import Launched, failed, launched, refused, rlgpt
from tests.node.example_node import echo

COMPILING = 240.0


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path, nodes={"echo": {"parameters": {"pause": 0.02}}})


@pytest.fixture
def node(run: Path) -> Iterator[Process]:
    process = Process(ECHO, run)
    yield process
    if process.popen.poll() is None:
        process.kill()


@pytest.fixture
def bus(run: Path) -> Iterator[Bus]:
    bus = Bus(run)
    yield bus
    bus.close()


def state(bus: Bus, node: str = "echo") -> Pause:
    return bus.call(get_pause(node), Empty(), timeout=PATIENCE)


def change(bus: Bus, node: str = "echo", **what: Any) -> Pause:
    return bus.call(set_pause(node), SetPause(**what), timeout=PATIENCE)


def test_a_paused_node_holds_requests_and_answers_about_itself(bus: Bus, node: Process) -> None:
    told: list[Pause] = []
    bus.subscribe(pause("echo"), told.append)
    change(bus, paused=True, by="a test")
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(bus.call, echo.SAY, echo.Say(text="you")) for _ in range(3)]
        eventually(lambda: state(bus).waiting == ["echo/say"] * 3)
        assert bus.call(describe("echo"), Empty(), timeout=PATIENCE).node == "echo"
        found = change(bus, paused=True, steps=2)
        eventually(lambda: sum(each.done() for each in asked) == 2)
        found = state(bus)
        assert (found.paused, found.by, found.steps, found.taken) == (True, "a test", 0, 2)
        assert found.waiting == ["echo/say"]
        assert not change(bus, paused=False).paused
        assert {each.result(PATIENCE).times for each in asked} == {1, 2, 3}

    def came() -> bool:
        bus.spin_once(0.05)
        return bool(told) and not told[-1].paused

    eventually(came)
    assert bus.call(echo.SAY, echo.Say(text="you"), timeout=PATIENCE).times == 4


def test_a_goal_that_comes_to_a_paused_node_begins_when_it_goes_on(bus: Bus, node: Process) -> None:
    change(bus, paused=True)
    with ThreadPoolExecutor(1) as pool:
        goal = pool.submit(bus.run_goal, echo.COUNT, "three", echo.Count(to=3))
        eventually(lambda: state(bus).waiting == ["echo/count"])
        assert not goal.done()
        change(bus, paused=False)
        assert goal.result(PATIENCE).number == 3


def test_deadlines_do_not_run_out_while_a_node_reports_that_it_is_paused(
    bus: Bus, node: Process
) -> None:
    hasty = Service("echo/say", echo.Say, echo.Said, timeout=3.0)
    change(bus, paused=True)
    with ThreadPoolExecutor(2) as pool:
        patient = pool.submit(bus.call, hasty, echo.Say(text="you"))
        by_the_clock = pool.submit(bus.call, hasty, echo.Say(text="you"), 1.0)
        with pytest.raises(DeadlineExceeded):
            by_the_clock.result(PATIENCE)
        until = time.monotonic() + 6.0
        eventually(lambda: time.monotonic() > until)
        assert not patient.done()
        change(bus, paused=False)
        assert patient.result(PATIENCE).text == "hello you"


def test_a_node_stays_paused_after_a_restart(bus: Bus, node: Process, run: Path) -> None:
    change(bus, paused=True, by="a test")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(bus.call, echo.SAY, echo.Say(text="you"))
        eventually(lambda: state(bus).waiting)
        node.kill()
        node.start()
        beats: list[Heartbeat] = []
        bus.subscribe(heartbeat("echo"), beats.append)

        def came() -> bool:
            bus.spin_once(0.05)
            return bool(beats)

        eventually(came)
        assert beats[-1].paused
        (note,) = beats[-1].notes
        assert note.startswith("paused by a test at ")
        assert note.endswith("`rlgpt node continue echo` lets it go on")
        assert "echo is still paused" in (run / "echo" / "node.log").read_text()
        eventually(lambda: state(bus).waiting == ["echo/say"])  # it was sent again
        change(bus, paused=False)
        assert asked.result(PATIENCE).text == "hello you"
    node.stop()
    node.start()
    assert not state(bus).paused


def test_a_node_whose_file_of_its_pause_is_damaged_is_still_paused(run: Path) -> None:
    (run / "echo").mkdir()
    (run / "echo" / FILE).write_bytes(b'[1.0, "\xff"]')
    node, bus = Process(ECHO, run), Bus(run)
    assert state(bus).paused
    bus.close()
    node.kill()


def test_a_paused_node_stops_in_order(bus: Bus, node: Process) -> None:
    change(bus, paused=True)
    with ThreadPoolExecutor(1) as pool:
        goal = pool.submit(bus.run_goal, echo.COUNT, "three", echo.Count(to=3))
        eventually(lambda: state(bus).waiting)
        assert node.stop() == 0
        node.start()
        change(bus, paused=False)
        assert goal.result(PATIENCE).number == 3


# The world


@pytest.fixture(params=[True, False], ids=["jailed", "in its own process"])
def world(run_folder: Path, request: pytest.FixtureRequest) -> Iterator[Process]:
    options = {"kind": "embedded", "area": 64}
    nodes = {"env_server": {"parameters": {"world": options, "jail": request.param}}}
    config = {"name": "test", "run": str(run_folder), "seed": 0, "world": options, "nodes": nodes}
    (run_folder / "config.yaml").write_text(yaml.safe_dump(config))
    process = Process(
        Path(__file__).parents[1] / "env_server" / "env_server_process.py", run_folder
    )
    yield process
    if process.popen.poll() is None:
        process.kill()


WALK = Program(
    name="walk",
    source="def action(obs):\n    for _ in range(40):\n        obs = turn(1)\n",
    max_steps=40,
)


def test_a_program_waits_while_its_world_is_paused_and_takes_the_steps_allowed(
    world: Process, run_folder: Path
) -> None:
    bus = Bus(run_folder)
    try:
        opening = OpenSession(
            session="a", task=TASK, size=3, seeds=SeedRange(first=5, count=9), interface=None
        )
        bus.call(OPEN, opening, timeout=COMPILING)
        change(bus, "env_server", paused=True)
        ran = RunProgram(session="a", program=WALK)
        with ThreadPoolExecutor(1) as pool:
            goal = pool.submit(bus.run_goal, RUN_PROGRAM, "a/run", ran)
            eventually(lambda: state(bus, "env_server").waiting == ["env_server/run_program"])
            change(bus, "env_server", paused=False)
            assert goal.result(PATIENCE).steps == 3 * 40
            change(bus, "env_server", paused=True, steps=7)
            goal = pool.submit(bus.run_goal, RUN_PROGRAM, "a/again", ran)
            eventually(lambda: state(bus, "env_server").taken == 7)
            time.sleep(0.3)  # it would have ended by now
            found = state(bus, "env_server")
            assert (found.steps, found.taken) == (0, 7)
            assert not goal.done()
            change(bus, "env_server", paused=False)
            assert goal.result(PATIENCE).steps == 3 * 40
        bus.call(CLOSE, CloseSession(session="a"), timeout=PATIENCE)
    finally:
        bus.close()


TURNING = Interface(
    observations=["compass"],
    actions=["forward", "turn_left"],
    rewards=[RewardTerm(kind="success", weight=1.0)],
    success=LOG,
    horizon=50,
)


def even(opened: Opened) -> Actor:
    """A policy to which both choices are alike."""
    layer = layer_of(np.zeros((2, opened.features.shape[1])), np.zeros(2))
    return Actor(fields=opened.fields, choices=opened.choices, layers=[layer])


def test_a_policys_steps_wait_while_the_world_is_paused(world: Process, run_folder: Path) -> None:
    bus = Bus(run_folder)
    try:
        opening = OpenSession(
            session="a", task=TASK, size=2, seeds=SeedRange(first=5, count=9), interface=TURNING
        )
        opened = bus.call(OPEN, opening, timeout=COMPILING)
        change(bus, "env_server", paused=True)
        step = Step(session="a", choices=np.zeros(2, np.int64))
        with ThreadPoolExecutor(1) as pool:
            stepped = pool.submit(bus.call, STEP, step)
            eventually(lambda: state(bus, "env_server").waiting == ["env_server/step"])
            # The world can be looked at meanwhile.
            looked = bus.call(LOOK, SessionName(session="a"), timeout=PATIENCE)
            assert [episode.steps for episode in looked.episodes] == [0, 0]
            change(bus, "env_server", paused=True, steps=1)
            assert stepped.result(PATIENCE).steps.tolist() == [1, 1]
        assert state(bus, "env_server").taken == 1
        # The same where the session plays the policy itself: a decision at a time.
        actor = even(opened)
        with ThreadPoolExecutor(1) as pool:
            playing = pool.submit(bus.call, PLAY_ON, PlayOn(session="a", actor=actor))
            eventually(lambda: state(bus, "env_server").waiting == ["env_server/play_on"])
            change(bus, "env_server", paused=True, steps=1)
            assert len(playing.result(PATIENCE).choices) == 1
            change(bus, "env_server", paused=False)
        played = bus.call(PLAY_ON, PlayOn(session="a"), timeout=PATIENCE)
        assert len(played.choices) > 1
    finally:
        bus.close()


def test_a_rollout_waits_while_the_world_is_paused(world: Process, run_folder: Path) -> None:
    bus = Bus(run_folder)
    try:
        opening = OpenSession(
            session="b",
            task=TASK,
            size=2,
            seeds=SeedRange(first=5, count=9),
            interface=TURNING,
            autoreset=True,
        )
        opened = bus.call(OPEN, opening, timeout=COMPILING)
        actor = even(opened)
        request = RollOut(session="b", drawn=np.full((9, 2), 0.3), samples=1000, actor=actor)
        change(bus, "env_server", paused=True)
        with ThreadPoolExecutor(1) as pool:
            playing = pool.submit(bus.call, ROLL_OUT, request)
            eventually(lambda: state(bus, "env_server").waiting == ["env_server/roll_out"])
            change(bus, "env_server", paused=True, steps=1)
            assert playing.result(PATIENCE).choices.tolist() == [[0, 0]]
            change(bus, "env_server", paused=False)
        assert len(bus.call(ROLL_OUT, request, timeout=PATIENCE).choices) > 1
    finally:
        bus.close()


# The commands

LAUNCH = {
    "seed": 0,
    "nodes": {
        "talker": {"module": "tests.launch_toys.talker"},
        "caller": {"module": "tests.launch_toys.caller"},
    },
}


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Launched]:
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "toys.yaml").write_text(yaml.safe_dump(LAUNCH))
    with launched("launch", "toys", "run=it", cwd=tmp_path, run=tmp_path / "it") as launch:
        launch.wait_for("there is no goal")
        yield launch


def test_nodes_are_paused_stepped_and_continued_from_the_command_line(
    live: Launched, tmp_path: Path
) -> None:
    def node(*words: str) -> str:
        done = rlgpt("node", *words, "--run", "it", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    paused = "caller is paused; `rlgpt node step caller --run it` takes a step"
    assert node("pause", "caller").startswith(paused)
    live.wait_for("caller: paused")
    rows = node("list").splitlines()
    assert " paused " in next(row for row in rows if "caller" in row)
    assert " ready " in next(row for row in rows if row.startswith("talker"))
    taken = node("step", "caller", "--count", "3")
    assert taken.startswith("caller took 3 steps")
    assert node("step", "caller").startswith("caller took 1 step")
    node("restart", "caller")
    assert " paused " in next(row for row in node("list").splitlines() if "caller" in row)
    assert node("continue", "caller") == "caller goes on\n"
    assert node("continue", "caller") == "caller was not paused\n"
    it = ("--run", "it")
    sentence = failed("node", "step", "talker", "--timeout", "0.5", *it, cwd=tmp_path, code=1)
    assert "talker took 0 of 1 steps: it has nothing more to do" in sentence
    assert "did you mean `talker`" in refused("node", "pause", "tolker", *it, cwd=tmp_path)
    for count in ("0", str(2**63)):  # the second is larger than a message can carry
        sentence = refused("node", "step", "talker", "--count", count, *it, cwd=tmp_path)
        assert f"--count {count}: 1 to 9,223,372,036,854,775,807 steps" in sentence


def test_a_node_waits_for_one_that_is_paused_and_reports_it(run: Path, node: Process) -> None:
    """As every caller: the notice, and no second one when it is told the same again."""
    reported: list[tuple[str, str]] = []

    class Caller(Bus):
        def _notify(self, node: str, sentence: str) -> None:
            reported.append((node, sentence))

    bus = Caller(run)
    try:
        change(bus, paused=True)
        hasty = Service("echo/say", echo.Say, echo.Said, timeout=3.0)
        thread = threading.Thread(target=lambda: bus.call(hasty, echo.Say(text="you")))
        thread.start()
        until = time.monotonic() + 6.0
        eventually(lambda: time.monotonic() > until)
        change(bus, paused=False)
        thread.join(PATIENCE)
        waits = "waiting for echo, which is paused: `rlgpt node continue echo` lets it go on"
        assert reported == [("echo", waits)]
    finally:
        bus.close()
