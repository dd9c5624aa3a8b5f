"""Episodes are kept by the env server, once each, whatever is killed; and are listed."""

import json
import math
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import av
import msgspec
import numpy as np
import pytest
import yaml

from messages.bus import Bus, BusError
from messages.program import Program
from messages.world import (
    CLOSE,
    INTERFACE,
    OPEN,
    PLAY_ON,
    RUN_PROGRAM,
    STEP,
    Actor,
    Closed,
    CloseSession,
    Condition,
    Guard,
    Interface,
    Lead,
    OpenSession,
    PlayOn,
    RunProgram,
    SeedRange,
    Step,
    TakeInterface,
    Task,
)
from models.actor import layer_of
from nodes.common.running.exit_codes import INTERRUPTED
from nodes.common.storage.episode_store import FILE, StoredEpisodes
from nodes.env_server.filmed_steps import EVERY
from nodes.env_server.recorded_session import Recorded
from nodes.env_server.session import Session
from rlgpt.main import main
from rlgpt.report import played_episodes
from rlgpt.report.played_episodes import in_words, purpose
from tests.bus_processes import PATIENCE, Process, eventually
from tests.env_server.embedded_server import COMPILING, SCRIPT, bus, run, server
from tests.fake_world import FakeWorld
from tests.launch_toys.launched import command, environment

__all__ = ["bus", "run", "server"]  # fixtures

TASK = Task(id="dirt", prompt="a dirt", success=Condition(kind="have", name="dirt"), horizon=60)
LOOK = Program(
    name="look_around",
    source=(
        "def action(obs):\n"
        "    for _ in range(4):\n"
        "        obs = turn(30)\n"
        "        if obs.position[0] > 100000:\n"
        "            forward()\n"
        "    obs = forward()\n"
    ),
)
FAULTY = Program(name="faulty", source="def action(obs):\n    turn(10)\n    1 / 0\n")
WALK = Interface(
    observations=["compass"],
    actions=["forward", "turn_left", "attack"],
    macros=[LOOK],
    success=TASK.success,
    horizon=9,
)
STAND = Interface(observations=["compass"], actions=["noop"], success=TASK.success, horizon=9)
ON = Program(
    name="on",
    source="def action(obs):\n    while True:\n        obs = turn(10)\n",
    max_steps=500,
)

PLAY = "goal/0-dirt/iteration-1/look-around/trial-0"


def opening(session: str, **changes: Any) -> OpenSession:
    fields: dict[str, Any] = {
        "session": session, "task": TASK, "size": 3, "seeds": SeedRange(first=40, count=100),
        "play": PLAY,
    }  # fmt: skip
    return OpenSession(**{**fields, **changes})


def begin(bus: Bus, session: str, play: str = PLAY) -> None:
    """A program, a policy's stage in two of three environments, another program."""
    bus.call(OPEN, opening(session, play=play), timeout=COMPILING)
    bus.run_goal(RUN_PROGRAM, f"{session}/0", RunProgram(session=session, program=LOOK))
    bus.call(
        INTERFACE,
        TakeInterface(session=session, interface=WALK, environments=[0, 2]),
        timeout=PATIENCE,
    )
    for choice in (0, 3, 1, 0, 0, 0):
        choices = np.full(3, choice)
        bus.call(STEP, Step(session=session, choices=choices), timeout=PATIENCE)
    goal = RunProgram(session=session, program=FAULTY, environments=[1])
    bus.run_goal(RUN_PROGRAM, f"{session}/2", goal)


def played(bus: Bus, session: str, play: str = PLAY) -> Closed:
    begin(bus, session, play)
    return bus.call(CLOSE, CloseSession(session=session), timeout=PATIENCE)


