"""Minecraft, for every node."""

from pathlib import Path

from worlds.card import START, Card
from worlds.minecraft.card.conditions import CONDITIONS
from worlds.minecraft.card.language import LANGUAGE
from worlds.minecraft.card.minedojo_tasks import GOALS
from worlds.minecraft.card.planning import PLANNING
from worlds.minecraft.card.rule_fillings import RULEBOOK
from worlds.minecraft.card.specs import SPECS
from worlds.minecraft.card.task_check import setting, task_problems, world_lacks

_HERE = Path(__file__).parent

CARD = Card(
    name="minecraft",
    title="Minecraft",
    conditions=CONDITIONS,
    planning=PLANNING,
    specs=SPECS,
    rulebook=RULEBOOK,
    prompts=_HERE / "prompts",
    language=LANGUAGE,
    start=START,
    task_problems=task_problems,
    world_lacks=world_lacks,
    setting=setting,
    goals=GOALS,
    worlds={
        "embedded": "the embedded world, which has Minecraft 1.11.2's rules and MineDojo's "
        "interface and is not Minecraft",
        "minedojo": "Minecraft, through the real MineDojo package",
    },
    fingerprints={"embedded": ("voxeldojo", "fingerprint")},
    names_taken=("place", "look", "find", "left"),
)
