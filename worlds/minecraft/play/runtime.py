"""What carries out Minecraft's language of programs."""

from worlds.minecraft.card.language import LANGUAGE
from worlds.minecraft.play.observation import (
    Observation,
    Observations,
    Ray,
    far_rays,
    find,
    look_out,
    nearest,
    nearest_mob,
    route,
)
from worlds.minecraft.play.primitives import ARGUMENT, VECTORS, written
from worlds.runtime import Runtime

RUNTIME = Runtime(
    language=LANGUAGE,
    functions={
        "nearest": nearest,
        "nearest_mob": nearest_mob,
        "find": find,
        "look_out": look_out,
        "far_rays": far_rays,
        "route": route,
    },
    arguments=ARGUMENT,
    observe=Observations,
    observation=Observation,
    values=frozenset({Observation, Ray}),
    methods={Observation: LANGUAGE.methods},
    vectors=VECTORS,
    described=written,
)
