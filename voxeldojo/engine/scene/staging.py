"""How an episode is set up, beyond what the kernels see to: the options, checked, and done."""

from typing import Any

import msgspec
import numpy as np

from voxeldojo.engine.batch import Batch
from voxeldojo.engine.body.physics import DRAG, GRAVITY
from voxeldojo.engine.compiled import kernel
from voxeldojo.engine.flat import parse_flat
from voxeldojo.engine.mobs.placing import place_mob
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
from voxeldojo.engine.terrain.window import keep_window
from voxeldojo.names import near
from voxeldojo.rules.mobs import MOB_IDS
from voxeldojo.world import NOON

GENERATORS = {"default": DEFAULT_WORLD, "specified_biome": ONE_BIOME, "flat": FLAT}
WEATHERS = {"normal": CLEAR, "clear": CLEAR, "rain": RAIN, "thunder": THUNDER}
FARTHEST = 30_000_000  # metres, as in the game


class Staging(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options by MineDojo's names. ``initial_mobs``: names, or one text with commas; each stands at
    a random place within ``initial_mob_range`` metres (x and z) of the player. A weather that is
    given stays; "normal" changes. ``start_position``: x, y, z in metres, yaw and pitch in degrees;
    without one the episode begins where the world has its start."""

    generate_world_type: str = "specified_biome"
    flat_world_seed_string: str = ""
    start_time: int = NOON
    allow_time_passage: bool = True
    initial_weather: str = "normal"
    allow_mob_spawn: bool = True
    drawing_str: str = ""
    initial_mobs: list[str] | str = []
    initial_mob_range: int = 10
    start_position: tuple[float, float, float, float, float] | None = None


def staging_of(given: dict[str, Any]) -> Staging:
    """Raises ValueError: a value out of range or of a wrong type."""
    found = msgspec.convert(given, Staging)
    for name, table in (("generate_world_type", GENERATORS), ("initial_weather", WEATHERS)):
        value = getattr(found, name)
        if value not in table:
            raise ValueError(f"{name} is one of {', '.join(table)}, not {value!r}")
    if not 0 <= found.start_time <= 1_000_000_000:
        raise ValueError(f"start_time is in ticks, from 0 on, not {found.start_time}")
    if found.start_position is not None:
        x, y, z, _, pitch = found.start_position
        if not (abs(x) < FARTHEST and abs(z) < FARTHEST and 0.0 <= y < 256.0):
            raise ValueError(f"start_position is outside every world: {found.start_position}")
        if not -90.0 <= pitch <= 90.0:
            raise ValueError(f"start_position: a pitch is from -90 to 90, not {pitch}")
    if not 0 <= found.initial_mob_range <= 24:
        raise ValueError(f"initial_mob_range is from 0 to 24 metres, not {found.initial_mob_range}")
    for name in mobs_of(found):
        if name not in MOB_IDS:
            raise ValueError(f"there is no mob {name!r}{near(name, [*MOB_IDS])}")
    return found


def mobs_of(staging: Staging) -> list[str]:
    named = staging.initial_mobs
    return [n.strip() for n in named.split(",") if n.strip()] if isinstance(named, str) else named


def write_settings(state: State, staging: Staging, biome: int) -> None:
    """What of it the kernels read."""
    settings = state.settings
    settings["generator"], settings["biome"] = GENERATORS[staging.generate_world_type], biome
    if staging.generate_world_type == "flat":
        layers, flat_biome = parse_flat(staging.flat_world_seed_string)
        state.layers[:], settings["biome"] = layers, flat_biome
    state.biomes[:] = settings["biome"][:, None, None]
    settings["time"], settings["time_passes"] = staging.start_time, staging.allow_time_passage
    settings["weather"] = WEATHERS[staging.initial_weather]
    settings["weather_changes"] = staging.initial_weather == "normal"
    settings["mobs_spawn"] = staging.allow_mob_spawn


@kernel
def put_player(state, rules, w, x, y, z):
    """The player stands at rest at a place, and the window around it."""
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
    """What is set up after each reset."""

    def __init__(self, staging: Staging) -> None:
        self._drawing: Drawing = parse_drawing(staging.drawing_str) if staging.drawing_str else []
        self._mobs = [MOB_IDS[name] for name in mobs_of(staging)]
        self._range = staging.initial_mob_range
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
            chance = np.random.default_rng(int(player["seed"]))
            for kind in self._mobs:
                dx, dz = chance.integers(-self._range, self._range + 1, 2).tolist()
                x, y, z = (float(player[axis]) for axis in "xyz")
                place_mob(world.state, world.rules, w, kind, x + dx, y + 1.0, z + dz)