def test_episodes_survive_kills_of_the_env_server_and_are_counted_once(
    server: Process, bus: Bus, run: Path
) -> None:
    begin(bus, f"{PLAY}/play-0")
    server.kill()
    assert played_episodes.rows(run) == []
    again = Process(SCRIPT, run)
    try:
        closed = played(bus, f"{PLAY}/play-1")
        rows = played_episodes.rows(run)  # while the env server has the file open
        assert [row.seed for row in rows] == [40, 41, 42]
        assert [row.steps for row in rows] == [e.steps for e in closed.episodes]
        assert [row.position for row in rows] == [e.after.position for e in closed.episodes]
        assert {row.ended for row in rows} == {"stopped"}
        assert rows[0].why == "the policy spent its steps"
        assert rows[1].why.startswith("faulty failed at line 3: ZeroDivisionError")
        # Begun once more, and stopped in the middle: what was whole is kept.
        begin(bus, f"{PLAY}/play-2")
        bus.call(OPEN, opening("other", play=""), timeout=PATIENCE)
        assert again.stop() == 0
        assert played_episodes.rows(run)[:3] == rows
        assert [row.ended for row in played_episodes.rows(run)[3:]] == ["cut_off"] * 3
    finally:
        if again.popen.poll() is None:
            again.kill()


def test_a_trainings_episodes_are_counted_by_their_seeds(
    server: Process, bus: Bus, run: Path
) -> None:
    task = "goal/0-dirt/iteration-1/dig/train"
    request = opening(task, interface=WALK, autoreset=True, play="")
    for _ in range(2):  # as after a restart: the same seeds again
        bus.call(OPEN, request, timeout=COMPILING)
        for _ in range(20):
            bus.call(STEP, Step(session=task, choices=np.zeros(3, np.int64)), timeout=PATIENCE)
        bus.call(CLOSE, CloseSession(session=task), timeout=PATIENCE)
    (counted,) = played_episodes.trained(run)
    assert (counted.play, counted.episodes, counted.steps) == (task, 6, 54)
    assert played_episodes.rows(run) == []


def test_turns_of_a_guards_training_are_kept_by_the_episodes_that_they_were_in(
    tmp_path: Path,
) -> None:
    """A turn takes two steps and one of the program follows it, up to the horizon of 100."""
    (tmp_path / "env_server").mkdir()
    kept = StoredEpisodes(tmp_path / "env_server" / FILE)

    def play(first: int, turns: int) -> None:
        request = OpenSession(
            session="a/train", task=msgspec.structs.replace(TASK, horizon=100), size=2,
            seeds=SeedRange(first=first, count=100 - first), interface=STAND, autoreset=True,
            guard=Guard(name="stand", when="def when(obs):\n    return True\n", max_steps=2),
            guarded=[Lead(program=ON)],
        )  # fmt: skip
        recorded = Recorded(Session(request, FakeWorld(2)), request, kept, pytest.fail)
        recorded.opened()
        for _ in range(2 * turns):
            recorded.step(np.zeros(2, np.int64))
        recorded.close()

    def counted() -> tuple[int, set[int]]:
        (found,) = played_episodes.trained(tmp_path)
        with closing(sqlite3.connect(tmp_path / "env_server" / FILE)) as table:
            seeds = {seed for (seed,) in table.execute("select seed from turns")}
        return found.episodes, seeds

    play(0, 40)
    assert counted() == (80, {0, 1, 2, 3})
    play(4, 10)  # as after a restart, with the seeds after those
    assert counted() == (100, {0, 1, 2, 3, 4, 5})
    play(4, 6)  # as after a kill, from an older checkpoint
    assert counted() == (92, {0, 1, 2, 3, 4, 5})
    kept.close()


