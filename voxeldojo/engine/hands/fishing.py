"""Fishing: what is caught, by the game's loot tables gameplay/fishing (without luck)."""

import numpy as np

from voxeldojo.engine.body.experience import gain_xp
from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.hands.items import add_items, lay_drop
from voxeldojo.rules import item_id

# Rows of item, variant, count, weight, in the game's three categories.
FISH = [("fish", 0, 1, 60), ("fish", 1, 1, 25), ("fish", 2, 1, 2), ("fish", 3, 1, 13)]
JUNK = [
    ("leather_boots", 0, 1, 10),
    ("leather", 0, 1, 10),
    ("bone", 0, 1, 10),
    ("potion", 0, 1, 10),
    ("string", 0, 1, 5),
    ("fishing_rod", 0, 1, 2),
    ("bowl", 0, 1, 10),
    ("stick", 0, 1, 5),
    ("dye", 0, 10, 1),
    ("tripwire_hook", 0, 1, 10),
    ("rotten_flesh", 0, 1, 10),
]
TREASURE = [
    (name, 0, 1, 1)
    for name in ("waterlily", "name_tag", "saddle", "bow", "fishing_rod", "enchanted_book")
]
CATCH = np.array([(item_id(row[0]), *row[1:]) for row in [*FISH, *JUNK, *TREASURE]], np.int64)
FIRST = np.array([0, len(FISH), len(FISH) + len(JUNK), len(CATCH)], np.int64)
FISHES, JUNKS = 0.85, 0.95  # chances of a fish, and of a fish or junk; the rest is treasure


@entry_kernel
def hooked(player):
    """Draw a row of CATCH with the game's chances."""
    draw = unit(player)
    basket = 0 if draw < FISHES else (1 if draw < JUNKS else 2)
    total = 0
    for row in range(FIRST[basket], FIRST[basket + 1]):
        total += CATCH[row, 3]
    left = below(player, total)
    for row in range(FIRST[basket], FIRST[basket + 1]):
        left -= CATCH[row, 3]
        if left < 0:
            return row
    return FIRST[basket]


@kernel
def reel_in(state, rules, w):
    """Take in the line with its catch. Returns whether there is one."""
    player = state.players[w]
    bites = player.fishing < 0
    player.fishing = 0
    if not bites:
        return False
    row = hooked(player)
    item = CATCH[row, 0]
    variant = CATCH[row, 1]
    gain_xp(state, w, 1.0 + below(player, 6))
    left = add_items(state, rules, w, item, CATCH[row, 2], variant, 0)
    if left > 0:
        lay_drop(
            state, w, player.x, player.y + 1.0, player.z, 0.0, 0.1, 0.0, item, left, variant, 0, 10
        )
    return True
