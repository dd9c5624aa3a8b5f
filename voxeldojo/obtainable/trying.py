"""Makes tasks through our own make(), resets them and takes a step."""

from collections.abc import Iterable

import msgspec
import numpy as np

from voxeldojo.engine.state import MOBS as ROOM
from voxeldojo.minedojo_api import Environment, make
from voxeldojo.rules.mobs import MOB_IDS
from voxeldojo.tasks import task_spec, templates

CREATIVE_SAMPLE = 40  # a sample has one creative task in 40


class Tried(msgspec.Struct, frozen=True):
    """How far a task got: made; reset and stepped once with all that it asks for. ``reason``: what
    was wrong, "" if nothing was."""

    made: bool
    reset: bool
    reason: str = ""


def sample(ids: list[str]) -> list[str]:
    """The first id of each template, and a few of the creative ones."""
    firsts = {names[0] for names in templates().values()}
    return [
        name
        for name in ids
        if name in firsts
        or (name.startswith("creative:") and int(name.split(":")[1]) % CREATIVE_SAMPLE == 0)
    ]


def try_all(ids: Iterable[str]) -> dict[str, Tried]:
    return {name: try_one(name) for name in ids}


def try_one(name: str) -> Tried:
    """Try one task, with small pictures and a small window: no check depends on them."""
    try:
        env = make(name, image_size=(8, 8), area=32, world_seed="1", seed=1)
    except Exception as error:
        return Tried(False, False, f"make: {type(error).__name__}: {error}")
    try:
        wrong = _play(name, env)
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
    finally:
        env.close()
    return Tried(True, not wrong, wrong)


def _play(name: str, env: Environment) -> str:
    """What differs from the task's definition, "" if nothing does."""
    spec, settings = task_spec(name), env.settings
    if env.task_prompt != spec.prompt:
        return f"the prompt is {env.task_prompt!r}"
    seen = env.reset()
    state = env.unwrapped.game.world.state
    for item in settings.inventory:
        slot = state.slots[0, item.slot]
        if slot["item"] == 0 or slot["count"] != item.quantity:
            return f"slot {item.slot} does not hold {item.quantity} {item.name}"
    wanted = settings.initial_mobs.mobs if settings.initial_mobs is not None else []
    if wanted and len(wanted) < ROOM:
        kinds = state.mobs[0]["kind"].tolist()
        for mob in set(wanted):
            # A mob that died in the first tick would be missing here; none does.
            if kinds.count(MOB_IDS[mob]) < 1:
                return f"there is no {mob}"
    if settings.biome is not None and settings.world == "specified_biome":
        found = int(seen["location_stats"]["biome_id"])
        if found != settings.biome:
            return f"the biome is {found}, not {settings.biome}"
    if settings.time is not None and env.unwrapped.game.time < settings.time:
        return f"the time is {env.unwrapped.game.time}, not {settings.time}"
    _, reward, done, info = env.step(env.no_op())
    if not np.isfinite(reward) or done or "stat" not in info:
        return f"the first step pays {reward} and is {'done' if done else 'not done'}"
    return ""
