"""What a rollout is of: where it begins, and which environments are left in it."""

from typing import Any

import numpy as np
import torch

from messages.world import Field, Opened, Stepped
from nodes.learner.collecting.rollout import Collector, EndedEpisode, Rollout

SIZE = 2


def opened() -> Opened:
    return Opened(
        fields=[Field(name="time", size=1)],
        choices=["a", "b", "c"],
        features=np.zeros((SIZE, 1), np.float32),
        mask=np.ones((SIZE, 3), bool),
        prefix_steps=0,
    )


class Clock:
    """Features are the time, and one choice at a time is possible: the time's remainder."""

    def __init__(self) -> None:
        self.time = 0
        self.choices: list[list[int]] = []

    def step(self, choices: np.ndarray[Any, Any]) -> Stepped:
        self.time += 1
        self.choices.append(choices.tolist())
        nothing = np.zeros(SIZE, bool)
        mask = np.zeros((SIZE, 3), bool)
        mask[:, self.time % 3] = True
        return Stepped(
            features=np.full((SIZE, 1), self.time, np.float32),
            mask=mask,
            reward=np.zeros(SIZE, np.float32),
            steps=np.ones(SIZE, np.int64),
            terminated=nothing,
            truncated=nothing,
            success=nothing,
            final_rows=np.zeros(0, np.int64),
            final_features=np.zeros((0, 1), np.float32),
            final_returns=np.zeros(0, np.float32),
            final_lengths=np.zeros(0, np.int64),
            prefix_steps=0,
        )


def test_a_rollout_goes_on_with_the_features_and_choices_that_the_last_one_ended_with() -> None:
    clock = Clock()
    collector = Collector(size=SIZE, features=1, choices=3, decisions=2)
    collector.begin(opened())
    for number in range(3):
        rollout = collector.collect(
            clock.step,
            lambda features: torch.zeros(len(features), 3),
            torch.Generator().manual_seed(number),
            lambda samples, prefix_steps: True,
            torch.device("cpu"),
        )
        assert rollout.features[:, 0, 0].tolist() == [2 * number, 2 * number + 1, 2 * number + 2]
        if number:
            assert rollout.mask[0, 0].tolist() == [at == 2 * number % 3 for at in range(3)]
            assert rollout.log_probs.tolist() == [[0.0] * SIZE] * 2
    assert [set(chosen) for chosen in clock.choices[1:]] == [{time % 3} for time in range(1, 6)]


def test_a_rollout_without_absent_environments_keeps_what_the_others_played() -> None:
    ended = [EndedEpisode(environment, False, 0.0, 1) for environment in (0, 1, 3)]

    def of_environments(*shape: int) -> torch.Tensor:
        return torch.arange(4.0).expand(*shape, 4).clone()

    whole = Rollout(
        features=of_environments(3).unsqueeze(-1),
        mask=torch.ones(2, 4, 1, dtype=torch.bool),
        choices=of_environments(2).long(),
        log_probs=of_environments(2),
        reward=of_environments(2),
        steps=of_environments(2).long(),
        terminated=torch.zeros(2, 4, dtype=torch.bool),
        truncated=torch.zeros(2, 4, dtype=torch.bool),
        final_at=torch.tensor([[0, 0], [0, 1], [1, 3]]),
        final_features=torch.tensor([[10.0], [11.0], [13.0]]),
        episodes=ended,
        prefix_steps=7,
        memory=of_environments(1).T,
    )
    left = whole.of(np.array([False, True, False, True]))
    assert left.features[..., 0].tolist() == [[1.0, 3.0]] * 3
    assert left.steps.tolist() == [[1, 3]] * 2
    assert left.memory is not None
    assert left.memory.tolist() == [[1.0], [3.0]]
    assert left.rows is not None
    assert left.rows.tolist() == [1, 3]
    # The ends of episodes by column, and the episodes by the session's environment.
    assert left.final_at.tolist() == [[0, 0], [1, 1]]
    assert left.final_features.tolist() == [[11.0], [13.0]]
    assert left.episodes == ended[1:]
    assert left.prefix_steps == 7
    assert whole.of(np.ones(4, bool)) is whole
