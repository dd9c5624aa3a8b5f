"""What carries out Crafter's language of programs."""

from worlds.common.numbered_actions import numbered_runtime
from worlds.crafter.card.crafter_names import ACTIONS
from worlds.crafter.card.language import LANGUAGE
from worlds.crafter.play.observation import (
    Observation,
    Way,
    way_onto,
    way_to,
    way_to_unknown,
)
from worlds.crafter.play.sight import Creature

RUNTIME = numbered_runtime(
    LANGUAGE,
    ACTIONS,
    Observation,
    functions={"way_to": way_to, "way_onto": way_onto, "way_to_unknown": way_to_unknown},
    values=frozenset({Way, Creature}),
)
