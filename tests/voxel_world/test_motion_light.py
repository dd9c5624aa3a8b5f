import numpy as np
import pytest
from numpy.typing import NDArray

from tests.voxel_world.arena import BLOCK_IDS, FLOOR, Arena, embedded
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.motion.consequences import follow
from voxeldojo.engine.motion.light import light_area


def reference(world: EmbeddedWorld) -> NDArray[np.uint8]:
    """The slow way: every cell takes from its neighbours until nothing changes."""
    state, rules = world.state, world.rules
    blocks = state.blocks[0].astype(np.int64)
    west, north = int(state.players[0]["west"]), int(state.players[0]["north"])
    blocks = np.roll(blocks, (-west, -north), (0, 1))
    loss = np.maximum(1, rules.opacity.astype(np.int64)[blocks])
    clear = rules.opacity[blocks] == 0
    opened = np.flip(np.logical_and.accumulate(np.flip(clear, 2), 2), 2)
    sky = np.where(opened, 15, 0)
    top = np.maximum(0, 15 - rules.opacity.astype(np.int64)[blocks[:, :, -1]])
    sky[:, :, -1] = np.maximum(sky[:, :, -1], top)
    glow = rules.glow.astype(np.int64)[blocks]
    for light in (sky, glow):
        while True:
            before = light.copy()
            for axis in range(3):
                for step in (1, -1):
                    near = np.roll(light, step, axis)
                    edge: list[slice | int] = [slice(None)] * 3
                    edge[axis] = 0 if step == 1 else -1
                    near[tuple(edge)] = 0
                    np.maximum(light, near - loss, out=light)
            if (before == light).all():
                break
    return np.roll((sky << 4 | glow).astype(np.uint8), (west, north), (0, 1))


def light_all(world: EmbeddedWorld) -> None:
    area = world.state.blocks.shape[1]
    west, north = (int(world.state.players[0][name]) for name in ("west", "north"))
    light_area(world.state, world.rules, 0, west, north, west + area, north + area)


def hollow(world: EmbeddedWorld, seed: int) -> None:
    """Caves, water, leaves and torches, at random."""
    random = np.random.default_rng(seed)
    area = world.state.blocks.shape[1]
    world.state.players["ceiling"] = 100  # over all that follows
    for _ in range(60):
        x, z = random.integers(0, area - 6, 2)
        y = random.integers(5, 80)
        size = random.integers(1, 6, 3)
        kind = random.choice(["air", "air", "air", "water", "leaves", "glass", "stone", "lava"])
        world.state.blocks[0, x : x + size[0], z : z + size[2], y : y + size[1]] = BLOCK_IDS[
            str(kind)
        ]
    for _ in range(30):
        x, z = random.integers(0, area, 2)
        world.state.blocks[0, x, z, random.integers(5, 80)] = BLOCK_IDS["torch"]


@pytest.mark.parametrize("seed", range(4))
def test_light_equals_a_slow_reference(seed: int) -> None:
    world = embedded(1)
    world.reset(np.zeros(1, np.int64), np.full(1, seed))
    assert (world.state.light[0] == reference(world)).all()
    hollow(world, seed)
    light_all(world)
    assert (world.state.light[0] == reference(world)).all()


def test_light_made_in_pieces_and_by_changes_equals_the_whole() -> None:
    world = embedded(1)
    world.reset(np.zeros(1, np.int64), np.full(1, 5))
    hollow(world, 9)
    world.state.light[0] = 0
    # Strips in an odd order: what is not lit yet has light 0, as columns that just came.
    west, north = (int(world.state.players[0][name]) for name in ("west", "north"))
    for x, z in ((16, 0), (0, 16), (0, 0), (16, 16)):
        x0, z0 = west + x, north + z
        light_area(world.state, world.rules, 0, x0, z0, x0 + 16, z0 + 16)
    whole = reference(world)
    assert (world.state.light[0] == whole).all()
    random = np.random.default_rng(1)
    kinds = [BLOCK_IDS[name] for name in ("air", "stone", "torch", "glass", "leaves", "water")]
    for number in range(200):
        x, z = (int(value) for value in random.integers(0, 32, 2))
        set_block(
            world.state, world.rules, 0, west + x, int(random.integers(5, 80)), north + z,
            kinds[int(random.integers(0, len(kinds)))], 0,
        )  # fmt: skip
        if number % 20 == 0:
            follow(world.state, world.rules, 0)
            assert (world.state.light[0] == reference(world)).all()
    follow(world.state, world.rules, 0)
    assert (world.state.light[0] == reference(world)).all()
    # A reset takes the changes back, and the light with them.
    world.reset(np.zeros(1, np.int64), np.full(1, 5))
    assert (world.state.light[0] == whole).all()


def test_light_of_sky_torch_and_roof_has_the_games_levels() -> None:
    arena = Arena()
    light_all(arena.world)
    light = arena.world.state.light[0]
    assert light[16, 16, FLOOR] == 15 << 4
    assert light[16, 16, FLOOR - 1] == 0
    set_block(arena.world.state, arena.world.rules, 0, 16, FLOOR, 16, BLOCK_IDS["torch"], 0)
    follow(arena.world.state, arena.world.rules, 0)
    assert light[16, 16, FLOOR] == 15 << 4 | 14
    assert light[20, 16, FLOOR] == 15 << 4 | 10
    assert light[19, 19, FLOOR + 1] == 15 << 4 | 7
    for x in range(13, 20):
        for z in range(13, 20):
            set_block(arena.world.state, arena.world.rules, 0, x, FLOOR + 3, z, 1, 0)
    follow(arena.world.state, arena.world.rules, 0)
    # Four columns in from the rim, under a roof: 15 - 4.
    assert light[16, 16, FLOOR] >> 4 == 11


@pytest.mark.parametrize(
    ("block", "height"),
    [("farmland", 0.9375), ("soul_sand", 0.875), ("grass_path", 0.9375), ("stone_slab", 0.5)],
)
def test_who_stands_on_a_lower_block_observes_the_light_above_it(block: str, height: float) -> None:
    arena = Arena()
    arena.put(16, FLOOR - 1, 16, block)
    light_all(arena.world)
    arena.stand(16.5, FLOOR - 1 + height, 16.5)
    arena.do("noop")
    assert arena.position[1] == FLOOR - 1 + height
    place = arena.world.observation(0)["location_stats"]
    assert (place["light_level"], place["can_see_sky"]) == (15.0, True)
    assert arena.world.light() == 15.0
