"""Which topics of a bag are wanted: all, or those of some patterns."""

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from rlgpt.refused import Refused, instead


def is_wanted(topic: str, patterns: Sequence[str]) -> bool:
    """Whether a topic fits one of the patterns; without patterns every topic does."""
    return not patterns or any(fnmatchcase(topic, pattern) for pattern in patterns)


def check_patterns(bag: Path, patterns: Sequence[str], topics: Collection[str]) -> None:
    """Raises Refused where no topic of a bag fits one of the patterns. ``topics``: all it has."""
    for pattern in patterns:
        if not any(fnmatchcase(topic, pattern) for topic in topics):
            raise Refused(f"{bag} has no topic `{pattern}`{instead(pattern, sorted(topics))}")
