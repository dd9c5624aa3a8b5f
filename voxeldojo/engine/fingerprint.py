"""A digest of walks through the embedded world, which shows whether two versions are the same.

The walks are long enough to notice another terrain, and other rules of what happens in them:
walking, falling, digging, crafting, smelting, placing, water, mobs by day and by night. A rule that
they never use can change unnoticed. Different processors may round a sine differently, so compare
digests on one machine.

    python -m voxeldojo.engine.fingerprint
"""

import argparse
import hashlib

import numpy as np

from voxeldojo.actions import PRIMITIVES, action, craft
from voxeldojo.command_name import called
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.world_interface import OBSERVED

BIOMES = ("forest", "plains", "extreme_hills", "desert", "jungle", "swampland")
WORLDS = 4  # of each biome
ACTIONS = 200
AT_A_STRETCH = 8  # times that an action is repeated, at most, so that blocks break
NOON, NIGHT = 6000, 16000
HELD = {
    "diamond_pickaxe": 1,
    "log": 16,
    "cobblestone": 16,
    "coal": 4,
    "iron_ore": 4,
    "crafting_table": 2,
    "furnace": 2,
    "torch": 8,
    "water_bucket": 1,
    "dirt": 16,
}
MADE = tuple(craft(name) for name in ("planks", "stick", "stone_pickaxe", "iron_ingot"))
OFTEN = tuple(
    PRIMITIVES[name]
    for name in (
        *("forward_attack", "forward_attack", "jump_attack", "sprint_attack", "look_down_attack"),
        *("attack", "attack", "attack", "look_up_15", "turn_left_15", "turn_right", "use"),
    )
)
MOB = ("kind", "x", "y", "z", "life")


def fingerprint() -> str:
    """Twelve hexadecimal digits."""
    digest = hashlib.sha256()
    for number, biome in enumerate(BIOMES):
        time = NIGHT if number % 2 else NOON
        world = EmbeddedWorld(
            WORLDS, biome=biome, inventory=HELD, strict=False, start_time=time, start_food=10.0
        )
        world.reset(np.arange(WORLDS), np.arange(WORLDS) + 100 * number)
        _add(digest, world)
        random = np.random.default_rng(number)
        for _ in range(ACTIONS):
            actions = np.array([_action(random) for _ in range(WORLDS)])
            for _ in range(int(random.integers(1, AT_A_STRETCH + 1))):
                world.step(actions, np.ones(WORLDS, np.bool_))
        _add(digest, world)
        world.close()
    return digest.hexdigest()[:12]


def _action(random: np.random.Generator) -> tuple[int, ...]:
    """A random action: mostly digging and walking, sometimes crafting, equipping or placing."""
    kind = int(random.integers(20))
    if kind == 0:
        return MADE[int(random.integers(len(MADE)))]
    if kind in (1, 2):
        function = ("equip", "place")[kind - 1]
        return action(function=function, slot=int(random.integers(len(HELD))))
    return OFTEN[int(random.integers(len(OFTEN)))]


def _add(digest: "hashlib._Hash", world: EmbeddedWorld) -> None:
    """Add the item entities, mobs and observations of a world. The layout of the state is left out,
    as it can change while the world stays the same."""
    state = world.state
    arrays = [state.blocks, state.meta, state.light]
    arrays += [np.ascontiguousarray(state.mobs[name]) for name in MOB]
    arrays += [seen for _, seen in sorted(world.observe(OBSERVED, radius=3).items())]
    arrays += [part for _, part in sorted(world.status().items())]
    for array in arrays:
        digest.update(array.tobytes())


def main() -> None:
    argparse.ArgumentParser(
        prog=called("fingerprint"),
        description="Whether two versions of the embedded world are one world: a digest of walks "
        "through it.",
        allow_abbrev=False,
    ).parse_args()
    print(fingerprint())


if __name__ == "__main__":
    main()
