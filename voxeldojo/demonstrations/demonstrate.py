"""Plays tasks by their scripts and records the outcome."""

import fcntl
import logging
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import msgspec
import yaml

from voxeldojo.demonstrations.player import GaveUp, Player, Succeeded
from voxeldojo.demonstrations.scripts import play
from voxeldojo.game import NotInThisWorld
from voxeldojo.minedojo_api import make
from voxeldojo.replacing import replace_file
from voxeldojo.tasks import task_spec, templates

LOG = logging.getLogger("demonstrations")
LIMIT = 400_000  # steps
SURVIVAL_LIMIT = 2_500_000  # a hundred days are 2,400,000 ticks
SEED = 1
RESULTS = Path(__file__).parent / "demonstrations.json"


class Demonstration(msgspec.Struct, frozen=True):
    """The outcome of one task. ``reason``: why it did not succeed, "" if it did."""

    task: str
    seed: int
    success: bool
    steps: int
    deaths: int
    seconds: float
    reason: str = ""


def demonstrate(task: str, seed: int = SEED, limit: int = 0) -> Demonstration:
    """Play one task from its start, through actions alone, until the environment reports success.

    Raises:
        UnknownTask: there is no such task.
    """
    spec = task_spec(task)
    begun = time.perf_counter()
    limit = limit or (SURVIVAL_LIMIT if spec.kind == "survival" else LIMIT)
    reason, success = "", False
    try:
        env = make(task, image_size=(1, 1), cam_interval=1, world_seed=seed, seed=seed)
    except NotInThisWorld as refused:
        return Demonstration(task, seed, False, 0, 0, 0.0, str(refused))
    env.reset()
    player = Player(env, limit)
    try:
        play(player, spec)
    except Succeeded:
        success = True
    except GaveUp as given_up:
        reason = str(given_up)
    except Exception as fault:
        # A fault of one script must not end the run over all tasks.
        LOG.debug("%s, seed %d", task, seed, exc_info=True)
        reason = f"a fault of the script: {type(fault).__name__}: {fault}"
    finally:
        env.close()
    seconds = round(time.perf_counter() - begun, 2)
    return Demonstration(task, seed, success, player.steps, player.deaths, seconds, reason)


def keep(played: Demonstration) -> None:
    """Write a result to the file, in place of an earlier one of this task and seed. The seconds are
    left out, as they depend on the machine.

    Raises:
        OSError: it cannot be written; the old one is unchanged.
    """
    with _alone(RESULTS.parent):
        kept = msgspec.json.decode(RESULTS.read_bytes(), type=list[Demonstration])
        found = {(entry.task, entry.seed): entry for entry in kept}
        found[played.task, played.seed] = msgspec.structs.replace(played, seconds=0.0)
        encoded = msgspec.json.encode([*found.values()])
        replace_file(RESULTS, msgspec.json.format(encoded, indent=1) + b"\n")


@contextmanager
def _alone(folder: Path) -> Generator[None]:
    """No other process is in here with this folder. The lock ends with the process."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def table() -> str:
    """The kept results, a row of Markdown for each template."""
    kept = msgspec.json.decode(RESULTS.read_bytes(), type=list[Demonstration])
    # The later entry wins: a success, and then the lowest seed.
    kept.sort(key=lambda entry: (entry.success, -entry.seed))
    found = {entry.task: entry for entry in kept}
    rows = ["| template | the task that was played | seed | steps |", "|---|---|---|---|"]
    for template in templates():
        task = easiest(template)
        played = found.get(task)
        seed, steps = "", "not run"
        if played is not None:
            seed = str(played.seed)
            steps = f"{played.steps:,}" if played.success else f"not done: {played.reason}"
        rows.append(f"| `{template}` | `{task}` | {seed} | {steps} |")
    return "\n".join(rows)


def easiest(template: str) -> str:
    known = _easiest()
    return known.get(template) or templates()[template][0]


@cache
def _easiest() -> dict[str, str]:
    return yaml.safe_load((Path(__file__).parent / "easiest.yaml").read_text())
