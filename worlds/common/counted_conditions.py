"""Conditions of a game whose conditions are all of the kind ``have``: counters that have to
rise."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from messages.world import Condition, Episode, RewardTerm
from voxeldojo.names import near
from worlds.card import Conditions, Specs


class CountedConditions(Conditions):
    """``have``, and no other kind.

    Args:
        counters: their names.
        most: the largest quantity of a condition.
        limits: the largest quantities of counters that cannot rise as far.
    """

    kinds: Mapping[str, str] = {
        "have": "at least ``quantity`` more of ``name`` than at the start of the episode (of the "
        "subtask, when a goal is performed)"
    }

    def __init__(
        self,
        counters: Collection[str],
        most: int = 1_000_000,
        limits: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._counters = counters
        self._most = most
        self._limits = limits

    def problem_of_kind(self, condition: Condition) -> str:
        name, quantity = condition.name, condition.quantity
        if not 1 <= quantity <= self._most:
            return f"a quantity is 1 to {self._most}, not {quantity}"
        if quantity > (most := self._limits.get(name, self._most)):
            return f"there are never more than {most} {name}, so {quantity} cannot be had"
        return self.name_problem(name)

    def name_problem(self, name: str) -> str:
        """What is wrong with a counter's name, "" if nothing is."""
        known = self._counters
        return "" if name in known else f"there is no counter {name!r}{near(name, known)}"

    def words(self, condition: Condition) -> str:
        return f"at least {condition.quantity} more of `{condition.name}`"

    def short(self, condition: Condition) -> str:
        return f"{condition.quantity} more {condition.name}"

    def holds(self, condition: Condition, episode: Episode) -> bool:
        return gained(condition, episode) >= condition.quantity

    def progress(self, condition: Condition, episode: Episode) -> float:
        """The share of the quantity that was reached, also by a player that died later."""
        return max(0.0, min(1.0, gained(condition, episode) / condition.quantity))


class CountedSpecs(Specs):
    """Rewards for counters that rise (``gain``); no targets."""

    rewards: Mapping[str, str] = {"gain": "per ``name`` above the episode's largest count so far"}

    def __init__(self, conditions: CountedConditions) -> None:
        self._conditions = conditions

    def reward_problem(self, term: RewardTerm) -> str:
        if term.kind not in self.rewards:
            return f"there is no reward term {term.kind!r}"
        return self._conditions.name_problem(term.name)

    def reward_words(self, term: RewardTerm) -> str:
        return f"per {term.name} gained"

    def target_problem(self, name: str) -> str:
        return f"this game has no targets, so no {name!r}"


def gained(condition: Condition, episode: Episode) -> int:
    """How much the counter of a condition has risen in the episode."""
    return grown(condition.name, episode.before.inventory, episode.after.inventory)


def grown(name: str, before: Mapping[str, int], after: Mapping[str, int]) -> int:
    """How much a counter has risen; a missing one is 0."""
    return after.get(name, 0) - before.get(name, 0)
