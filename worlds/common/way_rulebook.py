"""Rules for a game that is planned by its ways: a section of ``subtasks`` for each verb."""

from collections.abc import Mapping
from pathlib import Path

from messages.world import Condition
from worlds.card import RulebookRules, Tables
from worlds.common.ways import Ways


class WayRulebook(RulebookRules):
    """What a goal is called and how many are wanted: ``{item}``, ``{thing}``, ``{quantity}`` and
    ``{of}`` in rules, ``ITEM``, ``QUANTITY`` and ``OF`` in programs.

    Args:
        card: the folder of the card, with ``rules/`` and ``programs/``.
    """

    def __init__(self, card: Path, ways: Ways) -> None:
        self.files = card / "rules"
        self.programs = card / "programs"
        self._ways = ways

    def kind_of(
        self, goal: Condition, inventory: Mapping[str, int], alone: bool, tables: Tables
    ) -> str:
        return self._ways.way_to(goal.name, self._ways.open_ways(inventory)).how

    def words(
        self, goal: Condition, inventory: Mapping[str, int], alone: bool, tables: Tables
    ) -> dict[str, object]:
        way = self._ways.way_to(goal.name, self._ways.open_ways(inventory))
        thing = goal.name.replace("_", " ")
        return {"item": goal.name, "thing": thing, "quantity": goal.quantity, "of": way.of}

    def constants(
        self, goal: Condition, inventory: Mapping[str, int], alone: bool, tables: Tables
    ) -> dict[str, str | int | list[str]]:
        way = self._ways.way_to(goal.name, self._ways.open_ways(inventory))
        return {"ITEM": goal.name, "QUANTITY": goal.quantity, "OF": way.of}
