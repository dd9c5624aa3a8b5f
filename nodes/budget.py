"""What the samples of a goal are kept back for: ``limits.samples`` are all primitive steps of its
trainings, tryouts and evaluations, and of its performance.

An evaluation is not begun with what happens to be left: half of what there is, or as much as all of
its episodes may take, is kept back for it before anything else is spent.
"""

from collections.abc import Mapping
from typing import Any

from messages.world import Task
from nodes.config import node_values

EVALUATION_EPISODES = 30
"""Of an evaluation or a performance, unless the launch says otherwise."""


def for_practice(samples: int, task: Task, config: Mapping[str, Any]) -> int:
    """How many of these samples may be spent before the episodes of the task that come last."""
    values = node_values(config, "fast_agent")
    episodes = int(values.get("evaluation_episodes", EVALUATION_EPISODES))
    return samples - min(episodes * task.horizon, samples // 2)


def least(task: Task) -> int:
    """Samples below which nothing is begun: one episode of a tryout and one of an evaluation."""
    return 2 * task.horizon
