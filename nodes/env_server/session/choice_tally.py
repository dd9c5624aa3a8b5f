"""What a policy chose in a session, and how the macros that it chose ended."""

from collections import Counter

import numpy as np

from messages.world import ChoiceUse, Interface
from models.outcomes import run_in_words
from nodes.env_server.interface.stage import InterfaceStage
from nodes.env_server.programs import Run
from worlds.play import Bools, Ints

MOST_ENDINGS = 12
"""The most endings that are counted of one macro; an error may name a place, and be another one
each time."""


class ChoiceTally:
    """Counts from where a stage of another interface begins: of consecutive policies it is about
    the last one, however often that began again."""

    def __init__(self) -> None:
        self._interface: Interface | None = None
        self._times: Counter[str] = Counter()
        self._endings: dict[str, Counter[str]] = {}
        self._running: dict[int, str] = {}  # environment -> macro

    def begin(self, interface: Interface) -> None:
        if interface != self._interface:
            self._interface = interface
            self._times.clear()
            self._endings.clear()

    def chose(self, stage: InterfaceStage, choices: Ints, acting: Bools) -> None:
        """One decision in the rows that are ``acting``."""
        names, primitives = stage.choices.names, stage.choices.primitives
        self._running.clear()
        for row in np.flatnonzero(acting).tolist():
            name = names[choices[row]]
            self._times[name] += 1
            if choices[row] >= primitives:
                self._running[row] = name

    def ended(self, row: int, run: Run) -> None:
        """A macro has ended."""
        ending, name = run.ending, self._running.get(row)
        if ending is None or name is None:
            return
        words = run_in_words(ending.status, ending.line, ending.error)
        known = self._endings.setdefault(name, Counter())
        known[words if words in known or len(known) < MOST_ENDINGS else "ended otherwise"] += 1

    def uses(self) -> list[ChoiceUse]:
        """The most frequent first; what was never chosen is among them."""
        interface = self._interface
        if interface is None:
            return []
        names = [*interface.actions, *(macro.name for macro in interface.macros)]
        return [
            ChoiceUse(
                name=name,
                times=self._times[name],
                endings=dict(self._endings.get(name, Counter()).most_common()),
            )
            for name in sorted(names, key=lambda name: -self._times[name])
        ]
