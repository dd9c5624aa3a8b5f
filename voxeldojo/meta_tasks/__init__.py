"""Rewards and success of MineDojo's meta tasks, over counts that any world can report."""

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
