"""Crafter's score, and what others have published.

The score is the geometric mean of the success rates of the 22 achievements, in percent, each with 1
added, less 1 again: https://github.com/danijar/crafter (analysis/common.py).
"""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from worlds.crafter.card.names import ACHIEVEMENTS


class Published(NamedTuple):
    score: float
    who: str
    steps: str
    source: str


PUBLISHED = (
    Published(1.6, "random", "-", "README of danijar/crafter"),
    Published(4.6, "PPO", "1M", "README of danijar/crafter"),
    Published(10.0, "DreamerV2", "1M", "README of danijar/crafter"),
    Published(14.5, "DreamerV3", "1M", "README of danijar/crafter"),
    Published(15.6, "PPO (ResNet)", "1M", "README of danijar/crafter"),
    Published(19.4, "Curious Replay", "1M", "README of danijar/crafter"),
    Published(21.8, "Achievement Distillation", "1M", "README of danijar/crafter"),
    Published(27.3, "SPRING (GPT-4)", "0", "README of danijar/crafter"),
    Published(33.6, "Causal-aware LLMs", "5M", "README of the authors' repository (IJCAI 2025)"),
    Published(50.5, "human experts", "-", "README of danijar/crafter"),
    Published(58.1, "EMERALD", "10M", "arXiv 2507.04075; 256 episodes after training, 5 seeds"),
)
"""Scores over all training episodes, where nothing else is said. Those who learn from pixels have
not read the rules; SPRING has read the paper."""


def rates(episodes: Iterable[Collection[str]]) -> dict[str, float]:
    """For each achievement the share of episodes, 0 to 1, that have it among theirs.

    Raises:
        ValueError: there is no episode.
    """
    found = list(episodes)
    if not found:
        raise ValueError("no score without an episode")
    return {name: sum(name in each for each in found) / len(found) for name in ACHIEVEMENTS}


def score(rates: Mapping[str, float]) -> float:
    """0 to 100, of `rates`."""
    logs = [math.log(1 + 100 * rates[name]) for name in ACHIEVEMENTS]
    return math.exp(sum(logs) / len(logs)) - 1
