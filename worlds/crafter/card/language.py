"""The language of Crafter's coded actions."""

from pathlib import Path

from worlds.crafter.card.crafter_names import ACTIONS
from worlds.language import Language

_HERE = Path(__file__).parent

LANGUAGE = Language(
    game="crafter",
    primitives=dict.fromkeys(ACTIONS, 0),
    functions=frozenset({"way_to", "way_onto", "way_to_unknown"}),
    fields=frozenset(
        {
            "position", "facing", "health", "food", "drink", "energy", "inventory",
            "achievements", "sleeping", "daylight", "time", "steps", "creatures", "name", "dx",
            "dy", "cost", "x", "y",
        }
    ),
    methods=frozenset({"cell"}),
    helpers=frozenset(
        {
            "live", "guard", "gather", "put", "stand_at_table", "beside", "shelter", "enclosed",
            "plant", "harvest", "hunt", "consume", "explore",
        }
    ),
    helper_folder=_HERE / "helpers",
    stub=_HERE / "program_api.pyi",
)  # fmt: skip
