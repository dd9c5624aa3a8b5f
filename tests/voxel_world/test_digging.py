from collections import Counter

import pytest

from tests.voxel_world.arena import FLOOR, Arena
from voxeldojo.engine.hands.digging import break_block
from voxeldojo.rules import item_id

SPOT = (16, FLOOR + 1, 18)


@pytest.mark.parametrize(
    ("block", "tool", "ticks"),
    [
        ("log", "", 60),
        ("log", "wooden_axe", 30),
        ("log", "diamond_axe", 8),
        ("dirt", "", 15),
        ("dirt", "wooden_shovel", 8),
        ("leaves", "", 6),
        ("sand", "", 15),
        ("crafting_table", "", 75),
        ("stone", "", 150),
        ("stone", "wooden_pickaxe", 23),
        ("iron_ore", "wooden_pickaxe", 150),
        ("iron_ore", "stone_pickaxe", 23),
        ("obsidian", "diamond_pickaxe", 188),
        ("tallgrass", "", 1),
        ("acacia_fence_gate", "", 60),
        ("double_stone_slab", "wooden_pickaxe", 30),
        ("red_mushroom_block", "", 6),
        ("grass_path", "", 20),
        ("purpur_stairs", "wooden_pickaxe", 23),
    ],
)
def test_digging_takes_the_games_ticks_for_each_block_and_tool(
    block: str, tool: str, ticks: int
) -> None:
    arena = Arena()
    arena.put(*SPOT, block)
    if block == "tallgrass":
        arena.player["pitch"] = 3.0
    if tool:
        arena.hold(tool)
    arena.do("attack", ticks - 1)
    assert arena.block(*SPOT) == block
    arena.do("attack")
    assert arena.block(*SPOT) == "air"


@pytest.mark.parametrize("block", ["command_block", "repeating_command_block", "bedrock"])
def test_what_cannot_be_broken_stays(block: str) -> None:
    arena = Arena(options={"break_speed_multiplier": 100.0})
    arena.put(*SPOT, block)
    arena.hold("diamond_pickaxe")
    arena.do("attack", 20)
    assert arena.block(*SPOT) == block


def test_letting_go_or_looking_away_starts_over() -> None:
    arena = Arena()
    arena.put(*SPOT, "log")
    arena.do("attack", 40)
    arena.do("noop")
    arena.do("attack", 40)
    arena.do("turn_right", 6)
    arena.do("attack")
    arena.do("turn_left", 6)
    arena.do("attack", 59)
    assert arena.block(*SPOT) == "log"
    arena.do("attack")
    assert arena.block(*SPOT) == "air"


def test_digging_begins_again_five_ticks_after_a_block_broke() -> None:
    arena = Arena()
    arena.put(*SPOT, "dirt")
    arena.put(16, FLOOR + 1, 19, "dirt")
    arena.do("attack", 15 + 5 + 14)
    assert arena.block(16, FLOOR + 1, 19) == "dirt"
    arena.do("attack")
    assert arena.block(16, FLOOR + 1, 19) == "air"


def test_break_speed_multiplier_shortens_digging() -> None:
    arena = Arena(options={"break_speed_multiplier": 10.0})
    arena.put(*SPOT, "log")
    arena.do("attack", 6)
    assert arena.block(*SPOT) == "air"


def test_a_block_out_of_reach_is_not_dug() -> None:
    arena = Arena()
    arena.put(16, FLOOR + 1, 22, "dirt")
    arena.do("attack", 40)
    assert arena.block(16, FLOOR + 1, 22) == "dirt"


def test_a_broken_log_is_picked_up_by_walking_there() -> None:
    arena = Arena()
    arena.put(16, FLOOR + 1, 20, "log", meta=2)
    arena.do("attack", 60)
    assert arena.have("log") == 0
    arena.do("forward", 20)
    assert arena.have("log") == 1
    assert arena.world.state.slots[0, 0]["variant"] == 2


def test_stone_drops_nothing_by_hand_and_wears_a_pickaxe() -> None:
    arena = Arena()
    arena.put(*SPOT, "stone")
    arena.do("attack", 150)
    arena.do("forward", 15)
    assert arena.have("cobblestone") == 0
    arena.stand(16.5, FLOOR, 16.5)
    arena.hold("wooden_pickaxe")
    arena.put(*SPOT, "stone")
    arena.do("attack", 35)
    arena.do("forward", 25)
    assert arena.have("cobblestone") == 1
    assert arena.world.state.slots[0, 0]["wear"] == 1


def test_a_tool_breaks_when_it_is_used_up() -> None:
    arena = Arena()
    arena.hold("wooden_pickaxe")
    arena.world.state.slots[0:1, 0]["wear"] = 59
    arena.put(*SPOT, "stone")
    arena.do("attack", 23)
    assert arena.have("wooden_pickaxe") == 0


