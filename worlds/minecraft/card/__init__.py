"""Minecraft, for every node."""

from pathlib import Path

from worlds.card import Card
from worlds.minecraft.card.conditions import CONDITIONS
from worlds.minecraft.card.goals import GOALS
from worlds.minecraft.card.planning import PLANNING
from worlds.minecraft.card.rulebook import RULEBOOK
from worlds.minecraft.card.specs import SPECS
from worlds.minecraft.card.tasks import setting, task_problems

_HERE = Path(__file__).parent

CARD = Card(
    name="minecraft",
    title="Minecraft",
    conditions=CONDITIONS,
    planning=PLANNING,
    specs=SPECS,
    rulebook=RULEBOOK,
    prompts=_HERE / "prompts",
    stub=_HERE / "program_api.pyi",
    task_problems=task_problems,
    setting=setting,
    goals=GOALS,
    names_taken=("place", "look", "find", "left"),
)
