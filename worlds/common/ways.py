"""How what conditions count is had in a game: one way to each item, or several of which one is
taken. *Items* are all that the game counts, achievements among them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import yaml

from messages.bounds import Positive
from voxeldojo.names import near
from worlds.card import Unreachable


class Way(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way to an item. ``how``: a verb of the game. ``of``: what is dug or killed, say, or what
    ``tool`` is used on. ``tools``: one of them has to be at hand, is kept, and may wear."""

    how: str
    of: str = ""
    tools: list[str] = []
    uses: dict[str, Positive] = {}  # consumed each time
    station: str = ""  # item that has to stand near, and is kept
    gives: Positive = 1  # items each time, at least


def read_ways(path: Path) -> dict[str, list[Way]]:
    """A table of ways, item by item: a way, or a list of them.

    Raises:
        ValueError: it is none; the message has where.
    """
    try:
        entries = msgspec.convert(yaml.safe_load(path.read_text("utf-8")), dict[str, Any])
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        raise ValueError(f"{path.name} is no table of ways: {error}") from None
    table: dict[str, list[Way]] = {}
    for item, entry in entries.items():
        try:
            way = msgspec.convert(entry, Way | list[Way])
        except msgspec.ValidationError as error:
            raise ValueError(f"{path.name}: the way to {item!r}: {error}") from None
        table[item] = way if isinstance(way, list) else [way]
    return table


class Ways:
    """The ways of a game. Of several to one item the first is taken whose tool is held or could be
    made at once, else the last.

    Args:
        table: item by item, as `read_ways` has it.
        made: verbs of ways that make what they name from other items: with these, all that comes
            of one time is certain to be had.
        tools_by_tier: sorts tools of which any would do, those of the lowest tier first.
        beyond: items that ways may take though nothing in the table leads to them, and why there is
            no way to them, in a sentence, or "".

    Raises:
        ValueError: a way takes an item that is in neither, or ``made`` has a verb of no way.
    """

    def __init__(
        self,
        table: Mapping[str, Sequence[Way]],
        made: Collection[str] = (),
        tools_by_tier: Callable[[Sequence[str]], list[str]] = list,
        beyond: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        for item, way in ((item, way) for item, ways in table.items() for way in ways):
            for taken in (*way.uses, *way.tools, *filter(None, [way.station])):
                if taken not in table and taken not in beyond:
                    raise ValueError(
                        f"the way to {item!r} takes {taken!r}, to which there is no way"
                        f"{near(taken, table)}"
                    )
        self.made = frozenset(made)
        self.verbs = frozenset(way.how for ways in table.values() for way in ways)
        for verb in sorted(self.made - self.verbs):
            raise ValueError(f"made has {verb!r}, by which no way goes{near(verb, self.verbs)}")
        self._way = {item: ways[-1] for item, ways in table.items()}
        self._several = {item: list(ways) for item, ways in table.items() if len(ways) > 1}
        self._by_tier = tools_by_tier
        self._beyond = beyond

    def items(self) -> list[str]:
        """All that can be had."""
        return list(self._way)

    def ways_to(self, item: str) -> list[Way]:
        """All of them, the first to be taken first; none where nothing leads to it."""
        return self._several.get(item) or [self._way[item]] if item in self._way else []

    def way_to(self, item: str, chosen: Collection[str] = ()) -> Way:
        """``chosen``: items of which the way with a tool is taken, see `open_ways`.

        Raises:
            Unreachable: there is none.
        """
        if item in chosen:
            return self._several[item][0]
        way = self._way.get(item)
        if way is None:
            raise Unreachable(self._beyond.get(item) or f"nothing in the rules leads to {item!r}")
        return way

    def open_ways(self, inventory: Mapping[str, int], make: bool = False) -> frozenset[str]:
        """Items of which the first of several ways is open: its tool is held or, with ``make``,
        could be made at once."""
        return frozenset(
            item
            for item, ways in self._several.items()
            if any(
                inventory.get(tool, 0) > 0 or (make and self._could_be_made(tool, inventory))
                for tool in ways[0].tools
            )
        )

    def easiest(self, tools: Sequence[str]) -> str:
        """The tool of the lowest tier, else the first."""
        return self._by_tier(tools)[0]

    def _could_be_made(self, tool: str, inventory: Mapping[str, int]) -> bool:
        way = self._way.get(tool)
        return (
            way is not None
            and way.how == "craft"
            and all(inventory.get(used, 0) >= count for used, count in way.uses.items())
            and (not way.station or inventory.get(way.station, 0) > 0)
        )
