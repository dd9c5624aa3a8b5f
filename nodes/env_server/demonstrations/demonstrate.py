"""Plays tasks by their scripts and tells how it went."""

import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import yaml

from models.tasks import task_spec, templates
from nodes.env_server.demonstrations.player import GaveUp, Player, Succeeded
from nodes.env_server.demonstrations.scripts import play
from nodes.env_server.game import NotInThisWorld
from nodes.env_server.minedojo_api import make

LIMIT = 60_000  # steps
SURVIVAL_LIMIT = 2_500_000  # a hundred days are 2,400,000 ticks
SEED = 1
RESULTS = Path(__file__).parent / "demonstrations.json"


class Demonstration(msgspec.Struct, frozen=True):
    """How one task went. ``reason``: why it did not succeed, "" if it did."""

    task: str
    seed: int
    success: bool
    steps: int
    deaths: int
    seconds: float
    reason: str = ""


def demonstrate(task: str, seed: int = SEED, limit: int = 0) -> Demonstration:
    """Plays one task from its start, through actions alone, until the environment says that it
    has succeeded.

    Raises:
        UnknownTask: there is no such task.
    """
    spec = task_spec(task)
    begun = time.perf_counter()
    limit = limit or (SURVIVAL_LIMIT if spec.kind == "survival" else LIMIT)
    reason, success = "", False
    try:
        env = make(task, image_size=(1, 1), cam_interval=1, world_seed=seed)
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
    finally:
        env.close()
    seconds = round(time.perf_counter() - begun, 2)
    return Demonstration(task, seed, success, player.steps, player.deaths, seconds, reason)


def demonstrate_templates(names: list[str], seed: int = SEED) -> Iterator[Demonstration]:
    """One task of each template: the one that is the easiest (easiest.yaml), else its first."""
    for name in names:
        yield demonstrate(easiest(name), seed)


def easiest(template: str) -> str:
    known = _easiest()
    return known.get(template) or templates()[template][0]


@cache
def _easiest() -> dict[str, str]:

    return yaml.safe_load((Path(__file__).parent / "easiest.yaml").read_text())
