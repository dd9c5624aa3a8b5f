"""What plays in one environment, step by step: a program, or a policy that the session has."""

import math
import zlib
from collections.abc import Callable
from typing import Protocol

import numpy as np

from messages.world import Actor
from models.actor import PlainActor
from nodes.env_server.interface.stage import InterfaceStage, Interrupted
from nodes.env_server.programs import Ending, Run
from nodes.env_server.programs.pulse import PULSE
from nodes.env_server.session.steps import Steps
from worlds.play import Floats, Ints
from worlds.runtime import Code, Observations

Act = Code | Ints
"""What is done next: a program's primitive, or an action vector (A,)."""
Possible = Callable[[Run, int, Code | None], Code | None]
"""A run's next primitive in an environment, once it can be carried out there; None: it ended."""


class Playing(Protocol):
    """``begin`` and ``go_on`` give what it does next, or None when it has come to its end; then
    ``ending`` has how."""

    @property
    def ending(self) -> Ending | None: ...
    def begin(self, seen: Observations, possible: Possible) -> Act | None: ...
    def go_on(self, seen: Observations, possible: Possible, passed: int = 0) -> Act | None:
        """What it did was carried out; since then ``passed`` steps were made by others."""
        ...

    def stop(self) -> None:
        """Stop playing; it is not called again."""
        ...


class ProgramPlaying:
    """One run of a program in the environment ``row``."""

    def __init__(self, run: Run, row: int) -> None:
        self._run = run
        self._row = row

    @property
    def ending(self) -> Ending | None:
        return self._run.ending

    def begin(self, seen: Observations, possible: Possible) -> Act | None:
        run, row = self._run, self._row
        with PULSE.inside(run.program.mark):
            return possible(run, row, run.start(seen.row(row, 0)))

    def go_on(self, seen: Observations, possible: Possible, passed: int = 0) -> Act | None:
        run, row = self._run, self._row
        steps = run.steps + 1 + passed
        with PULSE.inside(run.program.mark):
            return possible(run, row, run.send(seen.row(row, steps), steps))

    def stop(self) -> None:
        self._run.stop("episode_over")


def fitting(name: str, stage: InterfaceStage, actor: Actor) -> PlainActor:
    """The actor, ready to play the stage.

    Raises:
        ValueError: it does not fit it; ``name`` begins the sentence.
    """
    fields = [(each.name, each.size) for each in stage.features.fields]
    if [(each.name, each.size) for each in actor.fields] != fields:
        raise ValueError(f"{name} was trained on other observations than the session has")
    if actor.choices != stage.choices.names:
        raise ValueError(f"{name} was trained on other choices than the session has")
    return PlainActor(actor)


class Decider:
    """A policy that is played in the session itself. ``noop``: the vector that does nothing.

    Raises:
        ValueError: the actor does not fit the stage.
    """

    def __init__(self, name: str, stage: InterfaceStage, actor: Actor | None, steps: Steps) -> None:
        if actor is None:
            raise ValueError(f"{name} is a policy, and its actor is missing")
        self._actor = fitting(name, stage, actor)
        self.stage = stage
        self.noop = steps.play.noop
        self._episodes = steps.episodes
        self.fields = frozenset[str]().union(
            *(coded.program.fields for coded in stage.choices.macros)
        )
        self._readings = steps.readings
        self._greedy = actor.greedy
        self._name = zlib.crc32(name.encode())

    def begin(self, row: int, seed: int, turn: int) -> np.random.Generator:
        """Start the policy's turn in this environment, the ``turn``-th of the episode. Returns the
        generator of its choices, which does not depend on the batch."""
        rows = np.zeros(len(self.stage.over), bool)
        rows[row] = True
        self.stage.begin(rows)
        return np.random.default_rng([self._name, seed, turn])

    def blank(self) -> Floats:
        """What the policy remembers when its turn begins."""
        return self._actor.blank()

    def choose(self, row: int, chance: np.random.Generator, memory: Floats) -> int:
        """``memory``: what it remembers of this turn, which is brought forward in place."""
        stage = self.stage
        features, mask = stage.seen(self._readings)[row], stage.mask(self._readings)[row]
        drawn = None if self._greedy else np.asarray(chance.random())
        chosen = int(self._actor.choose(features, mask, drawn, memory))
        stage.previous[row] = chosen
        return chosen

    def done(self, row: int) -> bool:
        """Whether the policy's success holds, or its horizon is spent."""
        stage, episodes = self.stage, self._episodes
        if stage.steps[row] >= stage.interface.horizon:
            return True
        held = stage.judge.holds(self._readings, episodes.subtask, episodes.version)
        return bool(held[row])

    def assist(self, row: int, taken: int) -> Ints | None:
        """The next step that the game takes for the policy after its decision, of which it has
        ``taken`` some; None: there is none."""
        assistant = self.stage.assistant
        if assistant is None or taken >= assistant.steps:
            return None
        rows = np.zeros(len(self.stage.over), bool)
        rows[row] = True
        return assistant.due(self._readings, rows, self._episodes.subtask).get(row)

    def vector(self, row: int, choice: int) -> Ints:
        """What a primitive choice is to the world."""
        out = np.tile(self.noop, (len(self.stage.over), 1))
        rows = np.array([row])
        self.stage.choices.fill(out, np.array([choice]), rows, self._readings)
        return out[row]


