import numpy as np
import pytest

from tests.voxel_world.arena import FLOOR, Arena
from voxeldojo.actions import action
from voxeldojo.rules import CRAFTS, craft_index


def test_a_wooden_pickaxe_is_crafted_from_a_felled_tree() -> None:
    arena = Arena()
    for y in range(3):
        arena.put(16, FLOOR + y, 19, "log")
    arena.do("attack", 60)
    arena.do("look_down_15")
    arena.do("look_down_15")
    arena.do("attack", 66)
    arena.do("look_up")
    arena.do("look_up_15")
    arena.do("attack", 66)
    arena.do("forward", 15)
    assert arena.have("log") == 3
    for _ in range(3):
        arena.craft("planks")
    assert arena.have("planks") == 12
    arena.craft("stick")
    arena.craft("crafting_table")
    assert (arena.have("planks"), arena.have("stick"), arena.have("crafting_table")) == (6, 4, 1)
    # Not without a crafting table in sight.
    arena.craft("wooden_pickaxe")
    assert arena.have("wooden_pickaxe") == 0
    arena.stand(16.5, FLOOR, 16.5, pitch=30.0)
    arena.place(arena.slot_of("crafting_table"))
    assert arena.have("crafting_table") == 0
    assert arena.world.observation(0)["nearby_tools"]["table"]
    assert arena.world.masks()["craft_smelt"][0, craft_index("wooden_pickaxe")]
    arena.craft("wooden_pickaxe")
    assert arena.have("wooden_pickaxe") == 1
    assert (arena.have("planks"), arena.have("stick")) == (3, 2)
    arena.do(action(function="equip", slot=arena.slot_of("wooden_pickaxe")))
    assert arena.slot_of("wooden_pickaxe") == 0


def test_a_table_counts_only_in_sight_in_range_and_put_down_by_the_player() -> None:
    arena = Arena(inventory={"crafting_table": 1})
    arena.player["pitch"] = 45.0
    arena.put(14, FLOOR, 18, "crafting_table")
    tools = lambda: bool(arena.world.observation(0)["nearby_tools"]["table"])  # noqa: E731
    assert not tools()
    arena.place(0)
    assert tools()
    arena.do("turn_right", 2)
    assert not tools()
    arena.do("turn_left", 2)
    assert tools()
    arena.do("back", 30)
    assert not tools()


def test_smelting_needs_a_furnace_and_fuel() -> None:
    arena = Arena(inventory={"furnace": 1, "iron_ore": 9})
    arena.player["pitch"] = 45.0
    arena.craft("iron_ingot")
    assert arena.have("iron_ingot") == 0
    arena.place(0)
    # The mask does not know about fuel.
    assert arena.world.masks()["craft_smelt"][0, craft_index("iron_ingot")]
    arena.craft("iron_ingot")
    assert arena.have("iron_ingot") == 0
    arena.hold("coal", 1, slot=5)
    for _ in range(9):
        arena.craft("iron_ingot")
    assert (arena.have("iron_ingot"), arena.have("coal")) == (8, 0)


def test_the_craft_mask_checks_the_first_recipe_and_crafting_tries_all() -> None:
    arena = Arena(inventory={"log2": 1})
    planks = craft_index("planks")
    first, *others = CRAFTS[planks].recipes
    assert first.ingredients == {"log": 1}
    assert {"log2": 1} in [recipe.ingredients for recipe in others]
    assert not arena.world.masks()["craft_smelt"][0, planks]
    arena.craft("planks")
    assert arena.have("planks") == 4


def test_planks_keep_the_kind_of_their_wood() -> None:
    arena = Arena()
    arena.hold("log")
    arena.world.state.slots[0:1, 0]["variant"] = 1
    arena.craft("planks")
    assert arena.world.observation(0)["inventory"]["variant"][0] == 1


