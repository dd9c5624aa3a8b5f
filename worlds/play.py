"""What the env server has to know of a game: the world itself, and what is seen of it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from messages.world import REWARDS, Condition, Field, Interface, RewardTerm, Task, View
from worlds.runtime import Runtime

Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
FloatsOrPixels = NDArray[np.float32 | np.uint8]
Run = Callable[[Callable[[], None]], None]
"""Runs a function in another thread and waits for it."""
Counters = tuple[NDArray[Any], ...]
"""All that conditions count (items, achievements): arrays (B, ...), as the game itself wants them.
"""

EMBEDDING = 512
"""Numbers that a video model makes of a picture."""


class WorldError(RuntimeError):
    """The world cannot be created on this machine; the message has the remedy."""


class World(Protocol):
    """A batch of ``size`` environments of one game. An action is a row of the game's own vector."""

    size: int
    lost: Bools | None = None
    """(B,): environments whose game was lost in the last step and begun again; their episodes are
    cut off. None where a world loses none."""

    def reset(self, environments: Ints, seeds: Ints) -> None:
        """Begin a new episode in each named environment. A seed gives the same episode always."""
        ...

    def look_ahead(self, worlds: int) -> Run | None:
        """From now on a thread makes its share of the worlds that a reset wants, and up to
        ``worlds`` of those that `foresee` names, before they are wanted. Returns what runs a
        function in that thread and waits for it; None: this world has no such thread. An episode is
        the same whether its world was made ahead or not."""
        return None

    def foresee(self, environments: Ints, seeds: Ints) -> None:
        """The resets that may come next, the soonest first; see `look_ahead`."""
        return None

    def step(self, actions: Ints, active: Bools) -> None:
        """Take one action (B, A) in each active environment."""
        ...

    def rgb(self, environment: int, height: int, width: int) -> NDArray[np.uint8]:
        """What its player sees, (3, height, width)."""
        ...

    def draw(self, environments: Ints, pictures: Iterable[NDArray[np.uint8]]) -> None:
        """What the players of ``environments`` (n,) see, into ``pictures``: n arrays
        (3, height, width) of one size."""
        for environment, picture in zip(environments.tolist(), pictures, strict=True):
            picture[:] = self.rgb(environment, *picture.shape[1:])

    def share_among(self, threads: int) -> Sequence[Run]:
        """From now on `step` and `draw` share the environments among so many threads, the caller's
        own among them. What comes of each stays the same. Returns what runs a function in each of
        the other ones and waits for it; none for a world that takes one after the other."""
        return ()

    def cause_of_death(self, environment: int) -> str:
        """The cause of death in words: ``a blow of a zombie``. Empty where a world does not report
        it."""
        return ""

    def close(self) -> None:
        """Give back what the world holds. The world cannot be used afterwards."""
        return None


class Embedder(Protocol):
    """Makes vectors of pictures: uint8 (n, 3, height, width) -> float32 (n, EMBEDDING)."""

    height: int
    width: int

    def embed(self, frames: NDArray[np.uint8]) -> Floats: ...


class Readings(ABC):
    """What a world shows after a step, read at most once, however many readers there are. Call
    ``forget`` after each step and ``begin`` after each reset. ``embedder``: for `embedding`, which
    is not asked for where there is none."""

    def __init__(self, world: Any, embedder: Embedder | None = None) -> None:
        self.world = world
        self._embedder = embedder
        self._embedding = np.zeros((0, EMBEDDING), np.float32)
        self._to_embed: Bools | None = None
        self._pictures: dict[tuple[int, int], NDArray[np.uint8]] = {}
        self._to_draw: dict[tuple[int, int], Bools] = {}

    def forget(self, moved: Bools | None = None) -> None:
        """What was read is out of date, in the environments that ``moved`` (B,) or in all."""
        if self._to_embed is not None:
            self._to_embed |= True if moved is None else moved
        for stale in self._to_draw.values():
            stale |= True if moved is None else moved

    def begin(self, rows: Bools) -> None:
        """Episodes begin in ``rows`` (B,): nothing is known there of those before."""
        self.forget(rows)

    def begin_stage(self, rows: Bools) -> None:  # noqa: B027 - most games have no such features
        """A policy's stage begins in ``rows`` (B,): what its features compare over time is not
        compared with what a stage before it saw, which the policy was not trained on."""

    def expect(self, interface: Interface) -> None:  # noqa: B027 - most games need not prepare
        """A policy meets the session by this interface from now on."""

    @abstractmethod
    def warm(self) -> None:
        """Call every reader once."""

    @abstractmethod
    def alive(self) -> Bools:
        """(B,)"""

    @abstractmethod
    def counters(self) -> Counters:
        """The counters' present values; overwritten later."""

    def pictures(self, height: int, width: int) -> NDArray[np.uint8]:
        """What each player sees, (B, 3, height, width); overwritten later. Only where something
        moved a picture is drawn."""
        shape = height, width
        if shape not in self._pictures:
            self._pictures[shape] = np.zeros((self.world.size, 3, height, width), np.uint8)
            self._to_draw[shape] = np.ones(self.world.size, bool)
        drawn, stale = self._pictures[shape], self._to_draw[shape]
        rows = np.flatnonzero(stale)
        self.world.draw(rows, [drawn[row] for row in rows.tolist()])
        stale[:] = False
        return drawn

    def embedding(self) -> Floats:
        """What each player sees, as a vector (B, EMBEDDING); overwritten later. Only where
        something moved a picture is drawn, and all of them are embedded together."""
        moved = self._to_embed
        if moved is None:
            self._embedding = np.zeros((self.world.size, EMBEDDING), np.float32)
            moved = self._to_embed = np.ones(self.world.size, bool)
        if moved.any():
            embedder = self._embedder
            assert embedder is not None
            rows = np.flatnonzero(moved)
            frames = np.empty((len(rows), 3, embedder.height, embedder.width), np.uint8)
            self.world.draw(rows, frames)
            self._embedding[rows] = embedder.embed(frames)
            moved[:] = False
        return self._embedding


