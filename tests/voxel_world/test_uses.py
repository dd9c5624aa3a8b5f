"""What counts as a use of an item, in the batch as in the single game that follows Minecraft."""

import numpy as np

from tests.voxel_world.arena import FLOOR, Arena
from voxeldojo.actions import action
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.game import Game, Keys
from voxeldojo.rules import item_id, item_names
from voxeldojo.tasks import InventoryItem, make_kwargs, world_settings

USE, ATTACK = 1, 3


def used(arena: Arena) -> dict[str, int]:
    counts = arena.world.used()[0]
    return {item_names[item]: int(counts[item]) for item in np.flatnonzero(counts)}


def test_a_placed_block_counts_as_used() -> None:
    arena = Arena(inventory={"cobblestone": 2})
    arena.stand(16.5, FLOOR, 16.5, pitch=60.0)
    arena.place(arena.slot_of("cobblestone"))
    assert used(arena) == {"cobblestone": 1}
    arena.place(arena.slot_of("cobblestone"))  # there is no room where it was put
    assert used(arena)["cobblestone"] == 3 - arena.have("cobblestone") - 1


def test_armour_is_used_by_putting_it_on_and_a_pickaxe_by_its_wear() -> None:
    arena = Arena(inventory={"iron_helmet": 1})
    arena.do(action(function="equip", slot=arena.slot_of("iron_helmet")))
    arena.hold("iron_pickaxe")
    assert used(arena) == {"iron_helmet": 1}
    arena.put(16, FLOOR + 1, 18, "stone")
    arena.do("attack", 40)
    assert arena.block(16, FLOOR + 1, 18) == "air"
    assert used(arena) == {"iron_helmet": 1, "iron_pickaxe": 1}


def test_counts_of_use_begin_at_zero_in_a_new_episode() -> None:
    arena = Arena(inventory={"cobblestone": 2})
    arena.stand(16.5, FLOOR, 16.5, pitch=60.0)
    arena.place(arena.slot_of("cobblestone"))
    assert used(arena)
    arena.world.reset(np.zeros(1, np.int64), np.zeros(1, np.int64))
    assert not used(arena)


def test_the_batch_counts_uses_as_a_single_game_does() -> None:
    given = [
        InventoryItem(slot=0, name="iron_shovel", quantity=1),
        InventoryItem(slot=1, name="wheat_seeds", quantity=8),
    ]
    asked = make_kwargs("open-ended", image_size=9, initial_inventory=given)
    game = Game(world_settings("open-ended", asked), seed=3, area=64)
    world = EmbeddedWorld(1, biome="plains", area=64, generate_world_type="default", start_time=0)
    world.reset(np.zeros(1, np.int64), np.array([3]))
    world.state.slots[0] = game.world.state.slots[0]
    chance = np.random.default_rng(1)
    for _ in range(500):
        forward, function = int(chance.integers(2)), int(chance.choice([USE, ATTACK, ATTACK]))
        pitch = int(chance.integers(11, 15))
        world.step(np.array([[forward, 0, 0, pitch, 12, function, 0, 0]]), np.ones(1, np.bool_))
        game.tick(
            Keys(
                pitch=15.0 * (pitch - 12),
                forward=forward,
                attack=function == ATTACK,
                use=function == USE,
            )
        )
        counted = game.statistics.tree()["use_item"]["minecraft"]
        assert counted["iron_shovel"] == world.used()[0, item_id("iron_shovel")]
    assert counted["iron_shovel"] > 2
