"""Compiles every kernel in advance: those that are compiled apart in parallel, one on each core."""

import gc
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from voxeldojo.actions import PRIMITIVES
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.engine.compiling.compiled_apart import NAMES, compile_apart
from voxeldojo.engine.hands.hotbar import select_slot, swap_slots
from voxeldojo.engine.scene.staging import put_player
from voxeldojo.engine.structures.places import nearest
from voxeldojo.engine.threads.packed_worlds import PackedWorlds

SEEING, ACTING = "seeing", "acting"
# The largest first. The others call kernels that these have compiled by then.
FIRST = ("terrain.generate.generate_area", SEEING, "mobs.living.live", "motion.due.run_updates")


def precompile() -> None:
    pieces = [*FIRST, *(name for name in NAMES if name not in FIRST), ACTING]
    workers = min(len(pieces), os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        list(pool.map(_compile, pieces))
        pool.submit(_play).result()  # what was in no piece; workers do not report it


def _play() -> None:
    world = _world()
    world.reset(np.zeros(1, np.int64), np.zeros(1, np.int64))
    world.step(np.array([PRIMITIVES["attack"]]), np.ones(1, np.bool_))
    world.load()
    _see(world)
    _use_apart(world)


def _use_apart(world: EmbeddedWorld) -> None:
    """Call the kernels that no other kernel and no world calls, but a game that is played by keys,
    its commands, and scripts."""
    state, rules = world.state, world.rules
    player, settings = state.players[0], state.settings[0]
    swap_slots(state, 0, 0, 1)
    select_slot(state, 0, 1)
    put_player(state, rules, 0, *(float(player[axis]) for axis in "xyz"))
    biome, generator = int(settings["biome"]), int(settings["generator"])
    nearest(rules, biome, generator, np.uint64(player["seed"]), 0, 0, 0)


def _world() -> EmbeddedWorld:
    return EmbeddedWorld(1, area=32, use_lidar=True)


def _compile(piece: str) -> None:
    gc.disable()  # Numba makes millions of objects and hardly any cyclic garbage
    world = _world()
    if piece == SEEING:
        _see(world)
    elif piece == ACTING:
        world.compile_step()
    else:
        compile_apart(piece, world.state, world.rules)


def _see(world: EmbeddedWorld) -> None:
    """Call all kernels that show the world, or store it, and do not change it."""
    PackedWorlds(1, world.state.blocks.shape[1]).load(world.state)
    world.inventory()
    world.voxels()
    world.voxels(1, np.zeros(1, np.int64))
    world.rays(np.zeros((1, 2), np.float32), 4.5)
    world.mobs(np.zeros((1, 2), np.float32), 4.5)
    world.status()
    world.light()
    world.location()
    world.life()
    world.masks()
    world.observation(0)
