"""What carries out Crafter's language of programs."""

import numpy as np

from worlds.crafter.card.language import LANGUAGE
from worlds.crafter.card.names import ACTIONS
from worlds.crafter.play.observation import (
    Observation,
    Observations,
    Way,
    way_onto,
    way_to,
    way_to_unknown,
)
from worlds.crafter.play.sight import Creature
from worlds.runtime import Code, Runtime


def _described(code: Code) -> str:
    assert isinstance(code, int)
    return ACTIONS[code]


RUNTIME = Runtime(
    language=LANGUAGE,
    functions={"way_to": way_to, "way_onto": way_onto, "way_to_unknown": way_to_unknown},
    arguments={},
    observe=Observations,
    observation=Observation,
    values=frozenset({Observation, Way, Creature}),
    methods={Observation: LANGUAGE.methods},
    vectors=np.arange(len(ACTIONS), dtype=np.int64)[:, None],
    described=_described,
)
