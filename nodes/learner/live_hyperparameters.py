"""Applies live hyper-parameters to a running training and records from which sample on."""

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

from nodes.common.parameters.hyperparameters import TAKEN_WHILE_TRAINING, Hyperparameters
from nodes.common.parameters.kept_parameters import TAKEN, Taken, append_lines

if TYPE_CHECKING:
    from nodes.learner.checkpoints.state import TrainingState


class LiveHyperparameters:
    """Those of one training that can be set while it runs. ``given``: the node's parameters, where
    they are set."""

    def __init__(
        self, given: Hyperparameters, policy: str, learner: Path, log: logging.Logger
    ) -> None:
        self._given = given
        self._policy = policy
        self._record = learner / TAKEN
        self._log = log
        self._seen = {name: getattr(given, name) for name in TAKEN_WHILE_TRAINING}

    def apply(self, used: Hyperparameters, state: "TrainingState") -> None:
        """Copy what was set since the last call to the ``used`` parameters and to ``state``, which
        learns with them, and record it. A record that cannot be written is logged, no error."""
        samples = state.counters.samples
        changed = [
            Taken(
                time=time.time(), policy=self._policy, samples=samples, name=name, old=old, new=new
            )
            for name, old in self._seen.items()
            if (new := getattr(self._given, name)) != old
        ]
        if not changed:
            return
        for each in changed:
            self._seen[each.name] = each.new
            setattr(used, each.name, each.new)
            self._log.info(
                "%s: %s is %s from %d samples on", self._policy, each.name, each.new, samples
            )
        state.ppo.copy_loss_parameters()
        try:
            append_lines(self._record, changed)
        except OSError as error:
            self._log.warning(
                "the parameters that %s took are not recorded: %s", self._policy, error
            )