def test_leaves_drop_saplings_and_apples_at_the_game_s_chances() -> None:
    arena = Arena(options={"break_speed_multiplier": 10.0})
    drops = arena.world.state.drops
    found = {"sapling": 0, "apple": 0}
    broken = 1500
    for _ in range(broken):
        arena.put(*SPOT, "leaves")
        arena.player["rest"] = 0
        arena.do("attack")
        for entry in drops[0][drops[0]["count"] > 0]:
            found[arena.world.item_names[entry["item"]]] += 1
        drops["count"] = 0
    assert found["sapling"] / broken == pytest.approx(0.05, abs=0.02)
    assert 0 < found["apple"] < 30


def loot(block: str, meta: int, times: int) -> Counter[tuple[str, int]]:
    """What so many of a block drop, by item and variant."""
    arena = Arena()
    drops = arena.world.state.drops
    found: Counter[tuple[str, int]] = Counter()
    for _ in range(times):
        arena.put(*SPOT, block, meta)
        break_block(arena.world.state, arena.world.rules, 0, *SPOT)
        for entry in drops[0][drops[0]["count"] > 0]:
            name = arena.world.item_names[entry["item"]]
            found[name, int(entry["variant"])] += int(entry["count"])
        drops["count"] = 0
    return found


def test_gravel_drops_either_itself_or_in_one_of_ten_flint() -> None:
    found = loot("gravel", 0, 3000)
    assert found.total() == 3000
    assert found["flint", 0] / 3000 == pytest.approx(0.1, abs=0.02)
    assert set(found) == {("gravel", 0), ("flint", 0)}


@pytest.mark.parametrize(
    ("block", "meta", "sapling", "chance", "apples"),
    [
        ("leaves", 0, 0, 1 / 20, True),
        ("leaves", 1, 1, 1 / 20, False),
        ("leaves", 2, 2, 1 / 20, False),
        ("leaves", 3, 3, 1 / 40, False),
        ("leaves2", 0, 4, 1 / 20, False),
        ("leaves2", 1, 5, 1 / 20, True),
    ],
)
def test_leaves_drop_saplings_of_their_tree_and_oaks_apples(
    block: str, meta: int, sapling: int, chance: float, apples: bool
) -> None:
    found = loot(block, meta, 6000)
    assert found["sapling", sapling] / 6000 == pytest.approx(chance, abs=0.008)
    apple = found["apple", 0] / 6000
    assert apple == (pytest.approx(1 / 200, abs=0.003) if apples else 0)
    assert set(found) <= {("sapling", sapling), ("apple", 0)}


@pytest.mark.parametrize(
    ("block", "meta", "expected"),
    [
        ("cocoa", 3, {("dye", 3): 1}),
        ("cocoa", 7, {("dye", 3): 1}),
        ("cocoa", 11, {("dye", 3): 3}),
        ("double_plant", 3, {}),
        ("double_plant", 0, {("double_plant", 0): 1}),
    ],
)
def test_young_cocoa_has_one_bean_and_a_large_fern_drops_nothing(
    block: str, meta: int, expected: dict[tuple[str, int], int]
) -> None:
    assert loot(block, meta, 1) == expected


def test_grass_on_top_falls_with_its_block() -> None:
    arena = Arena(options={"break_speed_multiplier": 100.0})
    arena.put(16, FLOOR - 1, 18, "dirt")
    arena.put(16, FLOOR, 18, "red_flower")
    arena.stand(16.5, FLOOR, 16.5, pitch=45.0)
    arena.player["pitch"] = 30.0
    arena.put(16, FLOOR, 18, "red_flower")
    break_block(arena.world.state, arena.world.rules, 0, 16, FLOOR - 1, 18)
    arena.do("noop")
    assert arena.block(16, FLOOR, 18) == "air"


@pytest.mark.parametrize(
    ("block", "left"), [("lava", 0), ("flowing_lava", 0), ("fire", 0), ("water", 1), ("air", 1)]
)
def test_lava_and_fire_destroy_items(block: str, left: int) -> None:
    arena = Arena()
    arena.put(10, FLOOR - 1, 10, "netherrack")  # on which a fire lasts
    arena.put(10, FLOOR, 10, block)
    arena.world.lay_item(0, item_id("diamond"), 0, (10.5, FLOOR + 0.2, 10.5))
    arena.do("noop", 10)
    assert (arena.world.state.drops[0]["count"] > 0).sum() == left


def test_dropping_gives_an_item_away_and_it_comes_back_later() -> None:
    arena = Arena()
    arena.hold("log", 2)
    arena.do("drop")
    assert arena.have("log") == 1
    arena.do("noop", 30)
    assert arena.have("log") == 1
    arena.do("forward", 30)
    assert arena.have("log") == 2