def test_masks_allow_actions_and_slots_by_what_is_held() -> None:
    arena = Arena()
    masks = arena.world.masks()
    assert masks["action_type"][0].tolist() == [True, True, False, True, *[False] * 4]
    assert not masks["craft_smelt"].any()
    arena.hold("iron_helmet", slot=0)
    arena.hold("dirt", 3, slot=4)
    arena.hold("stick", 2, slot=9)
    masks = arena.world.masks()
    assert np.flatnonzero(masks["equip"][0]).tolist() == [0, 4, 9]
    assert np.flatnonzero(masks["place"][0]).tolist() == [4]
    assert np.flatnonzero(masks["destroy"][0]).tolist() == [0, 4, 9]
    assert masks["action_type"][0].tolist() == [True, True, True, True, False, True, True, True]
    arena.hold("stick", 1, slot=0)
    assert not arena.world.masks()["equip"][0, 0]


def test_a_full_inventory_forbids_crafting() -> None:
    arena = Arena(inventory={"log": 64})
    assert arena.world.masks()["action_type"][0, 4]
    for slot in range(1, 36):
        arena.hold("dirt", 64, slot)
    masks = arena.world.masks()
    assert masks["craft_smelt"].any()
    assert not masks["action_type"][0, 4]


def test_placing_needs_room_and_a_face() -> None:
    arena = Arena(inventory={"dirt": 3})
    arena.place(0)
    assert arena.have("dirt") == 3  # nothing within reach
    arena.put(16, FLOOR + 1, 18, "stone")
    arena.place(0)
    assert arena.block(16, FLOOR + 1, 17) == "dirt"
    arena.stand(16.5, FLOOR, 16.5, pitch=90.0)
    arena.place(0)
    assert arena.have("dirt") == 2  # the player stands there
    arena.do("use")
    assert arena.have("dirt") == 2


def test_equipped_armour_is_worn_in_its_slot_and_gives_points() -> None:
    arena = Arena(inventory={"iron_chestplate": 1, "iron_boots": 1})
    arena.do(action(function="equip", slot=0))
    arena.do(action(function="equip", slot=1))
    observation = arena.world.observation(0)
    assert observation["equipment"]["name"].tolist() == [
        "air",
        "iron boots",
        "air",
        "iron chestplate",
        "air",
        "air",
    ]
    assert observation["life_stats"]["armor"] == 8.0


def test_destroy_empties_a_slot_and_is_in_the_inventory_delta() -> None:
    arena = Arena(inventory={"dirt": 3})
    arena.do(action(function="destroy", slot=0))
    delta = arena.world.observation(0)["delta_inv"]
    assert arena.have("dirt") == 0
    assert delta["dec_name_by_other"].tolist() == ["dirt", "air", "air", "air"]
    assert delta["dec_quantity_by_other"].tolist() == [3.0, 0.0, 0.0, 0.0]


def test_the_inventory_delta_counts_crafted_and_used_up_items() -> None:
    arena = Arena(inventory={"log": 2})
    arena.craft("planks")
    delta = arena.world.observation(0)["delta_inv"]
    assert delta["inc_name_by_craft"].tolist() == ["planks"]
    assert delta["inc_quantity_by_craft"].tolist() == [4.0]
    assert delta["dec_name_by_craft"][0] == "log"
    assert delta["inc_name_by_other"].tolist() == ["air"]


def test_food_is_eaten_when_hungry() -> None:
    arena = Arena(inventory={"bread": 2}, options={"start_food": 10.0})
    arena.do("use")
    assert arena.have("bread") == 1
    assert arena.world.life()[1][0] == 15.0


@pytest.mark.parametrize("function", ["equip", "place", "destroy"])
def test_actions_on_an_empty_slot_are_refused_unless_strict_is_off(function: str) -> None:
    arena = Arena()
    with pytest.raises(ValueError, match=f"cannot {function} slot 7, it is empty"):
        arena.do(action(function=function, slot=7))
    relaxed = Arena(options={"strict": False})
    relaxed.do(action(function=function, slot=7))
