"""The scripted player's fort in the sea, and its battles with guardians from there."""

from typing import Any

import pytest

from voxeldojo.actions import DROP
from voxeldojo.demonstrations import sea_fort
from voxeldojo.demonstrations.diving import come_up, dive
from voxeldojo.demonstrations.hunting import kills
from voxeldojo.demonstrations.player import GaveUp, Player
from voxeldojo.demonstrations.sea_battles import sea_battle
from voxeldojo.minedojo_api import make

SURFACE = 62  # y of the sea's highest blocks
SHALLOWS = "3;7,59*1,3*9;24"  # three blocks of water over stone
DEEPS = "3;7,30*1,32*9;24"
BEAMS = 400  # ticks, of two beams and more


def at_sea(ground: str = SHALLOWS, limit: int = 6000, **items: int) -> Player:
    env = make(
        "open-ended", image_size=(1, 1), cam_interval=1, area=64, world_seed=1, seed=1,
        generate_world_type="flat", flat_world_seed_string=ground, allow_mob_spawn=False,
        start_time=1000,
    )  # fmt: skip
    env.reset()
    player = Player(env, limit)
    for name, count in items.items():
        env.unwrapped.game.give(name, count, 0)
    come_up(player)
    return player


def spawn(player: Player, *places: list[int]) -> None:
    env: Any = player.env
    env.spawn_mobs(["guardian"] * len(places), list(places))


def fort(player: Player) -> sea_fort.Cell:
    cell = sea_fort.place_of(player, player.feet)
    assert cell is not None
    sea_fort.enter(player, cell)
    return cell


@pytest.mark.parametrize("built", [False, True])
def test_behind_its_fort_a_swimmer_is_out_of_the_beams_sight(built: bool) -> None:
    player = at_sea(cobblestone=sea_fort.BLOCKS)
    cell = fort(player)
    if built:
        sea_fort.build(player, cell)
        assert sea_fort.stands(player, cell)
    spawn(player, [9, -1, 0], [0, -1, -9], [-7, -1, 5])
    for _ in range(BEAMS):
        sea_fort.stay(player, cell)
    assert (float(player.body["life"]) == 20.0) == built
    player.env.close()


def test_a_fort_is_left_and_entered_under_its_ring() -> None:
    player = at_sea(cobblestone=sea_fort.BLOCKS)
    cell = fort(player)
    sea_fort.build(player, cell)
    sea_fort.leave(player, cell)
    assert abs(player.feet[0] - cell[0]) + abs(player.feet[2] - cell[2]) >= 2
    sea_fort.enter(player, cell)
    assert (player.feet[0], player.feet[2]) == (cell[0], cell[2])
    assert sea_fort.stands(player, cell)
    player.env.close()


def test_there_is_no_place_for_a_fort_in_the_deep_sea() -> None:
    player = at_sea(DEEPS)
    assert sea_fort.place_of(player, player.feet) is None
    with pytest.raises(GaveUp, match="no shallow place"):
        sea_battle(player, "guardian", "prismarine_shard", 1)
    player.env.close()


def test_guardians_are_killed_from_the_fort_and_what_they_drop_is_got() -> None:
    player = at_sea(
        cobblestone=sea_fort.BLOCKS, iron_sword=1, iron_chestplate=1, iron_leggings=1,
        cooked_beef=12,
    )  # fmt: skip
    spawn(player, [9, -1, 0], [0, -1, -9], [-7, -1, 5], [8, -1, 8])
    sea_battle(player, "guardian", "prismarine_shard", 2)
    assert player.have("prismarine_shard") >= 2
    assert kills(player, "guardian") >= 1
    assert player.deaths == 0
    player.env.close()


@pytest.mark.parametrize(("ground", "got"), [(SHALLOWS, True), (DEEPS, False)])
def test_an_item_on_the_ground_is_dived_for_as_deep_as_breath_lasts(ground: str, got: bool) -> None:
    player = at_sea(ground, prismarine_shard=1)
    player.equip("prismarine_shard")
    player.act(function=DROP)
    player.wait(60)
    assert player.have("prismarine_shard") == 0
    come_up(player)
    dive(player, "prismarine_shard", 0.0)
    assert (player.have("prismarine_shard") == 1) == got
    assert float(player.body["life"]) == 20.0
    player.env.close()
