"""A policy's decision as an option: one primitive action or a macro of several, in every
environment that acts, and what is crafted for the policy after it."""

import numpy as np

from models import actions as primitive_actions
from nodes.env_server.interface.autocraft import Autocraft
from nodes.env_server.interface.choices import NOOP
from nodes.env_server.interface.stage import Stage
from nodes.env_server.programs import Batch, Observations
from nodes.env_server.session.coded_actions import CodedActions, Ends
from nodes.env_server.session.environments import Environments
from nodes.env_server.session.outcome import Outcome
from nodes.env_server.worlds.world import Bools, Ints

_NO_FIELDS = frozenset[str]()


class Decisions:
    """Carries decisions out."""

    def __init__(self, environments: Environments, coded: CodedActions) -> None:
        self._environments = environments
        self._readings = environments.readings
        self._episodes = environments.episodes
        self._coded = coded

    def carry_out(
        self, stage: Stage, choices: Ints, acting: Bools, outcome: Outcome, count: Ends
    ) -> None:
        """One decision in the rows that are ``acting``. ``count`` also adds each primitive step to
        ``outcome``.

        Raises:
            ValueError: there is no such choice.
        """
        if ((choices < 0) | (choices >= len(stage.choices.names)))[acting].any():
            raise ValueError(f"choices are 0 to {len(stage.choices.names) - 1}")
        environments = self._environments
        primitives = stage.choices.primitives
        single = acting & (choices < primitives)
        rows = np.flatnonzero(single)
        stage.choices.fill(environments.actions, choices[rows], rows, self._readings)
        batch: Batch | None = None
        macro_rows = np.flatnonzero(acting & ~single).tolist()
        if macro_rows:
            chosen = {row: stage.choices.macros[choices[row] - primitives] for row in macro_rows}
            fields = _NO_FIELDS.union(*(program.fields for program, _ in chosen.values()))
            seen = Observations(self._readings, fields)
            batch, ended = self._coded.start(chosen, seen)
            for row, _ in ended:
                # A macro that ends before it acts still takes a step: a decision without one could
                # be repeated for ever.
                environments.actions[row] = NOOP
                single[row] = True

        def ends(running: Bools, dead: Bools) -> Bools:
            return count(running, dead) | single

        if batch is not None and batch.runs:
            self._coded.advance(batch, acting, fields, seen, ends)
        elif acting.any():
            count(acting, environments.tick(acting))
        if stage.autocraft is not None:
            self._craft(stage.autocraft, acting, outcome, count)
        stage.previous[acting] = choices[acting]

    def _craft(self, crafting: Autocraft, acting: Bools, outcome: Outcome, count: Ends) -> None:
        """What is crafted for the policy after its decision, and is counted with it."""
        environments = self._environments
        start = self._episodes.subtask_items, self._episodes.subtask_quantities
        for _ in range(primitive_actions.AUTOCRAFT_STEPS):
            due = crafting.due(
                self._readings, acting & ~outcome.terminated & ~outcome.truncated, start
            )
            if not due:
                return
            running = np.zeros(environments.size, bool)
            for row, action in due.items():
                environments.actions[row] = action
                running[row] = True
            count(running, environments.tick(running))
