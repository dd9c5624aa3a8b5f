"""Which tasks can be done at all: an oracle over the world's rules, and its report."""

from voxeldojo.obtainable.by_family import Coverage, Family, coverage, measure
from voxeldojo.obtainable.oracle import Verdict, explain, judge

__all__ = ["Coverage", "Family", "Verdict", "coverage", "explain", "judge", "measure"]