class Judge(Protocol):
    """Watches one condition in a batch."""

    def holds(self, readings: Any, start: Counters, version: int) -> Bools:
        """(B,). ``start``: the counters when episodes, or subtasks in them, began; ``version``
        differs whenever they do."""
        ...


class Features(Protocol):
    """The columns that a policy sees: see `worlds.common.feature_matrix`."""

    fields: list[Field]

    def compute(
        self, readings: Any, time: Floats, previous: Ints, under_way: Floats | None = None
    ) -> FloatsOrPixels:
        """(B, columns), overwritten by the next call. ``time``: share of the horizon spent (B,).
        ``previous``: the last choice (B,), -1 for none. ``under_way`` (B, 2): whether a macro was
        interrupted, and the share of its steps that it has used; None: none was."""
        ...


class Actions(Protocol):
    """The primitive actions of an interface, by their numbers."""

    def mask(self, readings: Any) -> Bools:
        """(B, actions): which can do something."""
        ...

    def fill(self, out: Ints, chosen: Ints, rows: Ints, readings: Any) -> None:
        """Write the vectors of the actions ``chosen`` (n,) in ``rows`` (n,) into ``out`` (B, A).
        What is impossible becomes one that does nothing."""
        ...


class Term(Protocol):
    """A kind of reward that the game itself has, for one term."""

    def begin(self, readings: Any, rows: Bools) -> None:
        """Episodes or stages begin in ``rows`` (B,)."""
        ...

    def pay(self, readings: Any, active: Bools) -> NDArray[Any]:
        """The reward of the last step, (B,), before the term's weight; its value where not
        ``active`` means nothing."""
        ...


class Assistant(Protocol):
    """Takes routine steps (crafting) for a policy after its decision."""

    steps: int
    """Steps that it takes at most after one decision."""

    def due(self, readings: Any, rows: Bools, start: Counters) -> dict[int, Ints]:
        """The action vector that is due in each of ``rows`` (B,) where one is. ``start``: the
        counters when the subtask began."""
        ...


@dataclass(frozen=True, kw_only=True)
class WarmUp:
    """What the fork server plays before it forks, so that nothing has to be loaded later."""

    task: Task
    """A task whose success never holds."""
    interface: Interface
    """An interface with every feature, kind of action and kind of reward. Two actions or more."""
    conditions: tuple[Condition, ...]
    """One of each kind."""
    program: str
    """Reads everything that a program may read, calls every helper, and fails."""
    reward: str
    """A reward that is code."""


class Play(ABC):
    """A game, for the env server.

    All that makes something of names raises ValueError, with a sentence, for one that the game
    does not have.
    """

    noop: Ints
    """(A,): the action vector that does nothing."""
    programs: Runtime
    """What carries out the programs of the game."""
    kinds: tuple[str, ...]
    """The kinds of worlds: ``world=KIND``. The first is the one that is meant where none is
    named."""

    def problem(self) -> str:
        """What in it does not fit its card, as far as that is seen without a world; empty if
        nothing is seen."""
        return ""

    @abstractmethod
    def make_world(self, kind: str, size: int, task: Task, **options: Any) -> Any:
        """A batch of ``size`` environments of ``task``.

        Raises:
            ValueError: an unknown kind or option, or what the task names.
            WorldError: the kind needs something that is not installed here.
        """

    @abstractmethod
    def unjailable(self, kind: str) -> str:
        """Why a world of this kind cannot run in the jail; empty if it can."""

    def load(self, world: Any) -> None:  # noqa: B027 - most worlds have loaded all by then
        """Call what imports or loads something when it is first called, of a world that was reset:
        nothing can be loaded in the jail."""

    def above(self, world: Any, environment: int) -> NDArray[np.uint8]:
        """The ground around the player seen from above, (3, n, n), north at the top, the player in
        the middle; of no size where a world has no such picture."""
        return np.zeros((3, 0, 0), np.uint8)

    @abstractmethod
    def readings(self, world: Any, embedder: Embedder | None = None) -> Any: ...

    @abstractmethod
    def view(self, readings: Any, environment: int) -> View: ...

    @abstractmethod
    def changes(self, before: View, after: View) -> dict[str, str]:
        """What differs, field by field: ``"before -> after"``."""

    @abstractmethod
    def judge(self, condition: Condition, world: Any) -> Judge: ...

    @abstractmethod
    def features(self, interface: Interface, task: Task, choices: int, world: Any) -> Features: ...

    @abstractmethod
    def actions(self, names: list[str], world: Any) -> Actions: ...

    def item_action(self, readings: Any, environment: int, verb: str, item: str) -> Ints | None:
        """The vector (A,) of a program's primitive that takes a name, ``equip("stick")``, as the
        environment stands; None where what it names is not there."""
        return None

    def reward(self, term: RewardTerm, world: Any) -> Term:
        """A term of a kind that is the game's own; `success`, `step`, `code` and `mineclip` are of
        all games."""
        raise unknown_reward(term)

    def assistant(self, success: Condition, world: Any) -> Assistant | None:
        """The assistant for interfaces with ``autocraft``; None where the game has nothing of the
        kind."""
        return None

    @abstractmethod
    def warm_up(self) -> WarmUp: ...


def unknown_reward(term: RewardTerm, own: Collection[str] = ()) -> ValueError:
    """The error for a kind of reward that is none of every game's nor one of the game's ``own``."""
    return ValueError(f"there is no reward {term.kind!r}; there are {', '.join((*REWARDS, *own))}")
