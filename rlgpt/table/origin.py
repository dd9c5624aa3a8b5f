"""What a cell is run from: the fingerprint of the world as it is now."""

from rlgpt.commit import changes, current_commit
from rlgpt.composition import compose_launch
from rlgpt.refused import Refused
from rlgpt.report.found import part
from rlgpt.table.cells import Cell
from rlgpt.world import fingerprint


class Fingerprints:
    """Of the worlds that cells are begun in. One takes seconds to come by: it is asked for once,
    and again only when tracked files have been changed since."""

    def __init__(self) -> None:
        self._known: dict[tuple[str | None, str], str | None] = {}

    def of(self, cell: Cell) -> str | None:
        """None where the cell is not of the embedded world, or that does not come up."""
        name, *overrides = cell.arguments
        try:
            world = part(compose_launch(name, overrides), "world").get("kind")
        except Refused:  # its launch reports it
            return None
        if world != "embedded":
            return None
        sources = (current_commit(), changes())
        if sources not in self._known:
            self._known[sources] = fingerprint()
        return self._known[sources]
