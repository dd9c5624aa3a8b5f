"""Which tasks can be done at all: judged by the world's rules, and reported.

`derivations.py` derives what can be got from rules/sources.yaml, `oracle.py` judges a task by that,
`trying.py` makes tasks and plays a step, and `by_family.py` counts tasks by family.
"""

from voxeldojo.obtainable.by_family import Coverage, Family, coverage, measure
from voxeldojo.obtainable.oracle import Verdict, explain, judge

__all__ = ["Coverage", "Family", "Verdict", "coverage", "explain", "judge", "measure"]
