"""Sets up an episode by the options that tasks/staging.py has checked, beyond the kernels' part."""

from typing import Any

import numpy as np

from voxeldojo.engine.batch import Batch
from voxeldojo.engine.body.physics import DRAG, GRAVITY
from voxeldojo.engine.compiling.direct_calls import direct
from voxeldojo.engine.compiling.kernels import entry_kernel
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.engine.scene.box import Box
from voxeldojo.engine.scene.drawing import Drawing, draw, parse_drawing
from voxeldojo.engine.state import (
    CLEAR,
    DEFAULT_WORLD,
    FLAT,
    ONE_BIOME,
    RAIN,
    THUNDER,
    State,
)
from voxeldojo.engine.stepping import tick
from voxeldojo.engine.terrain.flat_worlds import parse_flat
from voxeldojo.engine.terrain.window import keep_window
from voxeldojo.rules.mobs import MOB_IDS
from voxeldojo.tasks.staging import (
    WEATHERS,
    WORLD_TYPES,
    Corner,
    Staging,
    box_of,
    mobs_of,
    staging_of,
)

GENERATORS: dict[str, int] = dict(zip(WORLD_TYPES, (DEFAULT_WORLD, ONE_BIOME, FLAT), strict=True))
SKIES: dict[str, int] = dict(zip(WEATHERS, (CLEAR, CLEAR, RAIN, THUNDER), strict=True))
TICK = direct(tick)


def write_settings(state: State, staging: Staging, biome: int) -> None:
    """Write the settings that the kernels read."""
    settings = state.settings
    settings["generator"], settings["biome"] = GENERATORS[staging.generate_world_type], biome
    if staging.generate_world_type == "flat":
        layers, flat_biome = parse_flat(staging.flat_world_seed_string)
        state.layers[:], settings["biome"] = layers, flat_biome
    state.biomes[:] = settings["biome"][:, None, None]
    settings["time"], settings["time_passes"] = staging.start_time, staging.allow_time_passage
    settings["weather"] = SKIES[staging.initial_weather]
    settings["weather_changes"] = staging.initial_weather == "normal"
    settings["mobs_spawn"] = staging.allow_mob_spawn


@entry_kernel
def put_player(state, rules, w, x, y, z):
    """Put the player at rest at a place, and the window around it."""
    player = state.players[w]
    player.x = x
    player.y = y
    player.z = z
    player.vx = 0.0
    player.vy = -GRAVITY * DRAG  # what presses a standing player to the ground
    player.vz = 0.0
    player.fall = 0.0
    player.ground = 1
    player.riding = 0
    keep_window(state, rules, w)


class Scene:
    """The drawing and the mobs that are set up after each reset."""

    def __init__(self, staging: Staging) -> None:
        self._drawing: Drawing = parse_drawing(staging.drawing_str) if staging.drawing_str else []
        self._mobs = [MOB_IDS[name] for name in mobs_of(staging)]
        self._range = staging.initial_mob_range
        self._box = box_of(staging)
        self._start = staging.start_position

    def set_up(self, world: Batch, environments: Any) -> None:
        if self._start is None and not self._drawing and not self._mobs:
            return
        for w in environments.tolist():
            player = world.state.players[w]
            if self._start is not None:
                put_player(world.state, world.rules, w, *self._start[:3])
                player["yaw"], player["pitch"] = self._start[3:]
            draw(world, w, self._drawing)
            if self._box is not None:
                self._summon(world, w, self._box)
                continue
            chance = np.random.default_rng(int(player["seed"]))
            for kind in self._mobs:
                dx, dz = chance.integers(-self._range, self._range + 1, 2).tolist()
                x, y, z = (float(player[axis]) for axis in "xyz")
                place_mob(world.state, world.rules, w, kind, x + dx, y + 1.0, z + dz)

    def _summon(self, world: Batch, w: int, box: tuple[Corner, Corner]) -> None:
        """Summon mobs as by MineDojo's commands: each takes a tick."""
        player = world.state.players[w]
        places = Box(*box, len(self._mobs), int(player["seed"])).sample().tolist()
        for kind, place in zip(self._mobs, places, strict=True):
            x, y, z = (
                float(player[axis]) + int(away) for axis, away in zip("xyz", place, strict=True)
            )
            place_mob(world.state, world.rules, w, kind, x, y, z)
            TICK(world.state, world.rules, w, 0.0, 0.0, 0)


__all__ = ["Scene", "Staging", "put_player", "staging_of", "write_settings"]
