"""How an episode is set up: options of a world, checked here, independent of any engine."""

import math
from typing import Any

import msgspec
import numpy as np

from voxeldojo.names import near, quoted, shortened
from voxeldojo.rules.mobs import MOB_IDS
from voxeldojo.tasks.inventory import slots_in
from voxeldojo.world_interface import NOON

WORLD_TYPES = ("default", "specified_biome", "flat")
WEATHERS = ("normal", "clear", "rain", "thunder")
FARTHEST = 30_000_000  # metres, as in the game
Corner = tuple[float, float, float]
_KINDS = {
    "int": "a whole number",
    "bool": "true or false",
    "str": "a text",
}
"""What msgspec calls the kinds of options, in words."""
_CORNER = "three numbers (x, y, z), or one text with spaces"
_LISTS = {
    "start_position": "five numbers (x, y, z, yaw, pitch)",
    "initial_mobs": "a list of names, or one text with commas",
    "initial_mob_spawn_range_low": _CORNER,
    "initial_mob_spawn_range_high": _CORNER,
}
"""What options that are lists hold, of which msgspec names only the entry that is wrong."""


class Staging(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options by MineDojo's names.

    ``initial_mobs``: names, or one text with commas; each is placed at random within
    ``initial_mob_range`` metres (x and z) of the player. With ``initial_mob_spawn_range_low`` and
    ``_high`` (x, y and z, or one text with spaces) they are summoned as in MineDojo: anywhere in
    that box around the player, with a tick for each.
    ``initial_weather``: stays as given; "normal" changes.
    ``start_position``: x, y, z in metres, yaw and pitch in degrees; None: the world's own start.
    ``initial_slots``: slots of items in the start inventory, ``mainhand=iron_sword,
    head=iron_helmet``; as many of each as there are, at most a stack. Items that it does not name
    fill the other slots."""

    generate_world_type: str = "specified_biome"
    flat_world_seed_string: str = ""
    start_time: int = NOON
    allow_time_passage: bool = True
    initial_weather: str = "normal"
    allow_mob_spawn: bool = True
    drawing_str: str = ""
    initial_mobs: list[str] | str = []
    initial_mob_range: int = 10
    initial_mob_spawn_range_low: list[float] | str = ""
    initial_mob_spawn_range_high: list[float] | str = ""
    initial_slots: str = ""
    start_position: tuple[float, float, float, float, float] | None = None


def staging_of(given: dict[str, Any]) -> Staging:
    """Raises ValueError: a value out of range or of a wrong type."""
    for name in given:
        if name not in Staging.__struct_fields__:
            raise ValueError(
                f"there is no option {shortened(name)}{near(name, Staging.__struct_fields__)}"
            )
    given = {name: _plain(value) for name, value in given.items()}
    try:
        found = msgspec.convert(given, Staging)
    except msgspec.ValidationError as error:
        raise ValueError(_wrong_kind(str(error), given)) from None
    for name, known in (("generate_world_type", WORLD_TYPES), ("initial_weather", WEATHERS)):
        value = getattr(found, name)
        if value not in known:
            raise ValueError(f"{name} is one of {', '.join(known)}, not {quoted(value)}")
    if not 0 <= found.start_time <= 1_000_000_000:
        raise ValueError(f"start_time is in ticks, from 0 on, not {quoted(found.start_time)}")
    if found.start_position is not None:
        x, y, z, yaw, pitch = found.start_position
        if not (abs(x) < FARTHEST and abs(z) < FARTHEST and 0.0 <= y < 256.0):
            raise ValueError(f"start_position is outside every world: {found.start_position}")
        if not math.isfinite(yaw):
            raise ValueError(f"start_position: a yaw is a finite number, not {yaw}")
        if not -90.0 <= pitch <= 90.0:
            raise ValueError(f"start_position: a pitch is from -90 to 90, not {pitch}")
    if not 0 <= found.initial_mob_range <= 24:
        wrong = quoted(found.initial_mob_range)
        raise ValueError(f"initial_mob_range is from 0 to 24 metres, not {wrong}")
    for name in mobs_of(found):
        if name not in MOB_IDS:
            raise ValueError(f"there is no mob {quoted(name)}{near(name, [*MOB_IDS])}")
    box_of(found)
    slots_in(found.initial_slots)
    return found


def _plain(value: Any) -> Any:
    """A value without NumPy's numbers and arrays, of which msgspec takes none."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if type(value) in (list, tuple):
        return type(value)(n.tolist() if isinstance(n, np.generic) else n for n in value)
    return value


def _wrong_kind(error: str, given: dict[str, Any]) -> str:
    """msgspec's ``Expected `int`, got `str` - at `$.start_time``` in plain words."""
    expected, _, where = error.partition(" - at ")
    name = where.strip("`").removeprefix("$.").partition("[")[0]
    kind = expected.partition("`")[2].partition("`")[0]
    return f"{name}: it is {_LISTS.get(name) or _KINDS[kind]}, not {quoted(given.get(name))}"


def box_of(staging: Staging) -> tuple[Corner, Corner] | None:
    """Lowest and highest place of initial mobs, relative to the player; None: none was given.

    Raises:
        ValueError: one of the two is missing or has not three numbers, or they are in the wrong
            order.
    """
    given = staging.initial_mob_spawn_range_low, staging.initial_mob_spawn_range_high
    if not any(given):
        return None
    corners: list[Corner] = []
    for end, value in zip(("low", "high"), given, strict=True):
        try:
            x, y, z = (float(n) for n in (value.split() if isinstance(value, str) else value))
        except ValueError:
            raise ValueError(
                f"initial_mob_spawn_range_{end} is x, y and z, not {quoted(value)}"
            ) from None
        corners.append((x, y, z))
    low, high = corners
    if not all(abs(value) <= FARTHEST for corner in corners for value in corner):
        raise ValueError(f"initial_mob_spawn_range is made of blocks up to {FARTHEST}: {corners}")
    if any(least > most for least, most in zip(low, high, strict=True)):
        raise ValueError(f"initial_mob_spawn_range_low {low} is above initial_mob_spawn_range_high")
    return low, high


def mobs_of(staging: Staging) -> list[str]:
    named = staging.initial_mobs
    return [n.strip() for n in named.split(",") if n.strip()] if isinstance(named, str) else named
