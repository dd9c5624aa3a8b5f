"""Attack damage and recovery of each item, by item id, from the game's attribute modifiers."""

import numpy as np

from voxeldojo.rules import item_names

BLOWS = np.ones(len(item_names))
RECOVERY = np.full(len(item_names), 5.0)  # ticks until a blow has its full strength again
_DAMAGE = {
    "sword": (4.0, 5.0, 6.0, 7.0, 4.0),
    "axe": (7.0, 9.0, 9.0, 9.0, 7.0),
    "pickaxe": (2.0, 3.0, 4.0, 5.0, 2.0),
    "shovel": (2.5, 3.5, 4.5, 5.5, 2.5),
    "hoe": (1.0, 1.0, 1.0, 1.0, 1.0),
}
_PER_SECOND = {
    "sword": (1.6, 1.6, 1.6, 1.6, 1.6),
    "axe": (0.8, 0.8, 0.9, 1.0, 1.0),
    "pickaxe": (1.2, 1.2, 1.2, 1.2, 1.2),
    "shovel": (1.0, 1.0, 1.0, 1.0, 1.0),
    "hoe": (1.0, 2.0, 3.0, 4.0, 1.0),
}
for _tool, _damages in _DAMAGE.items():
    for _column, _stuff in enumerate(("wooden", "stone", "iron", "diamond", "golden")):
        _item = item_names.index(f"{_stuff}_{_tool}")
        BLOWS[_item] = _damages[_column]
        RECOVERY[_item] = 20.0 / _PER_SECOND[_tool][_column]
