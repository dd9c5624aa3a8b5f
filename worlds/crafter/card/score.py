"""Crafter's score, and what others have published.

The score is the geometric mean of the success rates of the 22 achievements, in percent, each with 1
added, less 1 again: https://github.com/danijar/crafter (analysis/common.py).
"""

import math
from collections.abc import Mapping

from worlds.card import Published, Score
from worlds.crafter.card.crafter_names import ACHIEVEMENTS


class CrafterScore(Score):
    title = "Crafter score"
    counted = ACHIEVEMENTS
    most = 100.0
    # Over all training episodes, unless noted. Those that learn from pixels have not
    # read the rules; SPRING has read the paper.
    published = (
        Published(1.6, "random", "-", "README of danijar/crafter"),
        Published(4.6, "PPO", "1M", "README of danijar/crafter"),
        Published(10.0, "DreamerV2", "1M", "README of danijar/crafter"),
        Published(14.5, "DreamerV3", "1M", "README of danijar/crafter"),
        Published(15.6, "PPO (ResNet)", "1M", "README of danijar/crafter"),
        Published(19.4, "Curious Replay", "1M", "README of danijar/crafter"),
        Published(21.8, "Achievement Distillation", "1M", "README of danijar/crafter"),
        Published(27.3, "SPRING (GPT-4)", "0", "README of danijar/crafter"),
        Published(
            33.6, "Causal-aware LLMs", "5M", "README of the authors' repository (IJCAI 2025)"
        ),
        Published(50.5, "human experts", "-", "README of danijar/crafter"),
        Published(58.1, "EMERALD", "10M", "arXiv 2507.04075; 256 episodes after training, 5 seeds"),
    )
    progress = (
        Published(33.0, "GPT-4o, shown text", "0", "BALROG (arXiv 2411.13543), as reported"),
    )
    differs = (
        "The published players that learn see pixels (64 x 64), have the 17 actions, and have not "
        "read the rules. Here the policy of `pure_rl_pixels` sees that picture; any other sees the "
        "9 x 7 cells of the picture by name, its inventory and vitals, also at night, when the "
        "picture is noisy, and what it has unlocked. Programs see the same, remember where they "
        "were and what they saw, and were written by someone who had read the game's rules and "
        "source; so were the training specs and the macros. Scores of methods with code are of "
        "that knowledge, and not of learning from scratch."
    )

    def of(self, rates: Mapping[str, float]) -> float:
        """0 to 100, of `Score.rates`."""
        logs = [math.log(1 + 100 * rates[name]) for name in ACHIEVEMENTS]
        return math.exp(sum(logs) / len(logs)) - 1


SCORE = CrafterScore()