def test_episode_list_prints_filters_and_refuses_unknown_purposes(
    server: Process, bus: Bus, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played(bus, f"{PLAY}/play-0")
    assert main(["episode", "list", str(run)]) == 0
    shown = capsys.readouterr().out
    assert "tryout 0 of look-around, iteration 1" in shown
    assert "faulty failed at line 3" in shown
    of = ["--of", "goal/0-dirt", "--ended", "stopped", "--json"]
    assert main(["episode", "list", str(run), *of]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["seed"] for row in told["episodes"]] == [40, 41, 42]
    assert main(["episode", "list", str(run), "--of", "goal/1"]) == 2
    assert "no episode was played for `goal/1`" in capsys.readouterr().err
    assert main(["report", str(run)]) == 0
    assert "0 of 3 reached the goal" in (run / "report.html").read_text()


def test_the_purpose_of_a_play_is_read_from_its_id() -> None:
    tryout = purpose("goal/0-log/iteration-2/find-a-tree/trial-1")
    assert (tryout.kind, tryout.subtask, tryout.iteration) == ("tryout", "0-log", 2)
    assert (tryout.sub_action, tryout.attempt) == ("find-a-tree", "1")
    evaluation = purpose("goal/0-log/iteration-2/evaluate/episodes")
    assert (evaluation.kind, evaluation.iteration) == ("evaluation", 2)
    assert purpose("goal/perform/episodes").kind == "performance"
    for whole in ("goal/0-log/iteration-2/find-a-tree/trial-1", "goal/perform/episodes"):
        assert purpose(f"{whole}/more-1") == purpose(whole)
    of_program = purpose("goal/0-log/iteration-2/dig/trial-program/more-2")
    assert in_words(of_program) == "tryout of the program for dig, iteration 2"
    again = purpose("goal/0-log/again-1/iteration-2/evaluate/episodes")
    assert again == evaluation
    compared = purpose("goal/0-log/iteration-2/guard-flee/without/more-1")
    assert (compared.kind, compared.subtask, compared.iteration) == ("comparison", "0-log", 2)
    assert in_words(compared) == "comparison without guard-flee, iteration 2"
    assert purpose("skill/dig/episodes").kind == "evaluation"
    assert purpose("mine").kind == "other"


@pytest.mark.parametrize("goal", ["again-1", "more-2", "perform", "validate-0", "mine/perform"])
def test_a_goal_may_be_called_as_a_part_of_an_id_is(goal: str) -> None:
    evaluation = purpose(f"{goal}/0-log/iteration-2/evaluate/episodes")
    assert (evaluation.kind, evaluation.goal) == ("evaluation", goal)
    tryout = purpose(f"{goal}/0-log/again-1/iteration-2/dig/trial-0/more-1")
    assert (tryout.kind, tryout.goal, tryout.subtask) == ("tryout", goal, "0-log")
    performance = purpose(f"{goal}/perform/episodes")
    assert (performance.kind, performance.goal) == ("performance", goal)
    assert purpose(goal).kind == "other"


def test_an_episode_is_played_again_as_it_went(
    server: Process, bus: Bus, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Alone in its session, of a batch of three in which one did something else than the others."""
    begin(bus, f"{PLAY}/play-0")
    closed = bus.call(CLOSE, CloseSession(session=f"{PLAY}/play-0"), timeout=PATIENCE)
    assert closed.episodes[1].steps != closed.episodes[2].steps
    for seed in (41, 42):
        film = run / f"{seed}.mp4"
        assert main(["episode", "play", str(run), str(seed), "--out", str(film)]) == 0
        assert "as recorded: stopped" in capsys.readouterr().out
        with av.open(str(film)) as video:
            frames = sum(1 for _ in video.decode(video=0))
        assert frames == math.ceil(closed.episodes[seed - 40].steps / EVERY)
    # What does not go as it is written is said.
    with closing(sqlite3.connect(run / "env_server" / "episodes.sqlite")) as table, table:
        whole = closed.episodes[2]
        change = "update episodes set steps=?, ended='horizon' where seed=42"
        table.execute(change, [whole.steps + 1])
    assert main(["episode", "play", str(run), "42"]) == 1
    said = capsys.readouterr().out
    assert "it differs from the recording (ending, steps): stopped after" in said
    (film,) = (run / "films").iterdir()
    assert film.name == f"{PLAY.replace('/', '+')}-42.mp4"
    assert main(["episode", "play", str(run), "7"]) == 2
    assert "there are: 40, 41, 42" in capsys.readouterr().err


def test_an_episode_of_a_policy_that_the_session_played_is_played_again(
    server: Process, bus: Bus, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = f"{PLAY}/play-0"
    opened = bus.call(OPEN, opening(session, interface=WALK), timeout=COMPILING)
    width, choices = opened.features.shape[1], len(opened.choices)
    even = layer_of(np.zeros((choices, width)), np.zeros(choices))
    actor = Actor(fields=opened.fields, choices=opened.choices, layers=[even])
    played = bus.call(PLAY_ON, PlayOn(session=session, actor=actor, seed=5), timeout=PATIENCE)
    while not played.over.all():
        played = bus.call(PLAY_ON, PlayOn(session=session), timeout=PATIENCE)
    closed = bus.call(CLOSE, CloseSession(session=session), timeout=PATIENCE)
    assert len({episode.after.position for episode in closed.episodes}) == 3
    for seed in (41, 42):
        assert main(["episode", "play", str(run), str(seed)]) == 0
        assert "as recorded: stopped" in capsys.readouterr().out


def test_an_episode_in_which_nothing_was_done_has_no_film(
    server: Process, bus: Bus, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "def action(obs):\n    if obs.life > 100:\n        forward()\n"
    bus.call(OPEN, opening(PLAY, interface=None, record=True), timeout=COMPILING)
    nothing = RunProgram(session=PLAY, program=Program(name="nothing", source=source))
    bus.run_goal(RUN_PROGRAM, PLAY, nothing)
    assert bus.call(CLOSE, CloseSession(session=PLAY), timeout=PATIENCE).video is None
    assert main(["episode", "play", str(run), "41"]) == 0
    said = capsys.readouterr().out
    assert "there is no film: the player did nothing in this episode" in said
    assert "as recorded: stopped: nothing came to its end, after 0 steps" in said
    assert not list(run.rglob("*.mp4"))


def test_an_episode_whose_game_is_gone_is_refused_without_a_log_that_is_removed(
    server: Process, bus: Bus, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played(bus, f"{PLAY}/play-0")
    config = yaml.safe_load((run / "config.yaml").read_text())
    config["task"] = msgspec.to_builtins(msgspec.structs.replace(TASK, game="quarry"))
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    assert main(["episode", "play", str(run), "41"]) == 1
    said = capsys.readouterr().err
    assert said.endswith("(there is no game 'quarry'; there are minecraft, crafter)\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_playing_again_that_is_ended_leaves_nothing(
    server: Process, bus: Bus, run: Path, tmp_path: Path, number: signal.Signals
) -> None:
    played(bus, f"{PLAY}/play-0")
    words = command("episode", "play", str(run), "41")
    with subprocess.Popen(words, env={**environment(), "TMPDIR": str(tmp_path)}) as playing:
        eventually(lambda: list(tmp_path.glob("rlgpt-again-*/env_server/output.log")))
        playing.send_signal(number)
        assert playing.wait(PATIENCE) == INTERRUPTED
    assert list(tmp_path.iterdir()) == []


def test_episodes_that_cannot_be_kept_are_told_with_the_file_and_what_to_do(
    tmp_path: Path,
) -> None:
    path = tmp_path / FILE
    request = OpenSession(session="a/run", task=TASK, size=1, seeds=SeedRange(first=0, count=1))
    said: list[str] = []
    recorded = Recorded(Session(request, FakeWorld(1)), request, StoredEpisodes(path), said.append)
    holding = sqlite3.connect(path, isolation_level=None)
    holding.execute("begin exclusive")
    recorded.close(whole=True)
    holding.close()
    assert said == [
        f"episodes of a/run cannot be kept: {path} cannot be used: database is locked; "
        "try again, or end the process that holds it"
    ]


def test_a_play_that_was_abandoned_is_cut_off_and_played_again(
    server: Process, bus: Bus, run: Path
) -> None:
    """As of an agent whose goal is cancelled in the middle of it."""
    session = f"{PLAY}/play-0"
    bus.call(OPEN, opening(session, interface=WALK), timeout=COMPILING)
    bus.call(STEP, Step(session=session, choices=np.full(3, 0)), timeout=PATIENCE)
    bus.call(CLOSE, CloseSession(session=session, whole=False), timeout=PATIENCE)
    assert [row.ended for row in played_episodes.rows(run)] == ["cut_off"] * 3
    played(bus, f"{PLAY}/play-1")
    assert [row.ended for row in played_episodes.rows(run)] == ["stopped"] * 3


def test_a_program_that_was_refused_is_no_part_of_what_is_played_again(
    server: Process, bus: Bus, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = f"{PLAY}/play-0"
    begin(bus, session)
    unplayable = msgspec.structs.replace(LOOK, source="look at it")
    goal = RunProgram(session=session, program=unplayable)
    with pytest.raises(BusError, match="syntax"):
        bus.run_goal(RUN_PROGRAM, f"{session}/3", goal)
    bus.call(CLOSE, CloseSession(session=session), timeout=PATIENCE)
    assert main(["episode", "play", str(run), "41", "--out", str(run / "again.mp4")]) == 0
    assert "as recorded: stopped" in capsys.readouterr().out
