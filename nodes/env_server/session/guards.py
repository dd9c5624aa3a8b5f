"""Guards: what takes over from a stage while a condition of its own holds, and gives back.

After each primitive step the conditions are looked at, in each environment by itself, the first of
the list first. Where one holds, what the stage does is held where it stands, and the guard's
program plays until the condition no longer holds, or its steps are spent. Then the stage goes on,
with what is seen then. A guard whose steps are spent, or whose program failed, waits until the
stage has had a step.

A guard's mistakes never end anything: they are counted.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from messages.world import Guard, GuardReport
from nodes.env_server.programs import Ending, ProgramRefused, Run, compile_program
from nodes.env_server.programs.condition import CodeCondition
from nodes.env_server.session.players import (
    Act,
    Decider,
    Playing,
    PolicyPlaying,
    Possible,
    ProgramPlaying,
)
from worlds.play import Bools
from worlds.runtime import Observations, Runtime

_MOST_ERRORS = 20  # of one guard that are counted apart


@dataclass
class GuardTally:
    """What a guard did. ``episodes``: its turns by (environment, seed)."""

    turns: int = 0
    steps: int = 0
    episodes: Counter[tuple[int, int]] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)

    def wrong(self, mistake: str, times: int = 1) -> None:
        known = mistake in self.errors or len(self.errors) < _MOST_ERRORS
        self.errors[mistake if known else "other mistakes"] += times


class Tallies:
    """The tallies of all guards of a session, by name. ``seed``: of the episode of an
    environment."""

    def __init__(self, seed: Callable[[int], int]) -> None:
        self.seed = seed
        self._tallies: dict[str, GuardTally] = {}

    def of(self, name: str) -> GuardTally:
        return self._tallies.setdefault(name, GuardTally())

    def took_over(self, name: str, row: int) -> None:
        tally = self.of(name)
        tally.turns += 1
        tally.episodes[row, self.seed(row)] += 1

    def turns_so_far(self, name: str, row: int) -> int:
        """The turns of a guard in the present episode of an environment."""
        return self.of(name).episodes[row, self.seed(row)]

    def reports(self) -> list[GuardReport]:
        return [
            GuardReport(
                name=name,
                turns=tally.turns,
                steps=tally.steps,
                episodes=len(tally.episodes),
                ended=dict(tally.ended),
                errors=dict(tally.errors),
            )
            for name, tally in self._tallies.items()
        ]


@dataclass
class _Ready:
    """A guard, made ready. ``make``: what plays its turn in an environment, in so many steps."""

    guard: Guard
    condition: CodeCondition
    make: Callable[[int, int], Playing]
    fields: frozenset[str]


@dataclass
class _Turn:
    """A guard's turn in one environment, and what it does next."""

    number: int
    playing: Playing
    act: Act


