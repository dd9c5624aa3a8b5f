"""What a program may still do, counted in turns of its loops: the same on every machine."""

from collections import deque
from collections.abc import Callable
from itertools import islice, repeat
from operator import length_hint

LOOP_TURNS = 10_000  # without an action in between
TOTAL_TURNS = 2_000_000  # in one run
TURN_SIZE = 16  # elements that are touched at once cost as much as one turn
STEP_TURNS = 10  # for each step that a run may take, where that is more: it may live a hundred days


class FuelSpent(Exception):
    """The program did too much without acting."""


class Fuel:
    """What a program may still do before it acts, and in a run of at most ``max_steps`` steps.
    ``tick`` is called at each turn of its loops: a plain C function, so that a turn costs 20 ns; it
    raises StopIteration once fuel is out."""

    __slots__ = ("_granted", "_owed", "_run", "left", "tick", "total")

    def __init__(self, max_steps: int = 0) -> None:
        self._run = max(TOTAL_TURNS, STEP_TURNS * max_steps)
        self.begin()

    def begin(self) -> None:
        """A run begins."""
        self.total = self._run
        self._owed = 0  # elements that are less than a turn, until there are enough of them
        self._grant()

    def refill(self) -> None:
        """An action was taken. What was burnt before it is taken off the run's total."""
        self.total -= self._granted - length_hint(self.left)
        self._grant()

    def _grant(self) -> None:
        # Twice the turns, and refilled when half is spent: most actions then need no refill.
        self._granted = min(2 * LOOP_TURNS, self.total)
        self.left = repeat(None, self._granted)
        self.tick: Callable[[], None] = self.left.__next__

    @property
    def exhausted(self) -> bool:
        return not length_hint(self.left)

    @property
    def limit(self) -> str:
        """The limit that was reached, where it is exhausted."""
        if self._granted == self.total:
            return f"{self._run:,} loop turns, or as much work, in one run"
        return f"{LOOP_TURNS:,} loop turns, or as much work, without an action"

    def charge(self, size: int) -> None:
        """Burn fuel for touching ``size`` elements at once.

        Raises:
            FuelSpent: there is not that much left.
        """
        self._owed += size
        if self._owed >= TURN_SIZE:
            turns, self._owed = divmod(self._owed, TURN_SIZE)
            deque(islice(self.left, turns), maxlen=0)
        if not length_hint(self.left):
            raise FuelSpent("too much work without an action")
