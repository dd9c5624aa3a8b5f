"""The language of Minecraft's coded actions."""

from pathlib import Path

from worlds.language import Language

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
            "surface", "sink", "drive", "stair_up",
        }
    ),
    helper_folder=_HERE / "helpers",
    stub=_HERE / "program_api.pyi",
)  # fmt: skip
