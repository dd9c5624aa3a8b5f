"""What there is in Crafter, by the names of the package's own rules (``crafter/data.yaml``)."""

ACTIONS = (
    "noop", "move_left", "move_right", "move_up", "move_down", "do", "sleep", "place_stone",
    "place_table", "place_furnace", "place_plant", "make_wood_pickaxe", "make_stone_pickaxe",
    "make_iron_pickaxe", "make_wood_sword", "make_stone_sword", "make_iron_sword",
)  # fmt: skip
"""The actions, in the order of their numbers."""

MATERIALS = (
    "unknown", "water", "grass", "stone", "path", "sand", "tree", "lava", "coal", "iron", "diamond",
    "table", "furnace", "void",
)  # fmt: skip
"""Ground, in the order of the package's numbers. ``unknown``: not seen yet, ``void``: beyond the
edge of the world."""

CREATURES = (
    "cow", "zombie", "skeleton", "plant", "ripe plant", "arrow left", "arrow right", "arrow up",
    "arrow down",
)  # fmt: skip
"""What may stand on it, as the picture shows them."""

THINGS = (*MATERIALS, *CREATURES)
"""All that a cell of the view may show."""

VITALS = ("health", "food", "drink", "energy")

ITEMS = (
    "sapling", "wood", "stone", "coal", "iron", "diamond", "wood_pickaxe", "stone_pickaxe",
    "iron_pickaxe", "wood_sword", "stone_sword", "iron_sword",
)  # fmt: skip

ACHIEVEMENTS = (
    "collect_coal", "collect_diamond", "collect_drink", "collect_iron", "collect_sapling",
    "collect_stone", "collect_wood", "defeat_skeleton", "defeat_zombie", "eat_cow", "eat_plant",
    "make_iron_pickaxe", "make_iron_sword", "make_stone_pickaxe", "make_stone_sword",
    "make_wood_pickaxe", "make_wood_sword", "place_furnace", "place_plant", "place_stone",
    "place_table", "wake_up",
)  # fmt: skip

MOST = 9  # of a vital or an item
LENGTH = 10_000  # steps of an episode, then it is cut off
DAY = 300  # steps
SIZE = 64  # cells of the world's side
WIDE, HIGH = 4, 3  # cells of the view to each side of the player: 9 by 7
