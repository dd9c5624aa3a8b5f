"""The language of Minecraft's coded actions."""

from pathlib import Path

from worlds.language import Language
from worlds.minecraft.card.naming import not_a_block, not_a_mob, not_an_item, not_seen

_HERE = Path(__file__).parent

LANGUAGE = Language(
    game="minecraft",
    primitives={
        "noop": 0, "forward": 0, "back": 0, "left": 0, "right": 0, "jump": 0, "sprint": 0,
        "sneak": 0, "attack": 0, "forward_attack": 0, "use": 0, "drop": 0, "turn": 1, "look": 1,
        "craft": 1, "equip": 1, "place": 1, "destroy": 1,
    },
    functions=frozenset({"nearest", "nearest_mob", "find", "look_out", "far_rays", "route"}),
    fields=frozenset(
        {
            "position", "yaw", "pitch", "life", "food", "inventory", "facing", "facing_distance",
            "rays", "craftable", "steps", "block", "distance", "oxygen", "light", "held",
            "equipment", "facing_mob", "facing_mob_distance", "killed", "used", "nearby_table",
            "nearby_furnace", "entity", "entity_distance",
        }
    ),
    methods=frozenset({"block"}),
    helpers=frozenset(
        {
            "look_at", "walk_to", "walk_on", "step_on", "dig_at", "place_at", "travel", "roam",
            "surface", "sink", "drive", "stair_up", "hold_for", "gather_at", "take_along",
            "cell_of", "may_sink", "explore",
        }
    ),
    helper_folder=_HERE / "helpers",
    stub=_HERE / "program_api.pyi",
    naming={"block": not_a_block, "item": not_an_item, "mob": not_a_mob, "seen": not_seen},
    named_arguments={
        "find": (1, "block", "block"), "nearest": (1, "block", "block"),
        "nearest_mob": (1, "mob", "mob"), "look_out": (1, "name", "seen"),
        "craft": (0, "item", "item"), "equip": (0, "item", "item"),
        "place": (0, "item", "item"), "destroy": (0, "item", "item"),
        "place_at": (1, "item", "item"), "hold_for": (1, "block", "block"),
        "gather_at": (1, "item", "item"),
    },
    named_fields={
        "facing": "block", "block": "block", "facing_mob": "mob", "entity": "mob", "killed": "mob",
        "held": "item", "inventory": "item", "craftable": "item", "equipment": "item",
        "used": "item",
    },
)  # fmt: skip
