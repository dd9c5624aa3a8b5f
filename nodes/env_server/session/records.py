"""Records of a batch: the states of its episodes, pictures of a stage, reports on a program."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from messages.program import ProgramReport
from messages.world import Episode, Picture, Pictures, SeedRange, View
from models.outcomes import run_in_words
from models.picture_check import pictures_problem
from nodes.env_server.png import png
from nodes.env_server.programs import Ending, Run
from worlds.play import Bools, Counters, Ints, Play, Readings, World
from worlds.program_lines import program_lines

RUNNING, SUCCESS, HORIZON, DEATH = range(4)
ENDED = ("running", "success", "horizon", "death")
Rgb = NDArray[np.uint8]


class Episodes:
    """One episode per environment at a time. Counters are arrays over the batch."""

    def __init__(
        self, size: int, seeds: SeedRange, play: Play, first: int = 0, batch: int = 0
    ) -> None:
        """``first``, ``batch``: see `OpenSession`."""
        self.size = size
        self._play = play
        self._seeds = seeds
        self._first = first
        self._batch = batch or size
        self._round = np.full(size, -1)
        self.seed = np.zeros(size, np.int64)
        self.steps = np.zeros(size, np.int64)
        self.reward = np.zeros(size, np.float32)
        self.ended = np.zeros(size, np.int64)
        self.died_early = np.zeros(size, bool)  # in a prefix: over at the first step
        self.start: Counters = ()  # when the episode began; empty: none has
        self.subtask: Counters = ()  # when the subtask began
        self.version = 0  # grows whenever an episode or a subtask begins
        self.why = [""] * size  # what a player died of, or how the last stage of it ended
        self.spent = [""] * size  # where the steps of the last program went
        self._before: list[View | None] = [None] * size
        self._after: list[View | None] = [None] * size

    @property
    def over(self) -> Bools:
        return self.ended != RUNNING

    @property
    def begun(self) -> int:
        """Episodes that the environment with the most of them has begun."""
        return int(self._round.max()) + 1

    def next_seeds(self, rows: Ints) -> Ints:
        """The seeds of the episodes that begin in ``rows``; see `SeedRange`."""
        self.seed[rows] = self.coming_seeds(rows)
        self._round[rows] += 1
        return self.seed[rows]

    def coming_seeds(self, rows: Ints) -> Ints:
        """The seeds of the episodes after the present ones of ``rows``."""
        place = self._first + rows + (self._round[rows] + 1) * self._batch
        return self._seeds.first + place % self._seeds.count

    def begin(self, rows: Ints, readings: Readings) -> None:
        """The world was reset in ``rows``; nothing has happened in them yet."""
        self.steps[rows] = 0
        self.reward[rows] = 0
        self.ended[rows] = RUNNING
        self.died_early[rows] = False
        for row in rows.tolist():
            self.why[row] = self.spent[row] = ""
        self.version += 1
        self.start = _copied(readings.counters(), self.start, rows)
        self.begin_subtask(rows, readings)
        for row in rows.tolist():
            self._before[row] = self._play.view(readings, row)
            self._after[row] = None

    def begin_subtask(self, rows: Ints, readings: Readings) -> None:
        """From here on the stages of ``rows`` count what they gain."""
        self.subtask = _copied(readings.counters(), self.subtask, rows)
        self.version += 1

    def forget_program(self, rows: Bools) -> None:
        """In ``rows`` (B,) a policy goes on: the steps from here on are not a program's."""
        for row in np.flatnonzero(rows).tolist():
            self.spent[row] = ""

    def end(self, rows: Bools, how: int, readings: Readings) -> None:
        """Episodes of ``rows`` (B,) are over."""
        self.ended[rows] = how
        for row in np.flatnonzero(rows).tolist():
            self._after[row] = self._play.view(readings, row)
            self.why[row] = readings.world.cause_of_death(row) if how == DEATH else ""

    def gained(self, row: int, names: Sequence[str], readings: Readings) -> list[str]:
        """The counters among ``names`` that an episode has more of than it began with."""
        before = self._before[row]
        if not names or before is None:
            return []
        now = self._play.view(readings, row).inventory
        return [name for name in names if now.get(name, 0) > before.inventory.get(name, 0)]

    def episodes(self, readings: Readings) -> list[Episode]:
        """All episodes in their present state."""
        return [self._episode(row, readings) for row in range(self.size)]

    def _episode(self, row: int, readings: Readings) -> Episode:
        after = self._after[row] or self._play.view(readings, row)
        ended = int(self.ended[row])
        return Episode(
            environment=row,
            seed=int(self.seed[row]),
            success=ended == SUCCESS,
            steps=int(self.steps[row]),
            reward=float(self.reward[row]),
            ended=ENDED[ended],  # type: ignore[arg-type]
            before=self._before[row] or after,
            after=after,
            cause=self.why[row] if ended == DEATH else "",
            spent="" if ended == SUCCESS else self.spent[row],
        )


def _copied(now: Counters, before: Counters, rows: Ints) -> Counters:
    """The counters before, with those of ``rows`` as they are now."""
    if not before:
        return tuple(each.copy() for each in now)
    for old, new in zip(before, now, strict=True):
        old[rows] = new[rows]
    return before


