"""Other packages at the Malmo endpoint: PKU's MCEnv, and MineDojo's simulator with plain keys.

Both run in MineDojo's own environment (`make minedojo`). MCEnv is no part of any registry: its
checkout (github.com/PKU-RL/MCEnv) is where the environment variable RLGPT_MCENV says.
"""

import json
import math
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.voxel_world.malmo_client import DEADLINE, serving

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-minedojo" / "bin" / "python"
SCRIPTS = ROOT / "tests" / "voxel_world" / "minedojo_parity"
MCENV = os.environ.get("RLGPT_MCENV", "")

pytestmark = pytest.mark.skipif(
    not (ROOT / ".venv-minedojo" / ".installed").exists(),
    reason="the real package is not installed: run `make minedojo`",
)


def play(script: str, *arguments: object, path: str = "") -> list[dict[str, Any]]:
    """The lines of JSON that a script of the real package prints."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if path:
        environment["PYTHONPATH"] = path
    done = subprocess.run(
        [str(PYTHON), str(SCRIPTS / script), *(str(argument) for argument in arguments)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=2 * DEADLINE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def test_hotbar_swap_and_drop_keys_of_a_malmo_client_change_its_slots() -> None:
    with serving("--area", "64") as server:
        told = play("keys_player.py", server.port)
        assert "left out of an action" not in server.log()
    first = ["dirt", "air", "iron sword", "log", "air"]
    swapped = ["stone", *first[1:]]
    dropped = ["stone", "air", "iron sword", "air", "air"]
    slots = [first, first, first, swapped, dropped, dropped]
    assert [step["slots"] for step in told] == slots
    assert [step["bag"] for step in told] == ["stone"] * 3 + ["dirt"] * 3
    assert [step["hand"] for step in told] == [0, 2, 3, 3, 3, 0]


@pytest.mark.skipif(not MCENV, reason="RLGPT_MCENV names no checkout of github.com/PKU-RL/MCEnv")
def test_mcenv_resets_with_execute() -> None:
    with serving("--area", "64") as server:
        [told] = play("mcenv_player.py", server.port, 4, path=MCENV)
        log = server.log()
    assert Path(told["package"]).is_relative_to(Path(MCENV).resolve())
    assert "is none of" not in log
    # Where the top of the column is no tree, the game says that the block was not detected.
    assert "failed to detect as MineDojoAgent0" in log
    first, *places = told["places"]
    for place in places:
        assert math.dist(place, first) > 1.0
