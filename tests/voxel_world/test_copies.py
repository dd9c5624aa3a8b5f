"""Copies of worlds and environments go on like the original and apart from it."""

import copy
import hashlib
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numba
import numpy as np
import pytest

import voxeldojo  # noqa: F401 - registers the environments
from tests.voxel_world.arena import embedded, whole_state
from voxeldojo.actions import PRIMITIVES
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.engine.rulebook import rules
from voxeldojo.minedojo_api import make

SMALL: dict[str, Any] = {"area": 32, "image_size": (16, 24)}
WALK = [PRIMITIVES[name] for name in ("jump_up", "turn_right", "sprint_attack", "attack")]
STEPS = 20


def made() -> Any:
    env = make("harvest_1_log", world_seed=3, **SMALL)
    env.reset()
    return env


def gymnasiums() -> Any:
    env = gymnasium.make("voxeldojo/HarvestLog-v0", **SMALL)
    env.reset(seed=3)
    return env


def bare() -> Any:
    world = embedded(2, inventory={"log": 3})
    world.reset(np.arange(2), np.arange(2) + 3)
    read(world)
    return world


WHOLE = [made, gymnasiums, bare]


def world_of(played: Any) -> EmbeddedWorld:
    if isinstance(played, EmbeddedWorld):
        return played
    inner = played.unwrapped
    return inner.play.world if hasattr(inner, "play") else inner.game.world


def read(world: EmbeddedWorld) -> str:
    """A digest of what the readers of a world return, whose arrays it holds."""
    digest = hashlib.sha256()
    for parts in (world.observe(), world.status(), {"rgb": world.rgb(0, 16, 24)}):
        for name in sorted(parts):
            digest.update(np.ascontiguousarray(parts[name]).tobytes())
    return digest.hexdigest()


def go_on(played: Any, steps: int = STEPS) -> str:
    """Take the walk's next steps. A digest of all that is there then."""
    world = world_of(played)
    for step in range(steps):
        action = np.array(WALK[step % len(WALK)])
        if played is world:
            world.step(np.tile(action, (world.size, 1)), np.ones(world.size, np.bool_))
        else:
            played.step(action)
        read(world)
    digest = hashlib.sha256(read(world).encode())
    for part in world.state:
        # Field by field, as a copy may differ in the unused bytes between them.
        for column in [part[name] for name in part.dtype.names or ()] or [part]:
            digest.update(np.ascontiguousarray(column).tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize("begin", WHOLE)
def test_a_deep_copy_goes_on_like_the_original_and_apart_from_it(begin: Callable[[], Any]) -> None:
    original = begin()
    go_on(original, 6)
    before, seen = whole_state(world_of(original)), read(world_of(original))
    twin = copy.deepcopy(original)
    there = go_on(twin)
    assert whole_state(world_of(original)) == before
    assert read(world_of(original)) == seen
    assert go_on(original) == there
    last = copy.deepcopy(original)
    original.close()
    del original
    assert go_on(last) == go_on(twin)
    twin.close()
    last.close()


@pytest.mark.parametrize("begin", WHOLE)
def test_a_pickled_one_goes_on_in_another_process(begin: Callable[[], Any], tmp_path: Path) -> None:
    original = begin()
    go_on(original, 6)
    (tmp_path / "pickled").write_bytes(pickle.dumps(original))
    program = """
import pickle, sys
from tests.voxel_world.test_copies import go_on
with open(sys.argv[1], "rb") as file:
    print(go_on(pickle.load(file)))
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, tmp_path / "pickled"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (f"{go_on(original)}\n", "")
    original.close()


def test_one_that_was_pickled_before_its_first_reset_can_be_reset(tmp_path: Path) -> None:
    env = make("harvest_1_log", world_seed=3, **SMALL)
    (tmp_path / "pickled").write_bytes(pickle.dumps(env))
    program = """
import pickle, sys
from tests.voxel_world.test_copies import go_on
with open(sys.argv[1], "rb") as file:
    env = pickle.load(file)
env.reset()
print(go_on(env))
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, tmp_path / "pickled"],
        capture_output=True,
        text=True,
        check=False,
    )
    env.reset()
    assert (done.stdout, done.stderr) == (f"{go_on(env)}\n", "")
    env.close()


def test_pickled_arrays_that_may_only_be_read_are_copied() -> None:
    """As of a store that several processes share. Kernels would write to it, or end in a fault."""
    world = bare()
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(world, protocol=5, buffer_callback=buffers.append)
    shared = [bytes(buffer.raw()) for buffer in buffers]
    kept = [bytes(bytearray(each)) for each in shared]
    twin = pickle.loads(pickled, buffers=shared)
    assert go_on(twin) == go_on(world)
    assert shared == kept
    world.close()
    twin.close()


def test_copies_take_the_compiled_kernels() -> None:
    world = bare()
    twin = pickle.loads(pickle.dumps(world))
    assert numba.typeof(twin.state) == numba.typeof(world.state)
    assert twin.rules is world.rules is rules()
    world.close()
    twin.close()


def test_a_copy_has_none_of_the_threads() -> None:
    world = bare()
    world.share_among(2)
    world.look_ahead(1)
    twin = copy.deepcopy(world)
    assert (twin._maker, twin._crew.threads) == (None, 1)
    assert go_on(twin) == go_on(world)
    for each in (world, twin):
        each.reset(np.arange(2), np.arange(2) + 7)
    assert go_on(twin) == go_on(world)
    twin.share_among(2)
    world.close()
    twin.close()


def test_a_copy_of_a_closed_world_is_closed() -> None:
    world = bare()
    world.close()
    with pytest.raises(ValueError, match="the environment is closed"):
        copy.deepcopy(world).age()