class PolicyPlaying:
    """One turn of a policy in the environment ``row``, whose episode has this seed: the ``turn``-th
    of the episode, from 0. With ``stops`` it ends by its interface's success or horizon, else only
    when others end it."""

    ending: Ending | None = None

    def __init__(
        self, decider: Decider, row: int, seed: int, turn: int = 0, stops: bool = False
    ) -> None:
        self._stops = stops
        self._decider = decider
        self._row = row
        self._seed, self._number = seed, turn
        self._macro: Run | None = None
        self._choice = -1  # that the macro is
        self._until = math.inf  # steps of the macro at which it is interrupted
        self._assisted = 0  # steps that the game took after the last decision

    def begin(self, seen: Observations, possible: Possible) -> Act | None:
        self._chance = self._decider.begin(self._row, self._seed, self._number)
        self._memory = self._decider.blank()
        return self._decide(seen, possible)

    def go_on(self, seen: Observations, possible: Possible, passed: int = 0) -> Act | None:
        decider, row = self._decider, self._row
        decider.stage.steps[row] += 1 + passed
        if self._stops and decider.done(row):
            self.stop()
            return None
        run = self._macro
        if run is not None:
            steps = run.steps + 1 + passed
            with PULSE.inside(run.program.mark):
                act = possible(run, row, run.send(seen.row(row, steps), steps))
            if act is not None and steps < self._until:
                return act
            if act is not None:
                run.interrupted_at(steps)
                decider.stage.interrupted[row] = Interrupted(self._choice, run, act)
            self._macro = None
        vector = decider.assist(row, self._assisted)
        if vector is None:
            return self._decide(seen, possible)
        self._assisted += 1
        return vector

    def stop(self) -> None:
        if self._macro is not None:
            self._macro.stop("episode_over")

    def _decide(self, seen: Observations, possible: Possible) -> Act:
        self._assisted = 0
        decider, row = self._decider, self._row
        choices = decider.stage.choices
        choice = decider.choose(row, self._chance, self._memory)
        aside = decider.stage.interrupted.pop(row, None)
        if aside is not None and aside.choice != choice:
            aside.drop()
            aside = None
        if choice < choices.primitives:
            return decider.vector(row, choice)
        coded = choices.macros[choice - choices.primitives]
        run = Run(coded.program, coded.max_steps) if aside is None else aside.run
        with PULSE.inside(run.program.mark):
            code = run.start(seen.row(row, 0)) if aside is None else aside.code
            act = possible(run, row, code)
        if act is None:
            return decider.noop  # a decision takes a step at least
        self._choice = choice
        self._until = math.inf if coded.interrupt is None else run.steps + coded.interrupt
        self._macro = run
        return act
