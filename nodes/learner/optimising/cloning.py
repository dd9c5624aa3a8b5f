"""The cloned start: a policy imitates programs before it learns.

Programs are played in the policy's own stage, and the decisions of the episodes that succeeded are
cloned. A program that is a macro of the interface is cloned as that choice, made again and again.
Of any other program each primitive step is a decision, if the policy has that action: the program
runs as a macro that is interrupted after each step and is not among the policy's choices.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import torch

from messages.program import Program
from messages.training import Demonstrated, TrainingSpec
from messages.world import Interface, Opened, Stepped
from models.policy import ActorCritic
from nodes.learner.checkpoints.state import Spaces
from nodes.learner.optimising.imitation import Trajectory, losses

_STEP_BY_STEP = "demonstrated"


class Demonstrations:
    """Demonstrations of programs for a policy: environment ``i`` of B plays program
    ``i % len(programs)``. It observes the session in which they are played
    (`single_episodes.Observer`).

    Args:
        spec: with the programs and the policy's interface.
        spaces: the policy's.
        size: of the session.
    """

    def __init__(self, spec: TrainingSpec, spaces: Spaces, size: int) -> None:
        self.spec = spec
        self._spaces = spaces
        self._played = np.arange(size) % len(spec.clone)
        own = spec.interface.macros
        first = len(spec.interface.actions)
        extra: list[Program] = []
        choices: list[int] = []
        for program in spec.clone:
            same = [at for at, macro in enumerate(own) if macro.source == program.source]
            if same:
                choices.append(first + same[0])
            else:
                choices.append(first + len(own) + len(extra))
                name = f"{_STEP_BY_STEP}_{len(extra)}"
                extra.append(msgspec.structs.replace(program, name=name, interrupt=1))
        self.interface: Interface = msgspec.structs.replace(spec.interface, macros=[*own, *extra])
        self._choices = np.array(choices, np.int64)[self._played]
        self._features: list[np.ndarray[Any, Any]] = []
        self._masks: list[np.ndarray[Any, Any]] = []
        self._done: list[np.ndarray[Any, Any]] = []
        self._fields: list[tuple[str, int]] = []

    def choose(
        self, features: np.ndarray[Any, Any], mask: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        return self._choices

    def begin(self, opened: Opened) -> None:
        self._features, self._masks, self._done = [opened.features], [opened.mask], []
        self._fields = [(field.name, field.size) for field in opened.fields]

    def see(self, choices: np.ndarray[Any, Any], stepped: Stepped) -> None:
        """Record a decision. A choice that the policy does not have is recorded as the choice of
        its own that does the same; -1: there is none. -2: the episode was over."""
        assert stepped.matched is not None
        own = choices < len(self._spaces.choices)
        # More than one step: a guard took over, or the game assisted the policy (autocraft).
        done = np.where(own, choices, np.where(stepped.steps == 1, stepped.matched, -1))
        self._done.append(np.where(stepped.steps > 0, done, -2))
        self._features.append(np.array(stepped.features))
        self._masks.append(np.array(stepped.mask))

    def trajectories(
        self, success: np.ndarray[Any, Any]
    ) -> tuple[list[Trajectory], list[Demonstrated]]:
        """The trajectories of the episodes with ``success`` (B,), in the policy's own features and
        choices, and the counts for each program."""
        programs = self.spec.clone
        found: list[Trajectory] = []
        counts: list[Demonstrated] = []
        for number, program in enumerate(programs):
            rows = np.flatnonzero(self._played == number)
            parts = [self._trajectory(row) for row in rows[success[rows]].tolist()]
            found += [part for part, _ in parts if len(part.choices)]
            counts.append(
                Demonstrated(
                    program=program.name,
                    episodes=len(rows),
                    successes=len(parts),
                    decisions=sum(len(part.choices) for part, _ in parts),
                    steps=sum(steps for _, steps in parts),
                )
            )
        return found, counts

    def _trajectory(self, row: int) -> tuple[Trajectory, int]:
        """The decisions of one environment that the policy could have taken, and the number of all
        decisions."""
        done = np.array([each[row] for each in self._done])
        done = done[done > -2]
        count, choices = len(done), len(self._spaces.choices)
        features = self._seen(np.array([each[row] for each in self._features[:count]]), done)
        mask = np.array([each[row, :choices] for each in self._masks[:count]])
        possible = (done >= 0) & mask[np.arange(count), done.clip(0)]
        part = Trajectory(
            features=torch.from_numpy(features[possible]),
            mask=torch.from_numpy(mask[possible]),
            choices=torch.from_numpy(done[possible]),
        )
        return part, count

    def _seen(
        self, features: np.ndarray[Any, Any], done: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        """(T, F) of the policy's own columns, without the choices that it does not have."""
        stepwise = self._choices.max() >= len(self._spaces.choices)
        columns: list[np.ndarray[Any, Any]] = []
        at = 0
        for (name, size), own in zip(self._fields, self._spaces.sizes, strict=True):
            part = features[:, at : at + size]
            at += size
            if name == "previous_choice" and stepwise:
                part = np.zeros((len(features), own), features.dtype)
                later = np.flatnonzero(done[:-1] >= 0) + 1
                part[later, done[later - 1]] = 1
            elif name == "under_way" and not (done >= len(self.spec.interface.actions)).any():
                part = np.zeros_like(part)
            columns.append(part)
        return np.ascontiguousarray(np.concatenate(columns, 1), features.dtype)


def clone(
    networks: ActorCritic,
    trajectories: Sequence[Trajectory],
    generator: torch.Generator,
    *,
    epochs: int,
    minibatch: int,
    learning_rate: float,
    until: float,
) -> float:
    """Train the actor to decide as in the trajectories, until the mean loss of an epoch is at most
    ``until``, or for ``epochs``. Returns the last epoch's loss."""
    optimiser = torch.optim.Adam(networks.actor.parameters(), lr=learning_rate)
    mean = 0.0
    for _ in range(epochs):
        total, count = 0.0, 0
        for loss, decisions in losses(networks.actor, trajectories, generator, minibatch):
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            total += loss.item() * decisions
            count += decisions
        mean = total / count
        if mean <= until:
            break
    return mean
