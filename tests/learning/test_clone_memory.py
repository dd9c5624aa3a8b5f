"""The memory that a clone has beside the policy: it follows the episodes of the session."""

import pytest
import torch
from torch import Tensor

from models.memory import MemoryNetwork
from models.policy import ActorCritic, NetworkShape
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.collecting.rollout import Rollout
from nodes.learner.optimising.sequence_ppo import SequencePpo

LENGTH, CHOICES = 5, 3


def rollout(seed: int, ended: list[int] | None = None, rows: list[int] | None = None) -> Rollout:
    """Of two environments, or of those that are named. In those ``ended`` the last decision ends
    an episode."""
    generator = torch.Generator().manual_seed(seed)
    features = torch.randn((LENGTH + 1, 2, 1), generator=generator)
    features = features if rows is None else features[:, rows]
    shape = features.shape[1]
    truncated = torch.zeros(LENGTH, shape, dtype=torch.bool)
    truncated[-1, ended or []] = True
    return Rollout(
        features=features,
        mask=torch.ones(LENGTH, shape, CHOICES, dtype=torch.bool),
        choices=torch.zeros(LENGTH, shape, dtype=torch.int64),
        log_probs=torch.zeros(LENGTH, shape),
        reward=torch.zeros(LENGTH, shape),
        steps=torch.ones(LENGTH, shape, dtype=torch.int64),
        terminated=torch.zeros(LENGTH, shape, dtype=torch.bool),
        truncated=truncated,
        final_at=torch.zeros(0, 2, dtype=torch.int64),
        final_features=torch.zeros(0, 1),
        episodes=[],
        prefix_steps=0,
        memory=torch.zeros(shape, 8),
        rows=None if rows is None else torch.tensor(rows),
    )


def cloned() -> SequencePpo:
    networks = ActorCritic([(1,)], CHOICES, NetworkShape(hidden=8, memory=4))
    generator = torch.Generator().manual_seed(4)
    clone = ActorCritic([(1,)], CHOICES, NetworkShape(hidden=8, memory=4), generator).actor
    assert isinstance(clone, MemoryNetwork)
    with torch.no_grad():
        clone.after[-1].weight.mul_(300)
    ppo = SequencePpo(networks, Hyperparameters(reward_scale=1.0), torch.Generator())
    ppo.clone = clone
    return ppo


def told(ppo: SequencePpo, shown: Rollout) -> Tensor:
    """The clone's log-probabilities (LENGTH, environments, CHOICES)."""
    with torch.no_grad():
        batch, _ = ppo._batch(shown)
        return ppo._clone_log_probs(shown, batch).reshape(LENGTH, -1, CHOICES)


def remembers(ppo: SequencePpo) -> list[bool]:
    """Of each environment, whether what was seen before counts in the next rollout."""
    later, blank = told(ppo, rollout(2)), told(cloned(), rollout(2))
    return [not torch.allclose(later[:, at], blank[:, at]) for at in range(2)]


@pytest.mark.parametrize("ended", [[], [0], [0, 1]])
def test_a_clone_forgets_an_episode_that_ended_with_the_rollout(ended: list[int]) -> None:
    ppo = cloned()
    told(ppo, rollout(1, ended))
    assert remembers(ppo) == [at not in ended for at in range(2)]


def test_a_clone_forgets_all_episodes_when_the_session_is_opened_again() -> None:
    ppo = cloned()
    told(ppo, rollout(1))
    ppo.begin()
    assert remembers(ppo) == [False, False]


def test_a_clone_forgets_what_was_played_in_environments_that_come_in_again() -> None:
    ppo = cloned()
    told(ppo, rollout(1))
    ppo.begin_in([1, 7])  # of the last it has seen nothing yet
    assert remembers(ppo) == [True, False]


def test_a_clone_remembers_by_environment_where_some_are_absent() -> None:
    ppo, other = cloned(), cloned()
    told(ppo, rollout(1))
    told(other, rollout(1))
    of_one = told(ppo, rollout(2, rows=[1]))
    torch.testing.assert_close(of_one[:, 0], told(other, rollout(2))[:, 1])
    torch.testing.assert_close(told(ppo, rollout(3))[:, 1], told(other, rollout(3))[:, 1])
