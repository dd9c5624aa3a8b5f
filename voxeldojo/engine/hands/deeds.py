"""The use of each item and the after-effects of food, as tables by item id."""

import numpy as np

from voxeldojo.engine.body.effects import (
    ABSORPTION,
    FIRE_RESISTANCE,
    HUNGER,
    POISON,
    REGENERATION,
    RESISTANCE,
)
from voxeldojo.rules import BLOCKS, item_id, item_names

FILL, POUR, MILK, TILL, LIGHT, BOTTLE, EYE_IN, FISH, DRAW = 1, 2, 3, 4, 5, 6, 7, 8, 9
PLANT, THROW, RAISE, FERTILISE = 10, 11, 12, 13

DEED = np.zeros(len(item_names), np.int64)
WHAT = np.zeros(len(item_names), np.int64)
"""The block that is poured or planted, or the kind of thing that is thrown."""

_blocks = {block.name: block.id for block in BLOCKS}


def _say(deed: int, **things: str | int) -> None:
    for name, what in things.items():
        DEED[item_id(name)] = deed
        WHAT[item_id(name)] = _blocks[what] if isinstance(what, str) else what


_say(FILL, bucket=0)
_say(POUR, water_bucket="water", lava_bucket="lava")
_say(MILK, milk_bucket=0)
_say(TILL, wooden_hoe=0, stone_hoe=0, iron_hoe=0, golden_hoe=0, diamond_hoe=0)
_say(LIGHT, flint_and_steel=0, fire_charge=0)
_say(BOTTLE, glass_bottle=0)
_say(EYE_IN, ender_eye=7)
_say(FISH, fishing_rod=0)
_say(DRAW, bow=0)
_say(THROW, snowball=4, egg=5, ender_pearl=6)
_say(RAISE, shield=0)
_say(FERTILISE, dye=0)  # its variant 15, bone meal
_say(
    PLANT,
    wheat_seeds="wheat",
    carrot="carrots",
    potato="potatoes",
    beetroot_seeds="beetroots",
    melon_seeds="melon_stem",
    pumpkin_seeds="pumpkin_stem",
    nether_wart="nether_wart",
    reeds="reeds",
    redstone="redstone_wire",
    string="tripwire",
    sign="standing_sign",
    repeater="unpowered_repeater",
    comparator="unpowered_comparator",
    brewing_stand="brewing_stand",
    cauldron="cauldron",
    flower_pot="flower_pot",
    skull="skull",
    cake="cake",
    bed="bed",
    wooden_door="wooden_door",
    spruce_door="spruce_door",
    birch_door="birch_door",
    jungle_door="jungle_door",
    acacia_door="acacia_door",
    dark_oak_door="dark_oak_door",
    iron_door="iron_door",
)

# After-effects of food: (item, variant, chance, effect, ticks, strength); variant -1 is any.
AFTER = [
    ("rotten_flesh", -1, 0.8, HUNGER, 600, 0),
    ("spider_eye", -1, 1.0, POISON, 100, 0),
    ("poisonous_potato", -1, 0.6, POISON, 100, 0),
    ("chicken", -1, 0.3, HUNGER, 600, 0),
    ("fish", 3, 1.0, POISON, 1200, 3),
    ("fish", 3, 1.0, HUNGER, 300, 2),
    ("golden_apple", 0, 1.0, REGENERATION, 100, 1),
    ("golden_apple", 0, 1.0, ABSORPTION, 2400, 0),
    ("golden_apple", 1, 1.0, REGENERATION, 400, 1),
    ("golden_apple", 1, 1.0, RESISTANCE, 6000, 0),
    ("golden_apple", 1, 1.0, FIRE_RESISTANCE, 6000, 0),
    ("golden_apple", 1, 1.0, ABSORPTION, 2400, 3),
]
EFFECT_ROWS = np.array([(item_id(row[0]), row[1], *row[3:]) for row in AFTER], np.int64)
EFFECT_CHANCES = np.array([row[2] for row in AFTER])
# Eating from a bowl gives the bowl back.
BOWLED = np.zeros(len(item_names), np.int64)
for _name in ("mushroom_stew", "rabbit_stew", "beetroot_soup"):
    BOWLED[item_id(_name)] = item_id("bowl")
# Food that can be eaten without hunger.
ALWAYS = np.zeros(len(item_names), np.bool_)
for _name in ("golden_apple", "chorus_fruit"):
    ALWAYS[item_id(_name)] = True
