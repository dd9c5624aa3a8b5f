"""Chooses actions while playing our own make(), and writes down what it shows."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tests.voxel_world.minedojo_parity.policy import Player
from voxeldojo.minedojo_api import make


class Job(msgspec.Struct, kw_only=True):
    name: str
    task_id: str
    kwargs: dict[str, Any] = {}
    inventory: list[tuple[int | str, str, int, int]] = []  # slot, item, variant, quantity
    # Before the step of that number, in each episode: a runtime command and its arguments.
    calls: list[tuple[int, str, list[Any]]] = []
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
        row["info"] = np.array(digest_of(env.prev_info))
        for key, value in row.items():
            rows.setdefault(key, []).append(value)

    def call(name: str, arguments: list[Any]) -> None:
        seen, reward, done, _ = getattr(env, name)(*arguments)
        for key, value in flatten(seen):
            # MineDojo's commands go past its wrappers, which make these two.
            if not key.startswith(("masks/", "delta_inv/")):
                rows.setdefault(f"{name}/{key}", []).append(value)
        rows.setdefault(f"{name}/reward", []).append(np.array(float(reward)))
        rows.setdefault(f"{name}/done", []).append(np.array(bool(done)))

    for count in steps:
        seen = env.reset()
        note(seen, 0.0, False, False)
        actions: list[list[int]] = []
        player = Player(env, chance, job.task_id)
        for number in range(count):
            due = [(name, arguments) for at, name, arguments in job.calls if at == number]
            for name, arguments in due:
                call(name, arguments)
            # After a command MineDojo's wrappers still know the inventory as it was.
            action = env.no_op().tolist() if due else player.choose(seen)
            actions.append(action)
            seen, reward, done, _ = env.step(action)
            note(seen, reward, done, env.is_successful)
        job.episodes.append(actions)
    found = {key: np.array(values) for key, values in rows.items()}
    found["prompt"] = np.array(env.task_prompt if job.prompt else "")
    env.close()
    return found


def digest_of(info: dict[str, Any]) -> str:
    """Of everything in it but voxels and rays, which ours has not."""
    told = {key: value for key, value in info.items() if key not in ("voxels", "rays")}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


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
