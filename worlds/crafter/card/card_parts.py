"""The parts of Crafter's card: counters, features of policies, and data for planning."""

from collections.abc import Mapping
from pathlib import Path

from messages.world import RewardTerm
from worlds.card import Feature
from worlds.common.counted_conditions import CountedConditions, CountedSpecs
from worlds.common.pictures import RGB
from worlds.common.plan_arithmetic import Arithmetic
from worlds.common.planning import WayPlanning
from worlds.common.ways import Ways, read_ways
from worlds.crafter.card.crafter_names import (
    ACHIEVEMENTS,
    ACTIONS,
    HIGH,
    ITEMS,
    LENGTH,
    MOST,
    THINGS,
    WIDE,
)

HERE = Path(__file__).parent
ALL = "achievements"
"""A counter: how many different achievements were unlocked in the episode."""
COUNTERS = (*ITEMS, *ACHIEVEMENTS, ALL)
"""What conditions count, in the order of the play's arrays."""

CELLS = (2 * WIDE + 1) * (2 * HIGH + 1)
FEATURES = {
    feature.name: feature
    for feature in (
        Feature(
            name="view",
            size=CELLS * len(THINGS),
            description="for each of the 9x7 cells around the player, column by column, one-hot "
            "which of 23 things it shows",
        ),
        Feature(name="vitals", size=4, description="health, food, drink and energy, / 9"),
        Feature(
            name="inventory", size=len(ITEMS), description="how many of each item are held, / 9"
        ),
        Feature(
            name="facing", size=4, description="one-hot: whether it faces left, right, up, down"
        ),
        Feature(name="sleeping", size=1, description="1 while asleep"),
        Feature(name="daylight", size=1, description="0 at midnight to 1"),
        Feature(
            name="unlocked", size=len(ACHIEVEMENTS), description="1 for each achievement unlocked"
        ),
        Feature(name="previous_choice", size=0, description="the last choice, one-hot"),
        RGB,
        Feature(name="time", size=1, description="share of the horizon that is used up"),
        Feature(
            name="under_way",
            size=2,
            description="whether the last choice was a macro that was interrupted and can go on if "
            "it is chosen again, and the share of its max_steps that it has used",
        ),
    )
}

LIMITS = {**dict.fromkeys(ITEMS, MOST), ALL: len(ACHIEVEMENTS)}
CONDITIONS = CountedConditions(COUNTERS, LENGTH, LIMITS)
WAYS = Ways(read_ways(HERE / "ways.yaml"), made={"make"})


class CrafterSpecs(CountedSpecs):
    features = FEATURES
    actions = ACTIONS
    rewards: Mapping[str, str] = {
        **CountedSpecs.rewards,
        "health": "per point of health gained; a lost one is subtracted. The game itself pays 0.1 "
        "for it, and 1 for each achievement unlocked",
    }
    nameless = ("health",)

    def reward_words(self, term: RewardTerm) -> str:
        return "per point of health" if term.kind == "health" else super().reward_words(term)


SPECS = CrafterSpecs(CONDITIONS)
_VERBS = ("collect", "consume", "make", "place", "grow", "defeat", "rest", "achieve")
PLANNING = WayPlanning(
    Arithmetic(WAYS, holds=LIMITS),
    verbs={verb: verb for verb in _VERBS},
    phrases={
        "collect": "collect from {of}",
        "consume": "walk up to {of} and do()",
        "make": "make beside a table",
        "place": "place a {of}",
        "grow": "plant a sapling, keep animals away from it, eat it when it is ripe",
        "defeat": "defeat a {of}",
        "rest": "sleep until rested",
        "achieve": "unlock {of}",
    },
)
