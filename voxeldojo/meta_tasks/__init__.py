"""Rewards and success of MineDojo's meta tasks, over counts that any world can report.

`meta_task.py` pays the steps of a task and ends it, by the rewards and checks of `terms.py` over
the counts of `tally.py`.
"""

from voxeldojo.meta_tasks.meta_task import (
    MetaTask,
    Outcome,
    make_meta_task,
    meta_task_of,
    prompt_of,
)
from voxeldojo.meta_tasks.tally import Tally, tally_of, tally_of_info

__all__ = [
    "MetaTask",
    "Outcome",
    "Tally",
    "make_meta_task",
    "meta_task_of",
    "prompt_of",
    "tally_of",
    "tally_of_info",
]
