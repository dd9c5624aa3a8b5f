"""The start of an episode in a village."""

import numpy as np

from voxeldojo.engine import EmbeddedWorld
from voxeldojo.engine.structures.catalogue import KIND_IDS
from voxeldojo.engine.structures.places import nearest
from voxeldojo.game.scope import NotInThisWorld

VILLAGES = [number for name, number in KIND_IDS.items() if name.startswith("village")]
# A village's origin is its well, where there is no ground to stand on.
OUTSIDE_THE_WELL = [(dx, dz) for r in (4, 6, 8, 3) for dx, dz in ((r, 0), (-r, 0), (0, r), (0, -r))]


def nearest_village(world: EmbeddedWorld) -> tuple[int, int]:
    """x and z of the village nearest to the player.

    Raises:
        NotInThisWorld: there is none within some kilometres, or none in such a world.
    """
    player, settings = world.state.players[0], world.state.settings[0]
    x, z = int(player["x"]), int(player["z"])
    found: list[tuple[int, int]] = []
    for kind in VILLAGES:
        there, at_x, _, at_z = nearest(
            world.rules,
            int(settings["biome"]),
            int(settings["generator"]),
            np.uint64(player["seed"]),
            kind,
            x,
            z,
        )
        if there:
            found.append((int(at_x), int(at_z)))
    if not found:
        raise NotInThisWorld(
            "spawn_in_village: there is no village here; they stand in plains, deserts, savannas"
            " and taigas, and in the world of all biomes"
        )
    return min(found, key=lambda at: (at[0] - x) ** 2 + (at[1] - z) ** 2)
