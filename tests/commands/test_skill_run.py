"""``rlgpt skill run``: a skill of the library played in the real world by the real nodes, and what
is said when that cannot be done."""

import os
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from messages.bus import Bus, BusError
from messages.plan import Stage, SubAction
from messages.program import Program
from messages.training import TrainingSpec
from messages.world import Condition, Interface, SeedRange, Task
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.common.skills.skill_library import Library
from nodes.common.skills.skills import Counts, Learned, Provenance
from nodes.learner.checkpoints import checkpoint
from nodes.learner.checkpoints.state import Spaces, TrainingState
from nodes.llm.rulebook.rules import Book
from rlgpt.refused import Refused
from rlgpt.single_runs.small_stack import SmallStack
from tests.launch_toys.launched import command, environment, eventually, refused

PATIENCE = 300.0  # seconds; a machine that is new to the world compiles it
LOG = Condition(kind="have", name="log")
TASK = Task(id="log", prompt="Harvest one log.", success=LOG, horizon=400)
FIND = Stage(
    sub_action=SubAction(
        name="find a tree", method="code", success=Condition(kind="facing", name="wood")
    ),
    program=Program(name="find", source=Book().program("walk_up_to.py", LOG), max_steps=400),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A policy that has learned nothing. Where a tree was found it digs and walks by chance, and
    three choices leave it little else to do than to get a log."""
    place = tmp_path_factory.mktemp("library")
    spec = TrainingSpec(
        name="dig",
        task=TASK,
        interface=Interface(
            observations=["facing", "inventory"],
            actions=["forward", "jump"],
            macros=[Program(name="cut", source=Book().program("dig.py", LOG), max_steps=100)],
            success=LOG,
            horizon=300,
            targets=["wood"],
        ),
        seeds=SeedRange(first=0, count=9),
        budget=1000,
    )
    spaces = Spaces(fields=[("facing", 3), ("inventory", 6)], choices=["forward", "jump", "cut"])
    state = TrainingState(spaces, Hyperparameters(hidden=16), seed=0)
    checkpoint.save(place / "weights", state.checkpoint())
    kept = Library(place / "skills")
    learned = Learned(
        purpose="dig a log",
        method="rl",
        condition=LOG,
        start={},
        before=[FIND],
        task=TASK,
        provenance=Provenance(run="/runs/a", goal="demo/dig", world="embedded"),
        spec=spec,
    )
    counts = Counts(successes=9, episodes=10, samples=100)
    assert kept.add("a", "dig", learned, place / "weights" / checkpoint.NAME, counts) == "dig"
    kept.close()
    return str(place / "skills")


def playing(library: str, place: Path) -> "subprocess.Popen[str]":
    words = ["skill", "run", "dig", "--episodes", "4", "--seed", "3", "--library", library]
    return subprocess.Popen(
        command(*words),
        cwd=place,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_skill_run_plays_a_policy_after_its_prefix_without_training(library: str, tmp_path: Path):
    with playing(library, tmp_path) as process:
        said, wrong = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, wrong
    first, last = said.splitlines()
    assert first.startswith("playing dig in 4 episodes; run folder runs/skill-dig-")
    words = last.replace(":", "").split()
    assert words[0] == "dig"
    assert words[2:5] == ["of", "4", "episodes"]
    assert int(words[1]) >= 1
    run = tmp_path / first.split()[-1]
    assert not (run / "learner" / "dig").exists()  # nothing was trained
    steps = int(words[6].replace(",", ""))
    assert int((run / "env_server" / "steps").read_text()) == steps


def test_skill_run_whose_node_is_killed_ends_with_one_sentence(library: str, tmp_path: Path):
    with playing(library, tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        run = tmp_path / process.stdout.readline().split()[-1]
        lock = run / "fast_agent" / "lock"
        eventually(lambda: lock.exists() and lock.read_text().strip())
        os.kill(int(lock.read_text()), signal.SIGKILL)
        assert process.wait(PATIENCE) == 1
        wrong = process.stderr.read()
    assert wrong.startswith("rlgpt: ")
    assert "fast_agent ended" in wrong
    assert "output.log" in wrong
    assert wrong.count("\n") == 1


def test_the_last_line_of_a_failed_node_is_reported(run_folder: Path):
    (run_folder / "env_server").mkdir()
    log = run_folder / "env_server" / "output.log"
    log.write_text("one\nenv_server: there is no world 'flat'\n")
    with (
        subprocess.Popen(["true"]) as ended,
        subprocess.Popen(["sleep", "60"]) as runs,
        closing(Bus(run_folder)) as bus,
    ):
        ended.wait()
        alone = SmallStack(run_folder, bus, {"learner": runs})
        assert alone.ended() is None
        assert alone.why(BusError("no answer")) == "no answer"
        both = SmallStack(run_folder, bus, {"learner": runs, "env_server": ended})
        said = f"env_server ended (there is no world 'flat'); see {log}"
        assert both.why(BusError("no answer")) == said
        with pytest.raises(Refused, match="there is no world 'flat'"):
            both.wait_ready()
        runs.kill()


def test_impossible_options_are_refused_before_anything_starts(library: str, tmp_path: Path):
    def said(*arguments: str) -> str:
        sentence = refused("skill", "run", *arguments, "--library", library, cwd=tmp_path)
        assert sentence.count("\n") == 1
        return sentence

    assert "did you mean `dig`?" in said("dog")
    for episodes in ("0", "-2", "1025", "9" * 20):
        assert f"--episodes {episodes}: 1 to 1,024" in said("dig", "--episodes", episodes)
    assert "--seed -1: a seed is 0 to" in said("dig", "--seed", "-1")
    assert "--seed 99999999999999999999: a seed is" in said("dig", "--seed", "9" * 20)
    assert not (tmp_path / "runs").exists()
