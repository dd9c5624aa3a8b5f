"""What is written about a table, and how it differs from what it is compared with."""

from collections import Counter

import msgspec

from rlgpt.table.definition import Definition
from rlgpt.table.figures import Row
from rlgpt.table.origin import printed_by
from rlgpt.table.result import CellResult
from rlgpt.table.scored import score_of
from worlds import GameError, card
from worlds.card import Score


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """All that is written about a table."""

    name: str
    definition: Definition
    wanted: int  # cells of the whole table
    results: list[CellResult]
    rows: list[Row]
    command: str

    @property
    def llms(self) -> list[str]:
        """The language models that have a cell; all of them while there is none."""
        met = {result.llm for result in self.results}
        return [llm for llm in self.definition.llms if llm in met] or self.definition.llms

    @property
    def score(self) -> Score | None:
        """The score of the game whose cells they are."""
        return score_of(self.results[0].game) if self.results else None


def title(results: list[CellResult]) -> str:
    """The title of the game whose cells these are, as it calls itself."""
    titles = dict.fromkeys(_title(result.game) for result in results)
    return " and ".join(titles)


def difference(results: list[CellResult]) -> str:
    """How the world, or what is known of it, and the language model differ from the paper's, in
    words."""
    models = sorted({result.llm for result in results})
    rulebook = (
        " The questions were answered by the rulebook, which is no language model and knows the "
        "tasks from rules and a stock of programs written by hand."
        if models == ["rulebook"]
        else ""
    )
    if results and (score := score_of(results[0].game)) is not None:
        return f"{score.differs}{rulebook}"
    kinds = dict.fromkeys((r.game, r.world) for r in results)
    there = "; ".join(_described(game, kind) for game, kind in kinds)
    return (
        f"The world differs. The rates here are from {there}; the paper's are from "
        f"{title(results)}.{rulebook} They stand side by side for comparison and are no "
        "reproduction of each other."
    )


def fingerprints(results: list[CellResult]) -> list[tuple[str | None, int]]:
    """The worlds that the cells are of, and how many are of each; None: not noted."""
    marks = (r.fingerprint for r in results if printed_by(r.game, {"kind": r.world}))
    return Counter(marks).most_common()


def _described(game: str, kind: str) -> str:
    try:
        return card(game).worlds.get(kind, f"the world {kind}")
    except GameError:
        return f"the world {kind}"


def _title(game: str) -> str:
    try:
        return card(game).title
    except GameError:
        return game
