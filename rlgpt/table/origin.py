"""What a cell is run from: the fingerprint of the world as it is now."""

from messages.world import DEFAULT_GAME
from nodes.common.running.commit import changes, current_commit
from rlgpt.composing.composition import compose_launch
from rlgpt.refused import Refused
from rlgpt.report.node_files import part
from rlgpt.table.cells import Cell
from rlgpt.tools.world_tools import fingerprint
from worlds import GameError, card

_Sources = tuple[str | None, str, tuple[str, ...]]


class Fingerprints:
    """The fingerprints of the worlds that cells are begun in. One takes seconds to come by: it is
    asked for once, and again only when tracked files have been changed since."""

    def __init__(self) -> None:
        self._known: dict[_Sources, str | None] = {}

    def of(self, cell: Cell) -> str | None:
        """The fingerprint of a cell's world; None where it has none, or does not come up."""
        name, *overrides = cell.arguments
        try:
            composed = compose_launch(name, overrides)
        except Refused:  # its launch reports it
            return None
        printed = printed_by(str(part(composed, "task").get("game", "")), part(composed, "world"))
        if not printed:
            return None
        sources = (current_commit(), changes(), printed)
        if sources not in self._known:
            self._known[sources] = fingerprint(*printed)
        return self._known[sources]


def printed_by(game: str, world: dict[str, object]) -> tuple[str, ...]:
    """The module, with its arguments, that prints the fingerprint of a game's world; empty where
    none does."""
    try:
        known = card(game or DEFAULT_GAME).fingerprints
    except GameError:
        return ()
    return tuple(known.get(str(world.get("kind", "")), ()))
