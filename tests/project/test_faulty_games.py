"""Faults of a game that show when it is played: its name, its file and its line are reported."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.launch_toys.launched import CHECKOUT, PATIENCE, environment
from tests.project.changed_game import broken_copy, write_game

PLAYED = """
from pathlib import Path

import numpy as np

from messages.world import Condition, Interface, OpenSession, SeedRange, Task
from nodes.env_server.hosting import WorldSetup
from nodes.env_server.jail.jailed import JailedHost
from nodes.env_server.quarantine import Quarantine

stone = Condition(kind="have", name="stone")
task = Task(id="a", prompt="", game="quarry", success=stone, horizon=50)
seen = Interface(observations=["held"], actions=["walk", "dig"], success=stone, horizon=50)
seeds = SeedRange(first=1, count=3)
opening = OpenSession(session="a", task=task, size=3, seeds=seeds, interface=seen)
setup = WorldSetup(kind="quarry", options={}, task=task)
host = JailedHost(setup, Quarantine(Path("quarantine.json")), 256)
try:
    host.open(opening, None, lambda steps: None).step(np.zeros(3, np.int64))
    print("played")
except Exception as error:
    print(f"{type(error).__name__}: {error}")
finally:
    host.close()
"""
DIG = 'elif verb == "dig" and'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("import numpy", "import numpy", "^played$"),
        (
            "out[:] = readings.world.counts / 10",
            "out[:] = readings.world.count / 10",
            "^WorldError: the game 'quarry' cannot be warmed up: AttributeError: .*'count'.*"
            r"quarry/play.py, line 62\)$",
        ),
        (
            "out[:] = readings.world.counts / 10",
            "out[:] = np.nan",
            "^WorldError: the game 'quarry' cannot be warmed up: the feature 'held' is not finite",
        ),
        (
            "verb, _, item = ACTIONS[",
            "verb, _, item = {2: ACTIONS}[self.size][",
            r"^RuntimeError: the game failed by KeyError: 3 \(.*quarry/play.py, line 22\)$",
        ),
        (
            "self.counts[environments], self.far",
            "{1: 0, 2: 0}[self.size]; self.counts[environments], self.far",
            r"^RuntimeError: the game failed by KeyError: 3 \(.*quarry/play.py, line 18\)$",
        ),
    ],
)
def test_a_fault_of_a_game_is_reported_with_its_line_and_asked_for_once(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    write_game(tmp_path / "page")
    broken = broken_copy(tmp_path / "page", tmp_path, "play.py", old, new)
    done = subprocess.run(
        [sys.executable, "-c", PLAYED],
        cwd=broken,
        env={**environment(), "PYTHONPATH": f"{CHECKOUT}:{broken}"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert re.search(said, done.stdout.strip()), (done.stdout, done.stderr)
    assert done.stderr.count("Traceback") <= 2  # of one fault, and of the exception behind it
