"""The names that a training spec in Minecraft may use."""

from collections.abc import Mapping

from messages.world import Condition, Interface, RewardTerm
from voxeldojo.actions import AUTOCRAFT_STEPS, PRIMITIVES, WITH_ITEM, check_item
from worlds.card import Specs
from worlds.minecraft.card.conditions import counted_problem, seen_problem
from worlds.minecraft.card.features import FEATURES, counted_items
from worlds.minecraft.card.naming import mob_seen_as, seen_name

_PAID_FOR = {
    "gain": "per {name} gained",
    "approach": "per metre closer to {name}",
    "facing": "every step that faces {name}",
}


class MinecraftSpecs(Specs):
    features = FEATURES
    actions = tuple(PRIMITIVES)
    with_item = ("craft", "equip", "place")  # no goal needs `destroy`, which may be named too
    kept_up = ("attack", "use")  # to dig; to draw a bow, to eat
    most_assisted = AUTOCRAFT_STEPS
    rewards: Mapping[str, str] = {
        "gain": "per item ``name`` above the episode's largest number so far",
        "approach": "per metre by which a visible block or mob called ``name`` is nearer than any "
        "was before in the episode",
        "facing": "at each step with the crosshair on one called ``name`` within reach",
    }

    def action_problem(self, name: str) -> str:
        verb, colon, item = name.partition(":")
        if not colon or verb not in WITH_ITEM:
            return super().action_problem(name)
        try:
            check_item(verb, item)
        except ValueError as error:
            return f"Action {name!r}: {error}."
        return ""

    def reward_problem(self, term: RewardTerm) -> str:
        if term.kind not in self.rewards:
            return f"there is no such term; the game's own are {', '.join(self.rewards)}"
        return counted_problem(term.name) if term.kind == "gain" else seen_problem(term.name)

    def seen_name(self, name: str) -> str:
        return mob_seen_as(seen_name(name))

    def reward_words(self, term: RewardTerm) -> str:
        return _PAID_FOR[term.kind].format(name=term.name)

    def target_problem(self, name: str) -> str:
        return seen_problem(name)

    def counted_items(self, interface: Interface, success: Condition) -> list[str]:
        return counted_items(interface, success)


SPECS = MinecraftSpecs()
