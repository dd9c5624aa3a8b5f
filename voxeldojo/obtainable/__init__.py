"""Which tasks can be done at all: an oracle over the world's rules, and its report."""

from voxeldojo.obtainable.oracle import Verdict, explain, judge
from voxeldojo.obtainable.report import Coverage, Family, coverage, measure

__all__ = ["Coverage", "Family", "Verdict", "coverage", "explain", "judge", "measure"]
