"""A policy that sees pictures and nothing else gets them as uint8, and learns as from floats."""

from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from messages.world import Field, Opened, Stepped
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.checkpoints.state import Spaces, TrainingState
from nodes.learner.collecting.rollout import Collector, Rollout
from nodes.learner.optimising.imitation import Trajectory

SIZE, DECISIONS, SIDE = 6, 10, 36
PARAMETERS = Hyperparameters(
    environments=SIZE, decisions=DECISIONS, minibatch=20, epochs=2, hidden=16, target_kl=0.0
)
FIELDS = [Field(name=f"rgb_{SIDE}x{SIDE}", size=3 * SIDE * SIDE)]


class Pictures:
    """Shows random pictures; episodes of seven decisions, one after another in the batch."""

    def __init__(self, as_floats: bool) -> None:
        random = np.random.default_rng(0)
        drawn = random.integers(0, 256, (5, SIZE, FIELDS[0].size), np.uint8)
        self._shown = drawn.astype(np.float32) / 255 if as_floats else drawn
        self._rewards = random.random((5, SIZE)).astype(np.float32)
        self._calls = 0

    def opened(self) -> Opened:
        return Opened(
            fields=FIELDS,
            choices=["left", "right"],
            features=self._shown[0],
            mask=np.ones((SIZE, 2), bool),
            prefix_steps=0,
        )

    def step(self, choices: np.ndarray[Any, Any]) -> Stepped:
        self._calls += 1
        ended = np.arange(SIZE) == self._calls % 7
        rows, shown = np.flatnonzero(ended), self._shown[self._calls % 5]
        return Stepped(
            features=shown,
            mask=np.ones((SIZE, 2), bool),
            reward=self._rewards[self._calls % 5],
            steps=np.ones(SIZE, np.int64),
            terminated=np.zeros(SIZE, bool),
            truncated=ended,
            success=np.zeros(SIZE, bool),
            final_rows=rows,
            final_features=shown[rows],
            final_returns=np.zeros(len(rows), np.float32),
            final_lengths=np.full(len(rows), 7),
            prefix_steps=0,
        )


def trained(as_floats: bool, memory: int) -> tuple[TrainingState, Rollout]:
    world = Pictures(as_floats)
    spaces = Spaces.of(world.opened())
    assert spaces.seen == torch.uint8
    collector = Collector(
        size=SIZE,
        features=FIELDS[0].size,
        choices=2,
        decisions=DECISIONS,
        seen=torch.float32 if as_floats else spaces.seen,
    )
    collector.begin(world.opened())
    state = TrainingState(spaces, PARAMETERS, seed=3, memory=memory)
    state.begin(SIZE)
    for _ in range(3):
        rollout = collector.collect(
            world.step, state.player, state.generator, lambda *_: True, state.device
        )
        state.learn(rollout, 0, 1_000)
    return state, rollout


@pytest.mark.parametrize("memory", [0, 8])
def test_whole_numbers_teach_what_floats_teach(memory: int) -> None:
    state, rollout = trained(as_floats=False, memory=memory)
    assert rollout.features.dtype == rollout.final_features.dtype == torch.uint8
    assert len(rollout.final_features)
    other, of_floats = trained(as_floats=True, memory=memory)
    assert of_floats.features.dtype == torch.float32
    assert torch.equal(rollout.choices, of_floats.choices)
    for name, weights in state.networks.state_dict().items():
        # Adam makes steps of nearly one size, of gradients that are nothing but rounding, too.
        torch.testing.assert_close(weights, other.networks.state_dict()[name], rtol=1e-2, atol=2e-4)


def test_other_features_beside_pictures_are_floats() -> None:
    spaces = Spaces(fields=[("rgb", 12_288), ("life", 2)], choices=["left"])
    assert spaces.seen == torch.float32
    assert msgspec.structs.replace(spaces, fields=[("rgb", 12_288)]).seen == torch.uint8
    assert msgspec.structs.replace(spaces, fields=[]).seen == torch.float32


def test_demonstrations_that_a_checkpoint_has_as_floats_are_joined_with_new_ones() -> None:
    def shown(features: torch.Tensor) -> Trajectory:
        return Trajectory(features, torch.ones(1, 2, dtype=torch.bool), torch.zeros(1).long())

    old = shown(torch.tensor([[0.0, 1.0]]))
    new = shown(torch.tensor([[255, 51]], dtype=torch.uint8))
    assert Trajectory.joined([new, new]).features.dtype == torch.uint8
    torch.testing.assert_close(
        Trajectory.joined([old, new]).features, torch.tensor([[0.0, 1.0], [1.0, 0.2]])
    )
