"""What the scripted player does lest it lose its life: running, getting well, staying dry."""

import math

import pytest

from tests.voxel_world.test_demonstrations_far import flat, give, obtaining, tick
from voxeldojo.demonstrations.building import place_near
from voxeldojo.demonstrations.felling import fell_trees
from voxeldojo.demonstrations.fighting import WEAK, look_after
from voxeldojo.demonstrations.hunting import nearest_mob
from voxeldojo.demonstrations.pickaxes import ENOUGH, affords, keep_a_pickaxe, uses_left
from voxeldojo.demonstrations.player import BLOCK_NAMES, Player
from voxeldojo.demonstrations.running_away import FREE, away_from, free_metres, run
from voxeldojo.minedojo_api import InventoryItem

EAST, WEST = 0.0, math.pi  # headings


def test_the_player_runs_round_what_stands_in_its_way() -> None:
    player = flat(start_time=14_000)
    x, y, z = player.feet
    tick(
        player,
        f"fill {x - 4} {y} {z - 3} {x - 4} {y + 2} {z + 3} stone",
        f"summon creeper {x + 4} {y} {z}",
    )
    number = nearest_mob(player, "creeper")
    creeper = player.world.state.mobs[0, number]
    player.world.state.mobs[0, number : number + 1]["target"] = -1
    for _ in range(40):
        run(player)
    assert away_from(player, creeper) > 8.0
    assert player.feet[0] < x - 4, "it is behind the wall"
    player.env.close()


@pytest.mark.parametrize(
    ("obstacle", "free"),
    [
        ("{x2} {y} {z} {x2} {y} {z} stone", FREE),  # a step
        ("{x2} {y} {z} {x2} {y1} {z} stone", 1.0),  # a wall
        ("{x2} {y1} {z} {x2} {y1} {z} leaves", 1.0),  # in its face
        ("{x2} {y5} {z} {x2} {y_1} {z} air", 1.0),  # a shaft
        ("{x2} {y_1} {z} {x2} {y_1} {z} lava", 1.0),
        ("{x2} {y_1} {z} {x2} {y_1} {z} water", FREE),
    ],
)
def test_free_metres_end_at_walls_shafts_and_lava_and_not_at_steps_or_water(
    obstacle: str, free: float
) -> None:
    player = flat()
    x, y, z = player.feet
    tick(player, f"tp {x + 0.5} {y} {z + 0.5}")
    place = {"x2": x + 2, "y": y, "y1": y + 1, "y_1": y - 1, "y5": y - 5, "z": z}
    tick(player, "fill " + obstacle.format(**place))
    assert free_metres(player, EAST) == pytest.approx(free, abs=0.5)
    assert free_metres(player, WEST) == FREE
    player.env.close()


def wound(player: Player, life: float, food: float) -> None:
    body = player.world.state.players[0:1]
    body["life"], body["food"] = life, food


def test_a_weak_player_hunts_a_meal_and_recovers_before_it_continues() -> None:
    player = flat(initial_inventory=[InventoryItem("mainhand", "iron_sword")])
    x, y, z = player.feet
    tick(player, f"summon cow {x + 5} {y} {z}", f"summon cow {x + 6} {y} {z}")
    player.between = lambda: look_after(player)
    wound(player, WEAK - 4.0, 12.0)
    for _ in range(3):
        player.pause()
    assert float(player.body["life"]) >= WEAK
    player.env.close()


def test_a_weak_and_fed_player_waits_until_its_life_has_recovered() -> None:
    player = flat()
    wound(player, WEAK - 4.0, 20.0)
    look_after(player)
    assert float(player.body["life"]) >= WEAK
    before = player.steps
    look_after(player)
    assert player.steps == before
    player.env.close()


def test_no_table_is_put_down_under_water() -> None:
    player = flat()
    give(player, crafting_table=1)
    x, y, z = player.feet
    tick(
        player,
        f"fill {x - 2} {y - 4} {z - 2} {x + 2} {y - 1} {z + 2} water",
        f"tp {x + 0.5} {y - 4} {z + 0.5}",
    )
    _, up, _ = place_near(player, "crafting_table")
    assert up >= y - 1
    feet = player.feet
    assert BLOCK_NAMES[player.block((feet[0], feet[1] + 1, feet[2]))] == "air"
    player.env.close()


@pytest.mark.slow
def test_apples_fall_out_of_the_leaves_of_trees_that_were_felled() -> None:
    player = flat(limit=6000)
    give(player, stone_axe=1, dirt=1)
    x, y, z = player.feet
    for east in (4, 12):
        for north in (-12, -4, 4):
            west, south = x + east, z + north
            tick(
                player,
                f"fill {west - 3} {y + 3} {south - 3} {west + 3} {y + 6} {south + 3} leaves",
                f"fill {west} {y} {south} {west} {y + 4} {south} log",
            )
    at_work = obtaining(player)
    fell_trees(at_work, at_work.way("apple"), 1)
    assert player.have("apple") >= 1
    player.env.close()


@pytest.mark.parametrize(
    ("held", "enough"),
    [
        ({"crafting_table": 1, "cobblestone": 3, "stick": 2}, True),
        ({"cobblestone": 3, "log": 2}, True),  # four planks for the table, two for sticks
        ({"cobblestone": 3, "log": 1}, False),
        ({"crafting_table": 1, "cobblestone": 2, "stick": 2}, False),
        ({"crafting_table": 1, "stick": 2}, False),
    ],
)
def test_a_stone_pickaxe_is_affordable_with_stone_sticks_and_a_table(
    held: dict[str, int], enough: bool
) -> None:
    assert affords("stone_pickaxe", held) == enough


def test_an_item_that_is_only_made_of_itself_is_not_affordable() -> None:
    assert not affords("wheat", {"crafting_table": 1})
    assert affords("wheat", {"crafting_table": 1, "hay_block": 1})


def test_a_worn_pickaxe_is_replaced_under_the_ground_only() -> None:
    player = flat()
    give(player, crafting_table=1, cobblestone=8, stick=4)
    at_work = obtaining(player)
    keep_a_pickaxe(at_work)
    assert not player.have("stone_pickaxe"), "in the open none is needed"
    x, y, z = player.feet
    tick(
        player,
        f"fill {x - 2} {y - 20} {z - 2} {x + 2} {y - 18} {z + 2} air",
        f"tp {x + 0.5} {y - 20} {z + 0.5}",
    )
    keep_a_pickaxe(at_work)
    assert player.have("stone_pickaxe") == 1
    assert player.have("crafting_table") == 1, "it is taken along"
    before = player.steps
    keep_a_pickaxe(at_work)
    assert player.steps == before, "one that is new is enough"
    slots = player.world.state.slots[0]
    number = player.slot_of("stone_pickaxe")
    lasts = uses_left(player)
    slots["wear"][number] = lasts - ENOUGH + 1
    keep_a_pickaxe(at_work)
    assert player.have("stone_pickaxe") == 2
    assert uses_left(player) >= lasts
    player.env.close()
