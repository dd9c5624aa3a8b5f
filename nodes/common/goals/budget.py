"""How the samples of a goal are reserved: ``limits.samples`` are all primitive steps of its
trainings, tryouts and evaluations, and of its performance.

An evaluation does not begin with the samples that happen to be left: those of all its episodes are
reserved before anything else is spent, or as many as leave something to evaluate.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from messages.bounds import Positive
from messages.plan import Iteration, Limits
from messages.world import Task
from nodes.config import node_values
from nodes.node import Node

EVALUATION_EPISODES = 30
"""Episodes of an evaluation or a performance, unless the launch sets another number."""

LEAST_EPISODES = 5
"""The fewest episodes of a tryout whose rate counts: where the samples cut it to fewer, too little
was seen."""


class Budgeted(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
    """Parameters of a node that keeps to limits. Read each time the limits are checked."""

    # In place of those that it was sent; None: as sent.
    iterations: Positive | None = None
    samples: Positive | None = None

    def limits(self, sent: Limits) -> Limits:
        """The limits that count now."""
        return msgspec.structs.replace(
            sent,
            iterations=self.iterations or sent.iterations,
            samples=self.samples or sent.samples,
        )


BUDGETS = ("iterations", "samples")


def counted(iterations: Iterable[Iteration]) -> int:
    """How many of these count against ``limits.iterations``: those that asked the model."""
    return sum(not each.further for each in iterations)


def evaluation_episodes(config: Mapping[str, Any]) -> int:
    """Episodes of an evaluation or a performance."""
    values = node_values(config, "fast_agent")
    return int(values.get("evaluation_episodes", EVALUATION_EPISODES))


def longest_evaluation(task: Task, config: Mapping[str, Any]) -> int:
    """What all episodes of an evaluation or a performance may take."""
    return evaluation_episodes(config) * task.horizon


def for_practice(samples: int, task: Task, config: Mapping[str, Any]) -> int:
    """How many of these samples may be spent before the last episodes of the task: an episode's at
    least, and a quarter if those may take more than the rest."""
    kept = min(longest_evaluation(task, config), samples * 3 // 4)
    return samples - max(0, min(kept, samples - task.horizon))


def least(task: Task) -> int:
    """The minimum number of samples to begin: one episode of a tryout and one of an evaluation."""
    return 2 * task.horizon


def too_few(samples: int, task: Task) -> str:
    """The sentence about samples that are too few to begin; empty if they are enough."""
    if samples >= least(task):
        return ""
    return (
        f"limits.samples is {samples:,}, and trying and evaluating one episode of this task may "
        f"take {least(task):,}: raise it."
    )


def least_again(task: Task, config: Mapping[str, Any]) -> int:
    """The minimum number of samples for a further iteration: all of its evaluation is reserved. A
    cut evaluation never counts as reached, so there would be no reason to go on."""
    whole = longest_evaluation(task, config)
    return max(-(-whole * 4 // 3), whole + task.horizon)
