import pytest

from voxeldojo.actions import ACTION_SIZES, PRIMITIVES, action
from voxeldojo.rules import BIOMES, BLOCKS, CRAFTS, ITEMS, SPEEDS, biome_named, craft_index, item_id


def test_tables_have_the_games_numbers_of_blocks_items_crafts_and_biomes() -> None:
    assert (len(BLOCKS), len(ITEMS), len(CRAFTS), len(BIOMES)) == (236, 392, 244, 63)
    stations = [craft.station for craft in CRAFTS]
    assert stations == ["hand"] * 54 + ["table"] * 170 + ["furnace"] * 20
    assert sum(bool(item.block) for item in ITEMS) == 184
    assert ITEMS[0].name == "air"
    assert [item.name for item in ITEMS[1:]] == sorted(item.name for item in ITEMS[1:])


def test_tables_name_only_blocks_and_items_of_each_other() -> None:
    items = {item.name for item in ITEMS}
    blocks = {block.name for block in BLOCKS}
    for block in BLOCKS:
        assert {drop[0] for drop in block.drops} <= items
        assert set(block.tools) <= items
        assert block.material in {"", *SPEEDS}
        for _item, fewest, most, chance, *_ in block.drops:
            assert 0 <= fewest <= most
            assert 0.0 < chance <= 1.0
    for craft in CRAFTS:
        assert craft.recipes
        for recipe in craft.recipes:
            assert set(recipe.ingredients) <= items
    for biome in BIOMES:
        assert {biome.terrain.top, biome.terrain.fill} <= blocks


@pytest.mark.parametrize(
    ("index", "item", "count", "ingredients"),
    [
        (7, "crafting_table", 1, {"planks": 4}),
        (29, "planks", 4, {"log": 1}),
        (41, "stick", 4, {"planks": 2}),
        (119, "furnace", 1, {"cobblestone": 8}),
        (207, "stone_pickaxe", 1, {"cobblestone": 3, "stick": 2}),
        (219, "wooden_pickaxe", 1, {"planks": 3, "stick": 2}),
        (239, "iron_ingot", 1, {"iron_ore": 1}),
    ],
)
def test_craft_indices_have_minedojos_items_and_recipes(
    index: int, item: str, count: int, ingredients: dict[str, int]
) -> None:
    assert craft_index(item) == index
    first = CRAFTS[index].recipes[0]
    assert (CRAFTS[index].item, first.count, first.ingredients) == (item, count, ingredients)


def test_blocks_have_the_games_localised_names() -> None:
    names = {block.name: block.localised for block in BLOCKS}
    for name, localised in {
        "log": "wood",
        "log2": "wood",
        "leaves": "leaves",
        "grass": "grass block",
        "tallgrass": "grass",
        "planks": "wooden planks",
        "mossy_cobblestone": "moss stone",
        "red_flower": "flower",
        "reeds": "sugar cane",
        "stone": "stone",
        "flowing_water": "water",
        "fence": "oak fence",
    }.items():
        assert names[name] == localised


def test_primitive_actions_are_valid_minedojo_actions() -> None:
    assert PRIMITIVES["noop"] == (0, 0, 0, 12, 12, 0, 0, 0)
    assert PRIMITIVES["look_down"][3] == 14
    assert PRIMITIVES["turn_left"][4] == 10
    for vector in PRIMITIVES.values():
        assert len(vector) == 8
        assert all(0 <= value < size for value, size in zip(vector, ACTION_SIZES, strict=True))


def test_unknown_names_are_refused_in_words() -> None:
    with pytest.raises(ValueError, match="did you mean"):
        item_id("wooden_pikaxe")
    with pytest.raises(ValueError, match="cannot be crafted"):
        craft_index("bedrock")
    with pytest.raises(ValueError, match="no biome"):
        biome_named("moon")
    with pytest.raises(ValueError, match="no function"):
        action(function="sing")
    assert biome_named("Forest Hills").id == 18
