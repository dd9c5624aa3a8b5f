"""What every node may know of Crafter."""

from worlds.card import Card
from worlds.common.way_rulebook import WayRulebook
from worlds.crafter.card.card_parts import CONDITIONS, HERE, PLANNING, SPECS, WAYS
from worlds.crafter.card.language import LANGUAGE
from worlds.crafter.card.score import SCORE

CARD = Card(
    name="crafter",
    title="Crafter",
    conditions=CONDITIONS,
    planning=PLANNING,
    specs=SPECS,
    rulebook=WayRulebook(HERE, WAYS),
    prompts=HERE / "prompts",
    language=LANGUAGE,
    worlds={"crafter": "the published game, crafter 1.8.3"},
    fingerprints={"crafter": ("worlds.crafter.play.fingerprint",)},
    score=SCORE,
    names_taken=("plant", "sleep", "do", "put"),
    packages=("crafter",),
)
