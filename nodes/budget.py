"""What the samples of a goal are kept back for: ``limits.samples`` are all primitive steps of its
trainings, tryouts and evaluations, and of its performance.

An evaluation is not begun with what happens to be left: what all of its episodes may take is kept
back for it before anything else is spent, or as much of that as leaves something to be evaluated.
"""

from collections.abc import Mapping
from typing import Any

from messages.world import Task
from nodes.config import node_values

EVALUATION_EPISODES = 30
"""Of an evaluation or a performance, unless the launch says otherwise."""


def longest_evaluation(task: Task, config: Mapping[str, Any]) -> int:
    """What all episodes of an evaluation or a performance may take."""
    values = node_values(config, "fast_agent")
    return int(values.get("evaluation_episodes", EVALUATION_EPISODES)) * task.horizon


def for_practice(samples: int, task: Task, config: Mapping[str, Any]) -> int:
    """How many of these samples may be spent before the episodes of the task that come last: an
    episode's at least, and a quarter where those may take more than the rest."""
    kept = min(longest_evaluation(task, config), samples * 3 // 4)
    return samples - max(0, min(kept, samples - task.horizon))


def least(task: Task) -> int:
    """Samples below which nothing is begun: one episode of a tryout and one of an evaluation."""
    return 2 * task.horizon


def least_again(task: Task, config: Mapping[str, Any]) -> int:
    """Samples below which no further iteration is begun: all of its evaluation is kept back. Of one
    that is cut nothing counts as reached, so that there would be nothing to go on for."""
    whole = longest_evaluation(task, config)
    return max(-(-whole * 4 // 3), whole + task.horizon)
