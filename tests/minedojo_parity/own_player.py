"""Chooses actions while playing our own make(), and writes down what it shows."""

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from models.rules import craft_index
from nodes.env_server.minedojo_api import Environment, make

DROP, ATTACK, CRAFT, EQUIP, PLACE, DESTROY = 2, 3, 4, 5, 6, 7
MASK_OF = {EQUIP: "equip", PLACE: "place", DESTROY: "destroy"}


class Job(msgspec.Struct, kw_only=True):
    name: str
    task_id: str
    kwargs: dict[str, Any] = {}
    inventory: list[tuple[int | str, str, int, int]] = []  # slot, item, variant, quantity
    episodes: list[list[list[int]]] = []
    prompt: bool = False


Rows = dict[str, NDArray[Any]]


def play(job: Job, steps: list[int], seed: int) -> Rows:
    """Plays episodes of so many steps and puts the actions into the job."""
    given = {**job.kwargs, **({"initial_inventory": job.inventory} if job.inventory else {})}
    env = make(job.task_id, **given)
    chance = np.random.default_rng(seed)
    rows: dict[str, list[NDArray[Any]]] = {}

    def note(seen: dict[str, Any], reward: float, done: bool, success: bool) -> None:
        row = dict(flatten(seen))
        row["reward"], row["done"] = np.array(float(reward)), np.array(bool(done))
        row["success"] = np.array(bool(success))
        for key, value in row.items():
            rows.setdefault(key, []).append(value)

    for count in steps:
        seen = env.reset()
        note(seen, 0.0, False, False)
        actions: list[list[int]] = []
        habit = env.no_op()
        for _ in range(count):
            if chance.random() < 0.15:
                habit = _habit(env, chance)
            action = _action(env, habit, seen, chance)
            actions.append(action)
            seen, reward, done, _ = env.step(action)
            note(seen, reward, done, env.is_successful)
        job.episodes.append(actions)
    found = {key: np.array(values) for key, values in rows.items()}
    found["prompt"] = np.array(env.task_prompt if job.prompt else "")
    env.close()
    return found


def flatten(seen: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, NDArray[Any]]]:
    for key, value in seen.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{key}/")
        elif key == "rgb":
            yield "rgb_shape", np.array(value.shape)
            digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
            yield "rgb", np.array(digest)
        else:
            yield prefix + key, np.asarray(value)


def _habit(env: Environment, chance: np.random.Generator) -> NDArray[np.int64]:
    """What is done for a while: walk, look about, dig."""
    habit = env.no_op()
    kind = chance.integers(4)
    if kind == 0:  # walk, jumping or sprinting
        habit[0], habit[2] = 1, chance.choice([1, 3])
    elif kind == 1:  # dig where the crosshair is
        habit[5] = ATTACK
    elif kind == 2:  # dig one's way forward
        habit[0], habit[5] = 1, ATTACK
    else:  # sideways, back, sneaking
        habit[0], habit[1], habit[2] = chance.integers(3), chance.integers(3), chance.integers(3)
    return habit


def _action(
    env: Environment, habit: NDArray[np.int64], seen: dict[str, Any], chance: np.random.Generator
) -> list[int]:
    action = habit.copy()
    if chance.random() < 0.25:
        action[3] += chance.integers(-2, 3)
        action[4] += chance.integers(-3, 4)
    if chance.random() < 0.3:
        masks = seen["masks"]
        function = int(chance.choice(np.flatnonzero(masks["action_type"])))
        action[5] = function
        if function in MASK_OF:
            action[7] = chance.choice(np.flatnonzero(masks[MASK_OF[function]]))
        if function == CRAFT:
            action[6] = chance.choice(np.flatnonzero(masks["craft_smelt"]))
        elif chance.random() < 0.1:  # what cannot be made, too
            action[5], action[6] = CRAFT, chance.choice([craft_index("stick"), 0, 100, 243])
    return action.tolist()
