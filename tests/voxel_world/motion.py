"""For tests of what moves by itself: blocks put with their consequences, and time that passes."""

import numpy as np

from tests.voxel_world.arena import BLOCK_IDS, FLOOR, Arena
from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.motion.consequences import follow
from voxeldojo.engine.motion.light import light_area


def still(**options: object) -> Arena:
    """An arena whose light is right, the player aside in a corner."""
    arena = Arena(dict(options))
    arena.stand(2.5, FLOOR, 2.5)
    settings = arena.world.state.settings
    settings["mobs_spawn"] = settings["weather_changes"] = 0
    state = arena.world.state
    area = state.blocks.shape[1]
    player = state.players[0]
    west, north = int(player["west"]), int(player["north"])
    light_area(state, arena.world.rules, 0, west, north, west + area, north + area)
    return arena


def put(arena: Arena, x: int, y: int, z: int, block: str, meta: int = 0) -> None:
    set_block(arena.world.state, arena.world.rules, 0, x, y, z, BLOCK_IDS[block], meta)
    follow(arena.world.state, arena.world.rules, 0)


def run(arena: Arena, ticks: int) -> None:
    arena.do("noop", ticks)


def lying(arena: Arena) -> dict[str, int]:
    """What lies about, by item."""
    from voxeldojo.rules import item_names

    drops = arena.world.state.drops[0]
    found: dict[str, int] = {}
    for drop in drops[drops["count"] > 0]:
        name = item_names[int(drop["item"])]
        found[name] = found.get(name, 0) + int(drop["count"])
    return found


def count(arena: Arena, block: str) -> int:
    return int(np.count_nonzero(arena.world.state.blocks[0] == BLOCK_IDS[block]))
