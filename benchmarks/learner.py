"""How fast the learner learns, and where its time goes: `python -m benchmarks.learner`.

The env server is replaced by arrays made beforehand, so what is timed is the learner alone:
decisions of the policy, writing them down, the update. One thread, medians of the iterations. The
last rows, with 12,288 features, are of pictures of 64 x 64.
`--device cuda` puts the networks on a GPU; the rows with more environments, larger minibatches and
a wider network are there to show where a GPU begins to pay.
"""

import argparse
import statistics
import time
from typing import Any

import msgspec
import numpy as np
import torch

from benchmarks.arguments import device
from messages.world import Field, Opened, Stepped
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.checkpoints.state import Spaces, TrainingState
from nodes.learner.collecting.rollout import Collector

ITERATIONS = 8
PICTURE = Field(name="rgb", size=3 * 64 * 64)
OF_PICTURES = ("default", "bfloat16", "256 environments, minibatch 2048")


class Canned:
    """Random features; an episode in 100 steps ends by its time limit."""

    def __init__(self, size: int, field: Field, choices: int) -> None:
        random = np.random.default_rng(0)
        self.count = 16
        self.size = size
        self.fields = [field]
        self.choices = [str(choice) for choice in range(choices)]
        shape = self.count, size, field.size
        self.features: np.ndarray[Any, Any] = (
            random.integers(0, 256, shape, np.uint8)
            if field == PICTURE
            else random.random(shape, np.float32)
        )
        self.mask = np.ones((size, choices), bool)
        self.calls = 0

    def opened(self) -> Opened:
        return Opened(
            fields=self.fields,
            choices=self.choices,
            features=self.features[0],
            mask=self.mask,
            prefix_steps=0,
        )

    def step(self, choices: np.ndarray) -> Stepped:
        self.calls += 1
        features = self.features[self.calls % self.count]
        rows = np.arange(self.calls % 100, self.size, 100)
        truncated = np.zeros(self.size, bool)
        truncated[rows] = True
        return Stepped(
            features=features,
            mask=self.mask,
            reward=np.full(self.size, -1, np.float32),
            steps=np.ones(self.size, np.int64),
            terminated=np.zeros(self.size, bool),
            truncated=truncated,
            success=np.zeros(self.size, bool),
            final_rows=rows,
            final_features=features[rows],
            final_returns=np.zeros(len(rows), np.float32),
            final_lengths=np.full(len(rows), 100),
            prefix_steps=0,
        )


def measure(parameters: Hyperparameters, field: Field, choices: int) -> tuple[float, float]:
    """Seconds of a collection and of an update."""
    canned = Canned(parameters.environments, field, choices)
    opened = canned.opened()
    spaces = Spaces.of(opened)
    collector = Collector(
        size=parameters.environments,
        features=field.size,
        choices=choices,
        decisions=parameters.decisions,
        seen=spaces.seen,
    )
    collector.begin(opened)
    state = TrainingState(spaces, parameters, seed=0)
    state.episodes.begin(parameters.environments)
    collecting, updating = [], []
    for _ in range(ITERATIONS):
        began = time.perf_counter()
        rollout = collector.collect(
            canned.step, state.networks.actor, state.generator, lambda *_: True, state.device
        )
        collected = time.perf_counter()
        state.learn(rollout, 0, 1_000_000)
        collecting.append(collected - began)
        updating.append(time.perf_counter() - collected)
    return statistics.median(collecting), statistics.median(updating)


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast the learner learns.")
    parser.add_argument(
        "--device", type=device, default="cpu", help="cpu, cuda, or cuda:1 (default: cpu)"
    )
    given = parser.parse_args()
    torch.set_num_threads(1)
    # Every epoch is done, so that rows compare.
    default = Hyperparameters(target_kl=0.0, reward_scale=1.0, device=given.device)
    rows = {
        "default": default,
        "bfloat16": msgspec.structs.replace(default, precision="bfloat16"),
        "3 epochs": msgspec.structs.replace(default, epochs=3),
        "hidden 64": msgspec.structs.replace(default, hidden=64),
        "32 decisions": msgspec.structs.replace(default, decisions=32),
        "256 environments, minibatch 2048": msgspec.structs.replace(
            default, environments=256, minibatch=2048
        ),
        "the same, hidden 512": msgspec.structs.replace(
            default, environments=256, minibatch=2048, hidden=512
        ),
    }
    print(f"64 environments on {given.device}")
    print(f"{'':<34}{'features':>9}{'collect ms':>12}{'update ms':>11}{'steps/s':>9}")
    for field in (Field(name="all", size=100), Field(name="all", size=300), PICTURE):
        for name, parameters in rows.items():
            if field == PICTURE and name not in OF_PICTURES:
                continue
            collecting, updating = measure(parameters, field, choices=16)
            count = parameters.environments * parameters.decisions
            speed = count / (collecting + updating)
            print(
                f"{name:<34}{field.size:>9,}{collecting * 1e3:>12.1f}{updating * 1e3:>11.1f}"
                f"{speed:>9,.0f}"
            )


if __name__ == "__main__":
    main()