class Guards:
    """The guards of one stage, in ``size`` environments. ``fields``: of observations, as read.
    ``policies`` makes a guard's policy ready.

    Raises:
        ValueError: a guard does not compile, its policy does not fit, or two have one name.
    """

    def __init__(
        self,
        guards: Sequence[Guard],
        runtime: Runtime,
        tallies: Tallies,
        size: int,
        policies: Callable[[Guard], Decider],
    ) -> None:
        names = [guard.name for guard in guards]
        if len(set(names)) < len(names):
            raise ValueError("guards need names of their own")
        self._guards = [_ready(guard, runtime, tallies, policies) for guard in guards]
        self._tallies = tallies
        self._size = size
        self._turns: dict[int, _Turn] = {}
        self._spent: dict[int, Counter[int]] = {}  # row -> steps by guard since the stage's last
        for name in names:
            tallies.of(name)  # one that never takes over is reported, too
        self.fields = frozenset[str]().union(*(each.fields for each in self._guards))

    def __bool__(self) -> bool:
        return bool(self._guards)

    def __contains__(self, row: int) -> bool:
        """Whether a guard plays there."""
        return row in self._turns

    def rows(self) -> Bools:
        """Where guards play, (B,)."""
        rows = np.zeros(self._size, bool)
        rows[list(self._turns)] = True
        return rows

    def acts(self) -> Iterable[tuple[int, Act]]:
        """What guards do next, by row."""
        return [(row, turn.act) for row, turn in self._turns.items()]

    def look(self, seen: Observations, rows: Iterable[int], possible: Possible) -> None:
        """The world took a step in ``rows``, none of which came to its end with it: what plays
        there next?"""
        for row in rows:
            turn = self._turns.get(row)
            if turn is None:
                self._spent.pop(row, None)  # the stage had a step
            else:
                self._spent[row][turn.number] += 1
                self._tally(turn.number).steps += 1
            self._look(seen, row, possible)

    def over(self, rows: Iterable[int], dead: Collection[int]) -> None:
        """The episode, or the stage, came to its end in ``rows``; in ``dead`` by death."""
        for row in rows:
            self._spent.pop(row, None)
            turn = self._turns.get(row)
            if turn is not None:
                self._tally(turn.number).steps += 1
                self._end(row, "death" if row in dead else "episode_over")

    def leave(self, row: int) -> None:
        """The stage has no more steps in this row, and so the guard has none."""
        self._spent.pop(row, None)
        if row in self._turns:
            self._end(row, "episode_over")

    def tally_mistakes(self) -> None:
        """Add what was wrong in conditions to the tallies."""
        for each in self._guards:
            tally = self._tallies.of(each.guard.name)
            for mistake, times in each.condition.mistakes.items():
                tally.wrong(f"condition: {mistake}", times)
            each.condition.mistakes.clear()

    # ---- inside

    def _look(self, seen: Observations, row: int, possible: Possible) -> None:
        spent = self._spent.setdefault(row, Counter())
        for number, each in enumerate(self._guards):
            turn = self._turns.get(row)
            plays = turn is not None and turn.number == number
            if spent[number] >= each.guard.max_steps:
                if plays:
                    self._end(row, "step_limit")
            elif not each.condition.holds(seen.row(row, spent[number] if plays else 0)):
                if plays:
                    self._end(row, "over")
            elif self._plays(seen, row, number, possible):
                return

    def _plays(self, seen: Observations, row: int, number: int, possible: Possible) -> bool:
        """Have the guard play on, or take over; whether it has something to do."""
        each, turn, spent = self._guards[number], self._turns.get(row), self._spent[row]
        plays = turn is not None and turn.number == number
        if turn is not None and plays:
            act = turn.playing.go_on(seen, possible)
            if act is not None:
                turn.act = act
                return True
            ending = turn.playing.ending
            if ending is None or ending.status not in ("finished", "step_limit"):
                return self._gives_up(row, number, ending)
            # It is at its end and its condition holds still: it begins again.
        playing = each.make(row, each.guard.max_steps - spent[number])
        act = playing.begin(seen, possible)
        if not plays:
            self._tallies.took_over(each.guard.name, row)
        if act is None:
            return self._gives_up(row, number, playing.ending)
        if turn is not None and not plays:  # a guard that does nothing leaves it its turn
            self._end(row, "taken_over")
        self._turns[row] = _Turn(number, playing, act)
        return True

    def _gives_up(self, row: int, number: int, ending: Ending | None) -> bool:
        """The guard's program ended so that it is not begun again before the stage has acted."""
        self._spent[row][number] = self._guards[number].guard.max_steps
        idle = ending is not None and ending.status == "finished"
        if ending is not None and not idle:
            why = ending.error or ending.status.replace("_", " ")
            where = f"line {ending.line}: " if ending.line else ""
            self._tally(number).wrong(f"{where}{why}")
        self._tally(number).ended["idle" if idle else "failed"] += 1
        turn = self._turns.get(row)
        if turn is not None and turn.number == number:
            del self._turns[row]
        return False

    def _end(self, row: int, how: str) -> None:
        turn = self._turns.pop(row)
        turn.playing.stop()
        self._tally(turn.number).ended[how] += 1

    def _tally(self, number: int) -> GuardTally:
        return self._tallies.of(self._guards[number].guard.name)


def _ready(
    guard: Guard, runtime: Runtime, tallies: Tallies, policies: Callable[[Guard], Decider]
) -> _Ready:
    name, program = guard.name, guard.program
    if guard.max_steps < 1 or (program is not None and program.max_steps < 1):
        raise ValueError(f"guard {name}: max_steps is at least 1")
    if (program is None) == (guard.interface is None):
        raise ValueError(f"guard {name} is a program or a policy's interface, one of them")
    try:
        condition = CodeCondition(guard.when, runtime)
        if program is None:
            decider = policies(guard)

            def by_policy(row: int, steps: int) -> Playing:
                return PolicyPlaying(
                    decider, row, tallies.seed(row), tallies.turns_so_far(name, row)
                )

            return _Ready(guard, condition, by_policy, condition.fields | decider.fields)
        compiled = compile_program(program.source, runtime)
    except ProgramRefused as refused:
        raise ValueError(f"guard {name} does not compile: {refused}") from None

    def by_program(row: int, steps: int) -> Playing:
        return ProgramPlaying(Run(compiled, min(program.max_steps, steps)), row)

    return _Ready(guard, condition, by_program, condition.fields | compiled.fields)
