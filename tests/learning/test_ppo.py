"""An update by PPO: what its parameters do, and the figures that it reports."""

from statistics import mean
from typing import Any

import pytest

from nodes.learner.optimising.ppo import Ppo
from tests.learning.test_fused_update import both, random_networks, random_rollout


def made(**changes: Any) -> Ppo:
    return both(changes)["fused"]


@pytest.mark.parametrize(("left", "rate"), [(1.0, 0.01), (0.5, 0.006), (0.0, 0.002)])
def test_the_learning_rate_falls_linearly_to_its_final_share(left: float, rate: float) -> None:
    ppo = made(learning_rate=0.01, final_share=0.2)
    ppo.update(random_rollout(random_networks(0), 1), left)
    assert ppo.learning_rate == pytest.approx(rate)


@pytest.mark.parametrize("normalise", [False, True])
def test_advantages_are_normalised_over_a_rollout_where_that_is_wanted(normalise: bool) -> None:
    ppo = made(normalise_advantages=normalise)
    rollout = random_rollout(random_networks(0), 1)
    rollout.reward += 3.0
    advantage = ppo._batch(rollout)[0]["advantage"]
    standard = advantage.mean().item(), advantage.std(correction=0).item()
    assert (standard == pytest.approx((0.0, 1.0), abs=1e-4)) == normalise


def epochs_of(ppo: Ppo) -> tuple[list[float], float]:
    """The mean divergence in each epoch of an update until it stopped, and the one it reports."""
    told: list[float] = []
    of_epochs: list[float] = []
    minibatch = ppo._minibatch

    def counted(*given: Any) -> dict[str, Any]:
        losses = minibatch(*given)
        told.append(losses["kl_approx"].item())
        return losses

    def after_epoch() -> None:
        of_epochs.append(mean(told))
        told.clear()

    ppo._minibatch = counted
    reported = ppo.update(random_rollout(random_networks(0), 1), after_epoch=after_epoch)
    return of_epochs, reported.kl


def test_an_update_stops_after_the_epoch_whose_mean_divergence_is_above_the_target() -> None:
    every, reported = epochs_of(made(epochs=4, target_kl=0.0, minibatch=16))
    assert len(every) == 4
    assert reported == pytest.approx(every[-1])
    first, second = sorted(every)[:2]
    assert [first, second] == every[:2]  # the policy moves away with each epoch
    stopped, reported = epochs_of(made(epochs=4, target_kl=(first + second) / 2, minibatch=16))
    assert stopped == pytest.approx(every[:2])
    assert reported == pytest.approx(second)
