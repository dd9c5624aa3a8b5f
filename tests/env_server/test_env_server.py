"""The env server as a process: sessions over the bus, programs as actions, films, restarts."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import av
import msgspec
import numpy as np
import pytest
import yaml

from messages.bus import Bus, BusError, RemoteError
from messages.program import CHECK, CheckProgram, Program
from messages.world import (
    ACTIVITY,
    CLOSE,
    INTERFACE,
    OPEN,
    RUN_PROGRAM,
    STEP,
    Activity,
    CloseSession,
    Condition,
    Interface,
    OpenSession,
    RewardTerm,
    RunProgram,
    SeedRange,
    Step,
    TakeInterface,
    Task,
)
from nodes.config import ConfigError
from nodes.env_server.env_server import EnvServer
from nodes.testing import MockBus, start
from tests.bus_processes import PATIENCE, Process, eventually, launch
from tests.env_server.embedded_server import COMPILING, SCRIPT, bus, run, server

__all__ = ["bus", "run", "server"]  # fixtures

LOG = Condition(kind="have", name="log")
TASK = Task(id="harvest_log", prompt="a log", success=LOG, horizon=60)
LOOK = Program(
    name="look_around",
    source=(
        "def action(obs):\n"
        "    for _ in range(4):\n"
        "        obs = turn(30)\n"
        "        found = nearest(obs, 'wood')\n"
        "        if found is not None and found[2] < 1:\n"
        "            raise ValueError(f'a tree {found[2]:.1f} m away at {obs.position}')\n"
        "    obs = forward()\n"
    ),
)
INTERFACE_OF_ALL = Interface(
    observations=["compass", "voxels", "rays", "facing", "target", "inventory", "time"],
    actions=["forward", "turn_left", "turn_right", "attack", "jump", "craft:planks"],
    macros=[LOOK],
    rewards=[RewardTerm(kind="step", weight=-0.01), RewardTerm(kind="success", weight=1.0)],
    success=LOG,
    horizon=8,
    targets=["wood"],
)


def opening(name: str = "test/a", **changes: Any) -> OpenSession:
    fields = {
        "session": name,
        "task": TASK,
        "size": 3,
        "seeds": SeedRange(first=5, count=100),
        "interface": INTERFACE_OF_ALL,
    }
    return OpenSession(**{**fields, **changes})  # type: ignore[arg-type]


def test_a_session_plays_its_steps_reports_its_episodes_and_its_samples_are_counted(
    server: Process, bus: Bus, run_folder: Path
) -> None:
    opened = bus.call(OPEN, opening(autoreset=True, prefix=[LOOK]), timeout=COMPILING)
    assert opened.choices == [*INTERFACE_OF_ALL.actions, "look_around"]
    assert opened.features.shape == (3, sum(field.size for field in opened.fields))
    assert opened.prefix_steps > 0
    assert opened.mask[:, 5].sum() == 0  # no log, no planks
    ended, steps = 0, 0
    for number in range(20):
        choices = np.array([0, 3, 6 if number % 5 == 0 else 1], np.int64)
        stepped = bus.call(STEP, Step(session="test/a", choices=choices), timeout=PATIENCE)
        ended += len(stepped.final_rows)
        steps += int(stepped.steps.sum()) + stepped.prefix_steps
        assert np.isfinite(stepped.features).all()
        assert stepped.final_features.shape == (len(stepped.final_rows), opened.features.shape[1])
    assert ended >= 6
    closed = bus.call(CLOSE, CloseSession(session="test/a"), timeout=PATIENCE)
    assert [episode.environment for episode in closed.episodes] == [0, 1, 2]
    assert closed.video is None
    assert server.stop() == 0
    assert int((run_folder / "env_server" / "steps").read_text()) == steps + opened.prefix_steps


def test_opening_a_session_again_while_it_is_opened_leaves_one_worker(
    server: Process, bus: Bus, run_folder: Path
) -> None:
    """As by a learner that was killed while it waited: one worker is left, and no other."""
    source = "def action(obs):\n    for _ in range(20_000):\n        noop()\n"
    long = Program(name="long", source=source, max_steps=20_000)
    task = msgspec.structs.replace(TASK, horizon=40_000)
    request = opening("twice", task=task, prefix=[long], interface=None)
    bus.call(OPEN, opening("warm"), timeout=COMPILING)
    bus.call(CLOSE, CloseSession(session="warm"), timeout=PATIENCE)
    pulses = run_folder / "env_server" / "pulses"  # a file for each worker that there is
    assert len(list(pulses.iterdir())) == 1  # the one that checks programs

    with closing(Bus(run_folder)) as other, ThreadPoolExecutor(1) as pool:
        first = pool.submit(other.call, OPEN, request, COMPILING)
        eventually(lambda: len(list(pulses.iterdir())) > 1)
        bus.call(OPEN, request, timeout=COMPILING)
        first.result()
    bus.call(CLOSE, CloseSession(session="twice"), timeout=PATIENCE)
    assert len(list(pulses.iterdir())) == 1


def test_sessions_opened_with_equal_requests_play_the_same_steps(server: Process, bus: Bus) -> None:
    def play(name: str) -> tuple[np.ndarray, ...]:
        opened = bus.call(OPEN, opening(name), timeout=COMPILING)
        rows = [np.array(opened.features)]
        for choice in (0, 1, 3, 6, 4):
            step = Step(session=name, choices=np.full(3, choice, np.int64))
            rows.append(np.array(bus.call(STEP, step, timeout=PATIENCE).features))
        return tuple(rows)

    for one, other in zip(play("one"), play("other"), strict=True):
        assert np.array_equal(one, other)


def test_a_recorded_session_runs_a_program_then_a_policy_stage_and_leaves_a_film(
    server: Process, bus: Bus, run_folder: Path
) -> None:
    bus.call(OPEN, opening("film", interface=None, record=True), timeout=COMPILING)
    ran = bus.run_goal(RUN_PROGRAM, "g1", RunProgram(session="film", program=LOOK))
    assert sum(report.count for report in ran.reports) == 3
    assert ran.steps == sum(episode.steps for episode in ran.episodes)
    assert {report.program for report in ran.reports} == {"look_around"}
    again = bus.run_goal(RUN_PROGRAM, "g1", RunProgram(session="film", program=LOOK))
    assert again == ran
    taken = bus.call(
        INTERFACE, TakeInterface(session="film", interface=INTERFACE_OF_ALL), timeout=PATIENCE
    )
    assert taken.features.shape[0] == 3
    over = np.zeros(3, bool)
    decisions = 0
    while not over.all():
        step = Step(session="film", choices=np.zeros(3, np.int64))
        stepped = bus.call(STEP, step, timeout=PATIENCE)
        over |= stepped.terminated | stepped.truncated | (stepped.steps == 0)
        decisions += 1
    assert decisions == INTERFACE_OF_ALL.horizon
    closed = bus.call(CLOSE, CloseSession(session="film"), timeout=PATIENCE)
    assert closed.video is not None
    with av.open(str(run_folder / closed.video)) as film:
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    assert frames[0].shape == (160, 256, 3)
    assert len(frames) == (closed.episodes[0].steps + 1) // 2
    assert not np.array_equal(frames[0], frames[-1])


@pytest.mark.parametrize("jail", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_full_disk_costs_the_film_and_not_the_session(
    run_folder: Path, bus: Bus, jail: bool
) -> None:
    parameters = {"world": {"kind": "embedded", "area": 64}, "jail": jail}
    config = {"nodes": {"env_server": {"parameters": parameters}}}
    (run_folder / "config.yaml").write_text(yaml.safe_dump(config))
    server = Process(SCRIPT, run_folder)
    try:
        videos = run_folder / "env_server" / "videos"
        videos.mkdir()
        # The one is written to in the middle of a program, the other when it is closed.
        for session, steps in (("long", 60), ("short", 6)):
            (videos / f"{session}.mp4").symlink_to("/dev/full")
            bus.call(OPEN, opening(session, interface=None, record=True), timeout=COMPILING)
            source = f"def action(obs):\n    for _ in range({steps}):\n        obs = turn(15)\n"
            turns = RunProgram(session=session, program=Program(name="turns", source=source))
            ran = bus.run_goal(RUN_PROGRAM, session, turns)
            assert [report.steps for report in ran.reports] == [steps]
            closed = bus.call(CLOSE, CloseSession(session=session), timeout=PATIENCE)
            assert [episode.steps for episode in closed.episodes] == [steps] * 3
            assert closed.video is None
        assert list(videos.iterdir()) == []
        assert server.stop() == 0
    finally:
        if server.popen.poll() is None:
            server.kill()
    log = (run_folder / "env_server" / "node.log").read_text()
    for name in ("long", "short"):
        said = [line for line in log.splitlines() if f"/{name}.mp4" in line]
        assert len(said) == 1
        assert "cannot be written (No space left on device): the session plays on" in said[0]


def test_a_session_has_a_largest_size_and_is_not_filmed_where_films_are_off(
    run: Path, bus: Bus
) -> None:
    server = Process(SCRIPT, run, "most_environments=2", "longest_film=0")
    try:
        with pytest.raises(RemoteError, match="A session has 1 to 2 environments") as refused:
            bus.call(OPEN, opening(), timeout=COMPILING)
        assert refused.value.code == "invalid"
        bus.call(OPEN, opening(size=2, interface=None, record=True), timeout=COMPILING)
        bus.run_goal(RUN_PROGRAM, "g", RunProgram(session="test/a", program=LOOK))
        closed = bus.call(CLOSE, CloseSession(session="test/a"), timeout=PATIENCE)
        assert len(closed.episodes) == 2
        assert closed.video is None
        assert not list(run.rglob("*.mp4"))
    finally:
        server.kill()


def test_a_server_of_no_environments_is_refused_when_it_starts(tmp_path: Path) -> None:
    words = "most_environments is 0: expected `int` >= 1"
    world = {"kind": "embedded"}
    with pytest.raises(ConfigError, match=words):
        start(EnvServer, MockBus("env_server"), tmp_path, most_environments=0, world=world)


def test_errors_of_invalid_requests_have_codes(server: Process, bus: Bus) -> None:
    def code(call: object) -> str:
        with pytest.raises(RemoteError) as refused:
            call()  # type: ignore[operator]
        assert refused.value.message.endswith(".")
        return refused.value.code

    choices = np.zeros(3, np.int64)
    bad = Program(name="bad", source="import os\n")
    lost = RunProgram(session="gone", program=LOOK)
    assert code(lambda: bus.call(STEP, Step(session="gone", choices=choices))) == "unknown_session"
    assert code(lambda: bus.call(CLOSE, CloseSession(session="gone"))) == "unknown_session"
    assert code(lambda: bus.run_goal(RUN_PROGRAM, "g", lost)) == "unknown_session"
    wrongs: list[dict[str, Any]] = [
        {"size": 0},
        {"prefix": [bad]},
        {"seeds": SeedRange(first=0, count=0)},
        {"seeds": SeedRange(first=-1, count=4)},
        {"seeds": SeedRange(first=2**63, count=4)},
        {"interface": msgspec.structs.replace(INTERFACE_OF_ALL, actions=["forward"] * 100_000)},
        {"task": Task(id="x", prompt="x", success=LOG, biome="atlantis")},
        {"task": Task(id="x", prompt="x", success=Condition(kind="near", name="wod"))},
    ]
    for wrong in wrongs:
        request = opening(**wrong)
        assert code(lambda request=request: bus.call(OPEN, request, timeout=COMPILING)) == "invalid"
    checked = bus.call(CHECK, CheckProgram(program=bad), timeout=PATIENCE)
    assert [problem.line for problem in checked.problems] == [1, 1]
    assert bus.call(CHECK, CheckProgram(program=LOOK), timeout=PATIENCE).problems == []


def test_after_a_restart_sessions_are_lost_and_the_count_of_steps_is_kept(
    server: Process, bus: Bus, run_folder: Path
) -> None:
    bus.call(OPEN, opening(), timeout=COMPILING)
    bus.call(STEP, Step(session="test/a", choices=np.zeros(3, np.int64)), timeout=PATIENCE)
    server.kill()  # at once: the count is as new as the answer
    steps = run_folder / "env_server" / "steps"
    assert int(steps.read_text()) == 3
    server.start()
    with pytest.raises(BusError) as lost:
        bus.call(STEP, Step(session="test/a", choices=np.zeros(3, np.int64)), timeout=PATIENCE)
    assert getattr(lost.value, "code", "unknown_session") == "unknown_session"
    bus.call(OPEN, opening(), timeout=COMPILING)
    bus.call(STEP, Step(session="test/a", choices=np.zeros(3, np.int64)), timeout=PATIENCE)
    heard: list[Activity] = []
    bus.subscribe(ACTIVITY, heard.append)
    deadline = time.monotonic() + PATIENCE
    while not heard or heard[-1].steps < 6:
        assert time.monotonic() < deadline
        bus.spin_once(0.05)
    assert server.stop() == 0
    assert int(steps.read_text()) == 6


@pytest.mark.parametrize(
    ("world", "biome", "said"),
    [
        ({"kind": "flat"}, "forest", "there is no world 'flat'; there are embedded, minedojo"),
        ({"kind": "embedded", "aera": 64}, "forest", "the embedded world has no option aera; it"),
        (
            {"kind": "embedded", "start_food": "much"},
            "forest",
            "start_food is a finite number, not",
        ),
        ({"kind": "embedded"}, "moon", "moon"),
    ],
)
def test_a_world_that_cannot_be_made_is_refused_at_the_start(
    run_folder: Path, world: dict[str, Any], biome: str, said: str
) -> None:
    config = {
        "task": {
            "id": "x",
            "prompt": "",
            "success": {"kind": "have", "name": "log"},
            "biome": biome,
        },
        "nodes": {"env_server": {"parameters": {"world": world}}},
    }
    (run_folder / "config.yaml").write_text(yaml.safe_dump(config))
    process = launch(SCRIPT, run_folder)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2, errors
    assert errors.startswith("env_server: ")
    assert errors.count("\n") == 1
    assert said in errors


def test_the_real_minedojo_that_is_absent_is_refused(run_folder: Path) -> None:
    kind = {"kind": "minedojo", "python": str(run_folder / "nowhere")}
    world = {"nodes": {"env_server": {"parameters": {"world": kind, "jail": False}}}}
    (run_folder / "config.yaml").write_text(yaml.safe_dump(world))
    process = launch(SCRIPT, run_folder)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2, errors
    assert errors.count("\n") == 1
    assert "docs/minedojo.md" in errors
