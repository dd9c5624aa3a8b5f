"""Jailed sessions: they play as unjailed ones do, and what stops one is told, counted, kept out."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import pytest
import yaml

from messages.bus import Bus, GoalCancelled, RemoteError
from messages.program import CHECK, CheckProgram, Program
from messages.world import (
    CLOSE,
    LOOK,
    OPEN,
    RUN_PROGRAM,
    STEP,
    CloseSession,
    Condition,
    Guard,
    Interface,
    OpenSession,
    Pictures,
    RewardTerm,
    RunProgram,
    SessionName,
    Step,
)
from nodes.env_server.hosting import Host, Hosted, HostedSessionLost, OwnProcess
from nodes.env_server.jail import worker
from nodes.env_server.jail.confine import missing
from nodes.env_server.jail.fork_server import Spec
from nodes.env_server.jail.forking import Forked, ForkServer, left_over
from nodes.env_server.jail.jailed import JailedHost, JailedSession
from nodes.env_server.jail.seccomp import ALLOWED, ARCHITECTURES, NOT_EXECUTABLE, program
from nodes.env_server.programs.pulse import COLLECTED, STEPS
from rlgpt.report import node_files
from tests.bus_processes import PATIENCE, Process, launch
from tests.env_server.jailed_host import LOG, TASK, embedded, jailed_host, opening, ran, raw
from tests.env_server.raw_fork_server import RAW

DIG = Program(
    name="dig",
    source=(
        "def action(obs):\n    for _ in range(12):\n        seen = nearest(obs, 'wood')\n"
        "        if obs.facing == 'wood' or seen is None:\n            obs = attack()\n"
        "        else:\n            obs = turn(seen[0])\n            obs = forward()\n"
    ),
    max_steps=20,
)
REWARD = "def reward(before, after):\n    return after.position[0] - before.position[0]\n"
INTERFACE = Interface(
    observations=["compass", "voxels", "rays", "facing", "target", "inventory", "time"],
    actions=["forward", "turn_left", "turn_right", "attack", "jump", "craft:planks"],
    macros=[DIG],
    rewards=[
        RewardTerm(kind="code", weight=1.0, source=REWARD),
        RewardTerm(kind="approach", weight=0.5, name="wood"),
        RewardTerm(kind="success", weight=1.0),
    ],
    success=LOG,
    horizon=20,
    targets=["wood"],
    gamma=0.99,
)
TRAINING: dict[str, Any] = {
    "size": 4, "prefix": [DIG], "interface": INTERFACE, "autoreset": True,
}  # fmt: skip
EGG = Condition(kind="have", name="dragon_egg")
LOOP = "while True:\n    pass"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JailedHost]:
    with jailed_host(tmp_path_factory.mktemp("jail")) as host:
        yield host


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "PATIENCE", 0.5)
    monkeypatch.setattr(worker, "_OBEY", 1.0)


def trained(host: Host) -> tuple[list[np.ndarray], int]:
    """What a learner would have seen, and the steps that were counted."""
    counted: list[int] = []
    session: Hosted = host.open(opening(**TRAINING), None, counted.append)
    opened = session.opened()
    seen = [np.array(opened.features), np.array(opened.mask)]
    random = np.random.default_rng(0)
    for _ in range(60):
        stepped = session.step(random.integers(0, len(opened.choices), 4))
        seen += [
            np.array(getattr(stepped, name))
            for name in ("features", "mask", "reward", "steps", "terminated", "truncated",
                         "final_rows", "final_features", "final_returns", "final_lengths")
        ]  # fmt: skip
        seen.append(np.array(stepped.prefix_steps))
    session.close()
    return seen, sum(counted)


def test_a_jailed_session_gives_a_learner_the_same_numbers(host: JailedHost) -> None:
    jailed, own = trained(host), trained(OwnProcess(embedded(), "a test"))
    assert jailed[1] == own[1] > 240
    for one, other in zip(jailed[0], own[0], strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
    assert sum(len(rows) for rows in jailed[0][8::11]) > 4  # episodes ended and began


def test_programs_play_the_same_episodes_in_the_jail(host: JailedHost) -> None:
    def played(host: Host) -> Any:
        session = host.open(opening(size=3), None, lambda steps: None)
        result = session.run_program(DIG), session.run_program(DIG, environments=[1])
        session.take(INTERFACE, [0, 2])
        session.step(np.array([6, 0, 6]))
        said = session.episodes()
        session.close()
        return result, said

    assert played(host) == played(OwnProcess(embedded(), "a test"))


GUARD = Guard(
    name="step back",
    when="def when(obs):\n    return obs.facing == 'wood' and obs.steps < 3\n",
    program=Program(name="back", source="def action(obs):\n    while True:\n        back()\n"),
    max_steps=5,
)


def test_guards_take_over_at_the_same_steps_in_the_jail(host: JailedHost) -> None:
    def played(host: Host) -> Any:
        session = host.open(opening(size=3), None, lambda steps: None)
        walk = Program(
            name="walk",
            source="def action(obs):\n    for _ in range(40):\n        obs = forward()\n",
        )
        result = session.run_program(walk, guards=[GUARD])
        session.take(INTERFACE, guards=[GUARD])
        steps = [session.step(np.array([4, 4, 4])).steps.tolist() for _ in range(9)]
        said = session.episodes(), session.guards()
        session.close()
        return result, steps, said

    jailed, own = played(host), played(OwnProcess(embedded(), "a test"))
    assert jailed == own
    (report,) = jailed[2][1]
    assert report.turns > 1


def test_a_guard_that_stops_its_worker_never_takes_over_again(
    host: JailedHost, impatient: None
) -> None:
    hanging = msgspec.structs.replace(
        GUARD,
        when="def when(obs):\n    return True\n",
        program=raw("stands = 1\nwhile stands: pass"),
    )
    session = host.open(opening(size=2), None, lambda steps: None)
    _, reports = session.run_program(DIG, guards=[hanging])
    assert (reports[0].program, reports[0].status, reports[0].line) == ("dig", "killed", 0)
    assert reports[0].error.startswith("guard step back: ")
    assert [episode.ended for episode in session.episodes()] == ["horizon"] * 2
    session.close()
    session = host.open(opening(size=2), None, lambda steps: None)
    _, reports = session.run_program(DIG, guards=[hanging])
    assert "killed" not in {report.status for report in reports}
    assert session.guards() == []
    session.close()


def test_errors_are_reported_as_without_a_jail(host: JailedHost) -> None:
    for asked in (
        opening(size=2, interface=INTERFACE.__class__(**{
            **{f: getattr(INTERFACE, f) for f in INTERFACE.__struct_fields__}, "horizon": 0})),
        opening(prefix=[Program(name="bad", source="import os\n")]),
        opening(task=TASK.__class__(**{
            **{f: getattr(TASK, f) for f in TASK.__struct_fields__}, "biome": "moon"})),
    ):  # fmt: skip
        said = []
        for place in (host, OwnProcess(embedded(), "a test")):
            with pytest.raises(ValueError) as refused:  # noqa: PT011 - the words are compared
                place.open(asked, None, lambda steps: None)
            said.append(str(refused.value))
        assert said[0] == said[1]


@pytest.mark.usefixtures("impatient")
def test_a_prefix_that_hangs_is_left_out(host: JailedHost) -> None:
    session = host.open(opening(prefix=[raw(LOOP, "hangs"), DIG]), None, lambda steps: None)
    assert session.opened().prefix_steps > 0
    assert [e.ended for e in session.episodes()] == ["running"] * 2
    entry = host.quarantine.find(raw(LOOP).source)
    assert entry is not None
    assert entry.name == "hangs"
    assert entry.line in (3, 4)
    session.close()


@pytest.mark.usefixtures("impatient")
def test_a_run_that_hangs_ends_its_session_s_episodes(host: JailedHost) -> None:
    counted: list[int] = []
    session = host.open(opening(), None, counted.append)
    hangs = raw(
        "for _ in range(3):\n    yield 0\nimport itertools\nfor _ in itertools.repeat(0):\n    pass"
    )
    steps, reports = session.run_program(hangs)
    assert steps == sum(counted) == 6
    assert [(r.status, r.count, r.line in (6, 7)) for r in reports] == [("killed", 2, True)]
    assert reports[0].environments == [0, 1]
    assert [e.ended for e in session.episodes()] == ["horizon"] * 2
    session.take(INTERFACE)  # a policy that comes next has nothing to do any more
    assert session.step(np.zeros(2, np.int64)).steps.sum() == 0
    assert session.run_program(DIG) == (0, [])
    session.close()


@pytest.mark.usefixtures("impatient")
def test_an_episode_that_was_won_stays_won_when_another_s_program_is_ended(
    host: JailedHost,
) -> None:
    dirt = msgspec.structs.replace(TASK, success=Condition(kind="have", name="dirt"), horizon=500)
    session = host.open(opening(task=dirt), None, lambda steps: None)
    look_down = "for _ in range(6):\n        obs = look(15.0)"
    attack = "for _ in range(300):\n        obs = attack()"
    source = f"def action(obs):\n    {look_down}\n    {attack}\n"
    dig = Program(name="dig_down", source=source, max_steps=400)
    session.run_program(dig, environments=[0])
    won, waiting = session.episodes()
    assert won.success
    assert waiting.ended == "running"
    hangs = raw("mine = 1\nwhile mine:\n    pass")  # none that hung in another test already
    _, reports = session.run_program(hangs, environments=[1])
    assert [report.status for report in reports] == ["killed"]
    assert session.episodes() == [won, msgspec.structs.replace(waiting, ended="horizon")]
    session.close()


def test_a_subtask_begins_with_a_program_that_is_in_quarantine(host: JailedHost) -> None:
    """As with one that does nothing: what comes next does not count from the subtask before."""
    request = opening(
        task=msgspec.structs.replace(TASK, inventory={"log": 2}, success=EGG),
        pictures=Pictures(height=16, width=16),
    )
    craft = Program(name="craft", source="def action(obs):\n    craft('planks')\n    turn(90)\n")
    idle = Program(name="idle", source="def action(obs):\n    if obs.steps < 0:\n        noop()\n")
    hung = msgspec.structs.replace(idle, name="hung", source=idle.source + "    # slowly\n")
    host.quarantine.add(hung, 2, "it hung")
    planks = Condition(kind="have", name="planks", quantity=4)
    stage = Interface(observations=["time"], actions=["noop"], success=planks, horizon=9)
    played = []
    for each in (idle, hung):
        session = host.open(request, None, lambda steps: None)
        session.run_program(craft, begins=True)
        steps, reports = session.run_program(each, begins=True)
        pictures = session.pictures()
        session.take(stage)
        stepped = session.step(np.zeros(2, np.int64))
        assert not stepped.success.any()
        played.append((steps, pictures, session.episodes()))
        session.close()
    assert played[0] == played[1]
    assert [(report.status, report.error) for report in reports] == [
        ("killed", "it hung; it is not run again")
    ]


@pytest.mark.usefixtures("impatient")
def test_a_reward_that_hangs_costs_the_session_and_then_pays_nothing(host: JailedHost) -> None:
    source = f"{RAW}def reward(before, after):\n    while True:\n        pass\n"
    interface = Interface(
        observations=["compass"], actions=["noop"], success=LOG, horizon=9,
        rewards=[RewardTerm(kind="code", weight=1.0, source=source),
                 RewardTerm(kind="step", weight=-0.5)],
    )  # fmt: skip
    request = opening(interface=interface, autoreset=True)
    session = host.open(request, None, lambda steps: None)
    with pytest.raises(HostedSessionLost, match=r"stopped responding inside line [34]"):
        session.step(np.zeros(2, np.int64))
    session.close()
    session = host.open(request, None, lambda steps: None)
    assert session.step(np.zeros(2, np.int64)).reward.tolist() == [-0.5, -0.5]
    session.close()


@pytest.mark.usefixtures("impatient")
def test_a_run_is_cancelled_and_one_that_does_not_obey_is_ended(host: JailedHost) -> None:
    session = host.open(opening(), None, lambda steps: None)
    asked = []

    def check() -> None:
        asked.append(1)
        if len(asked) > 2:
            raise GoalCancelled("enough")

    long = Program(name="long", source="def action(obs):\n    while True:\n        noop()\n",
                   max_steps=10**9)  # fmt: skip
    with pytest.raises(GoalCancelled):
        session.run_program(long, check)
    assert ran(session, DIG).status in ("finished", "step_limit")
    deaf = raw("from nodes.env_server.programs.pulse import PULSE\nwhile True:\n    PULSE.turn()")
    asked.clear()
    report = session.run_program(deaf, check)[1][0]
    assert report.status == "killed"
    assert "gave no answer within 1 s" in report.error
    session.close()


def test_a_worker_that_dies_by_itself_costs_the_session_and_blames_no_program(
    host: JailedHost,
) -> None:
    session = host.open(opening(**TRAINING), None, lambda steps: None)
    killed = host.killed
    forked: Forked = session._worker._forked
    os.kill(forked.pid, signal.SIGKILL)
    with pytest.raises(HostedSessionLost, match=r"died \(SIGKILL\).* open it again"):
        session.step(np.zeros(4, np.int64))
    assert host.killed == killed
    session.close()


def test_after_the_fork_server_died_sessions_are_lost_and_new_ones_open(host: JailedHost) -> None:
    session: JailedSession = host.open(opening(), None, lambda steps: None)
    process = host._server._process
    assert process is not None
    process.kill()
    process.wait()
    with pytest.raises(HostedSessionLost):  # its workers die with it
        session.episodes()
    session.close()
    again = host.open(opening(), None, lambda steps: None)
    assert ran(again, DIG).status in ("finished", "step_limit")
    again.close()
    assert host.check(CheckProgram(program=DIG)) == []


def test_seccomp_filters_are_valid_for_both_architectures() -> None:
    for machine in ARCHITECTURES:
        column = list(ARCHITECTURES).index(machine)
        numbers = [n[column] for n in (*ALLOWED.values(), *NOT_EXECUTABLE.values())]
        known = [n for n in numbers if n is not None]
        assert len(known) == len(set(known))
        assert len(program(machine)) % 8 == 0
        assert len(program(machine)) // 8 < 4096


# ---- the env server as a process


def configured(run: Path, **parameters: Any) -> Path:
    values = {"world": {"kind": "embedded", **embedded().options}, **parameters}
    config = {"name": "test", "run": str(run), "seed": 0,
              "nodes": {"env_server": {"parameters": values}}}  # fmt: skip
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    return Path(__file__).parent / "raw_env_server_process.py"


@pytest.fixture
def bus(run_folder: Path) -> Iterator[Bus]:
    bus = Bus(run_folder, None)
    yield bus
    bus.close()


def children(pid: int) -> list[int]:
    """A process's children, and theirs."""
    found_here = [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return found_here + [deeper for child in found_here for deeper in children(child)]


def test_the_env_server_survives_hanging_programs_and_its_workers_end_with_it(
    run_folder: Path, bus: Bus
) -> None:
    server = Process(configured(run_folder), run_folder)
    try:
        hangs = raw(LOOP, "hangs")
        bus.call(OPEN, opening("a"), timeout=PATIENCE)
        outcome = bus.run_goal(RUN_PROGRAM, "g", RunProgram(session="a", program=hangs))
        assert [(r.status, r.count) for r in outcome.reports] == [("killed", 2)]
        assert "the worker stopped responding inside line" in outcome.reports[0].error
        assert {e.ended for e in outcome.episodes} == {"horizon"}
        checked = bus.call(CHECK, CheckProgram(program=hangs), timeout=PATIENCE)
        assert "stopped responding" in checked.problems[0].message
        assert bus.call(CHECK, CheckProgram(program=DIG), timeout=PATIENCE).problems == []
        closed = bus.call(CLOSE, CloseSession(session="a"), timeout=PATIENCE)
        assert len(closed.episodes) == 2

        # A policy chooses a macro which hangs: open again, and the macro does nothing.
        macro = raw("import itertools\nfor _ in itertools.repeat(0):\n    pass", "hanging_macro")
        interface = Interface(
            observations=["compass"], actions=["noop"], macros=[macro], success=LOG, horizon=9
        )
        request: OpenSession = opening("b", interface=interface, autoreset=True)
        choices = np.array([0, 1], np.int64)
        bus.call(OPEN, request, timeout=PATIENCE)
        with pytest.raises(RemoteError, match=r"open it again.*does nothing there") as lost:
            bus.call(STEP, Step(session="b", choices=choices), timeout=PATIENCE)
        assert lost.value.code == "unknown_session"
        bus.call(OPEN, request, timeout=PATIENCE)
        stepped = bus.call(STEP, Step(session="b", choices=choices), timeout=PATIENCE)
        assert stepped.steps.tolist() == [1, 1]
        assert node_files.jail(run_folder).killed == 2
        assert node_files.jail(run_folder).jail == ("off" if missing() else "on")
        jail = json.loads((run_folder / "env_server" / "quarantine.json").read_text())
        assert [entry["name"] for entry in jail] == ["hangs", "hanging_macro"]
        assert len(bus.call(LOOK, SessionName(session="b"), timeout=PATIENCE).episodes) == 2

        workers = children(server.popen.pid)
        assert len(workers) >= 3  # fork server, checker, session
        server.kill()
        deadline = time.monotonic() + PATIENCE
        while any(Path(f"/proc/{pid}/exe").is_symlink() and alive(pid) for pid in workers):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        server.start()
        checked = bus.call(CHECK, CheckProgram(program=hangs), timeout=PATIENCE)
        assert "stopped responding" in checked.problems[0].message
        with pytest.raises(RemoteError) as lost:
            bus.call(STEP, Step(session="b", choices=np.zeros(2, np.int64)), timeout=PATIENCE)
        assert lost.value.code == "unknown_session"
        assert server.stop() == 0
    finally:
        if server.popen.poll() is None:
            server.kill()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_env_server_reports_that_it_has_no_jail(run_folder: Path, bus: Bus) -> None:
    server = Process(configured(run_folder, jail=False), run_folder)
    try:
        bus.call(OPEN, opening("a"), timeout=PATIENCE)
        assert children(server.popen.pid) == []
        assert node_files.jail(run_folder).jail == "off (jail=false)"
        assert server.stop() == 0
    finally:
        if server.popen.poll() is None:
            server.kill()


def test_a_world_with_processes_of_its_own_is_refused_unless_the_jail_is_off(
    run_folder: Path,
) -> None:
    script = configured(run_folder, world={"kind": "minedojo"})
    process = launch(script, run_folder)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert errors == (
        "env_server: world=minedojo starts and talks to processes of its own, which the jail "
        "forbids: set nodes.env_server.parameters.jail=false, and coded actions are held by their "
        "language alone\n"
    )


def test_worker_time_of_a_killed_env_server_is_counted_once(tmp_path: Path) -> None:
    forked = []
    server = ForkServer(
        Spec(kind="embedded", options=embedded().options, task=TASK), pulses=tmp_path
    )
    try:
        server.start()
        forked.append(server.fork(early=True))
        forked[0].memory[STEPS], forked[0].memory[COLLECTED] = 70, 30
        assert left_over(tmp_path / "nowhere") == 0
        assert left_over(tmp_path) == 40
        assert left_over(tmp_path) == 0
    finally:
        for each in forked:
            server.reap(each)
            server.forget(each)
        server.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["action", "reward", "when"])
def test_a_program_that_cannot_be_sent_to_its_checker_has_a_problem(
    host: JailedHost, kind: Literal["action", "reward", "when"]
) -> None:
    request = CheckProgram(program=Program(name="half", source="x = '\ud800'"), kind=kind)
    (problem,) = host.check(request)
    assert problem.line == 1
    assert problem.message.startswith("the program cannot be read: ")
    assert host.check(CheckProgram(program=DIG)) == []