@dataclass
class _Roll:
    """The pictures of one environment."""

    first: Rgb
    free: int  # for pictures along the way
    step: int = 0
    stride: int = 1
    along: list[tuple[int, Rgb]] = field(default_factory=list)  # (step, what was seen)
    last: Rgb | None = None  # once the episode is over


class Photographer:
    """Takes the pictures that a session was asked for: what players saw when a stage began, along
    the way and when it was over.

    It is not known beforehand how long a stage will be. So pictures along the way are kept at every
    n-th step, and when there are too many of them every second one is dropped and n doubles. Which
    steps are pictured follows from how long the stage was, and from nothing else.

    Raises:
        ValueError: the pictures asked for cannot be taken.
    """

    def __init__(self, wanted: Pictures, world: World) -> None:
        if problem := pictures_problem(wanted, world.size):
            raise ValueError(problem)
        self._wanted = wanted
        self._world = world
        self._count = min(wanted.environments, world.size)
        self._rolls: dict[int, _Roll] = {}

    def begin(self, rows: Bools) -> None:
        """A stage begins in ``rows`` (B,). The others keep the pictures that they have."""
        for row in np.flatnonzero(rows[: self._count]).tolist():
            self._rolls[row] = _Roll(first=self._rgb(row), free=4 * (self._wanted.each - 2))

    def step(self, running: Bools, over: Bools) -> None:
        """``running`` (B,) took a step, with which the episodes of ``over`` (B,) ended."""
        for row in np.flatnonzero(running[: self._count]).tolist():
            roll = self._rolls.get(row)
            if roll is None:
                continue
            roll.step += 1
            if over[row]:
                roll.last = self._rgb(row)
            elif roll.free and roll.step % roll.stride == 0:
                roll.along.append((roll.step, self._rgb(row)))
                if len(roll.along) == roll.free:
                    roll.along = roll.along[1::2]
                    roll.stride *= 2

    def pictures(self) -> list[Picture]:
        """All pictures up to the present step."""
        return [
            Picture(environment=row, step=step, png=png(rgb))
            for row, roll in sorted(self._rolls.items())
            for step, rgb in self._chosen(row, roll)
        ]

    def _chosen(self, row: int, roll: _Roll) -> list[tuple[int, Rgb]]:
        between = {step: rgb for step, rgb in roll.along if step < roll.step}
        parts = self._wanted.each - 1
        wanted = [roll.step * part / parts for part in range(1, parts)]
        steps = {min(between, key=lambda step: abs(step - at)) for at in wanted} if between else {}
        last = roll.last if roll.last is not None else self._rgb(row)
        chosen = [(0, roll.first), *((step, between[step]) for step in sorted(steps))]
        return [*chosen, (roll.step, last)] if roll.step else chosen

    def _rgb(self, row: int) -> Rgb:
        # Worlds draw into a picture that they use again.
        return self._world.rgb(row, self._wanted.height, self._wanted.width).copy()


class Reports:
    """Collects the endings of one program over a batch, grouped by how and where they ended."""

    def __init__(self, program: str, play: Play, readings: Readings) -> None:
        self._program = program
        self._play = play
        self._readings = readings
        self._before: dict[int, View] = {}
        self._groups: dict[tuple[str, int], tuple[Ending, dict[str, str]]] = {}
        self._rows: dict[tuple[str, int], list[int]] = {}
        self.endings: dict[int, str] = {}  # in words, by environment
        self.spent: dict[int, str] = {}  # likewise, where the steps went

    def begin(self, rows: Bools) -> None:
        """The program is about to start in ``rows`` (B,)."""
        for row in rows.nonzero()[0].tolist():
            self._before[row] = self._play.view(self._readings, row)

    def ended(self, row: int, run: Run) -> None:
        """A run has ended, the world being as it left it. The first of its kind is the exemplar."""
        ending = run.ending
        if ending is None:
            return
        key = (ending.status, ending.line)
        self._rows.setdefault(key, []).append(row)
        self.endings[row] = (
            f"{self._program} {run_in_words(ending.status, ending.line, ending.error)}"
        )
        self.spent[row] = _spent_in_words(self._program, run)
        if key not in self._groups:
            now = self._play.view(self._readings, row)
            changed = self._play.changes(self._before[row], now)
            self._groups[key] = (ending, changed)

    def all(self) -> list[ProgramReport]:
        """One report for each way of ending, the most frequent first."""
        reports = [
            ProgramReport(
                program=self._program,
                status=ending.status,
                count=len(self._rows[key]),
                steps=ending.steps,
                line=ending.line,
                last_primitive=ending.last_primitive,
                error=ending.error,
                changed=changed,
                environments=sorted(self._rows[key]),
            )
            for key, (ending, changed) in self._groups.items()
        ]
        return sorted(reports, key=lambda report: -report.count)


_REPORTED_SHARE, _REPORTED_LINES = 0.2, 3  # a line with a smaller share says little
_LONGEST_LINE = 60  # characters


def _spent_in_words(program: str, run: Run) -> str:
    """``of the steps of dig 80% on line 7, `obs = attack()` ``"""
    lines = program_lines(run.program.source)
    reported = [
        f"{share:.0%} on line {line}, `{lines[line - 1].strip()[:_LONGEST_LINE]}`"
        for line, share in run.spent[:_REPORTED_LINES]
        if share >= _REPORTED_SHARE and 0 < line <= len(lines)
    ]
    return f"of the steps of {program} {'; '.join(reported)}" if reported else ""
