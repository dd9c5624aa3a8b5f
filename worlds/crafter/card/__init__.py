"""What every node may know of Crafter."""

from worlds.card import Card
from worlds.common.rulebook import WayRulebook
from worlds.crafter.card.game import CONDITIONS, HERE, PLANNING, SPECS, WAYS

CARD = Card(
    name="crafter",
    title="Crafter",
    conditions=CONDITIONS,
    planning=PLANNING,
    specs=SPECS,
    rulebook=WayRulebook(HERE, WAYS),
    prompts=HERE / "prompts",
    stub=HERE / "program_api.pyi",
    names_taken=("plant", "sleep", "do", "put"),
    packages=("crafter",),
)
