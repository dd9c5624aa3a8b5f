"""Options in PPO's advantages: by hand, against a plain loop, and against ordinary GAE."""

import logging

import msgspec
import pytest
import torch
from torchrl.objectives.value.functional import generalized_advantage_estimate

from messages.world import RewardTerm
from models.options import explained_variance, normalised, option_advantage
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.spec_measures import discount, reward_scale
from nodes.learner.training import Training
from tests.learning.corridor import Corridors, corridor_spec


def plain_loop(reward, steps, terminated, truncated, value, next_value, gamma, lmbda):
    """The definition, one environment and one decision at a time."""
    advantage = torch.zeros_like(reward)
    for environment in range(reward.shape[1]):
        following = 0.0
        for t in reversed(range(reward.shape[0])):
            at = (t, environment)
            discount = gamma ** int(steps[at])
            after = 0.0 if terminated[at] else float(next_value[at])
            delta = float(reward[at]) + discount * after - float(value[at])
            over = bool(terminated[at] or truncated[at])
            following = delta + (0.0 if over else discount * lmbda * following)
            advantage[at] = following
    return advantage


def random_decisions(seed, longest):
    generator = torch.Generator().manual_seed(seed)
    shape = (17, 5)
    ends = torch.rand(shape, generator=generator)
    return {
        "reward": torch.randn(shape, generator=generator),
        "steps": torch.randint(1, longest + 1, shape, generator=generator),
        "terminated": ends < 0.15,
        "truncated": (ends >= 0.15) & (ends < 0.3),
        "value": torch.randn(shape, generator=generator),
        "next_value": torch.randn(shape, generator=generator),
    }


def test_advantages_and_targets_equal_those_computed_by_hand():
    """Three decisions: a macro of 3 steps, a primitive cut by the time limit, and in the next
    episode a macro that success ended after 2 of its steps."""
    gamma, lmbda = 0.5, 0.8
    # The macro paid 1, 2, 4 on its primitive steps: 1 + 0.5 * 2 + 0.25 * 4 = 3.
    # The one that success ended paid 0, 8: 0.5 * 8 = 4.
    columns = {
        "reward": [3.0, 1.0, 4.0],
        "steps": [3, 1, 2],
        "terminated": [False, False, True],
        "truncated": [False, True, False],
        "value": [1.0, 2.0, 5.0],
        "next_value": [2.0, 6.0, 99.0],
    }
    advantage, target = option_advantage(
        **{name: torch.tensor(column).unsqueeze(1) for name, column in columns.items()},
        gamma=gamma,
        lmbda=lmbda,
    )
    # Last: success, so nothing follows: 4 - 5 = -1.
    # Middle: the time limit is no end of the world: 1 + 0.5 * 6 - 2 = 2, and no trace beyond.
    # First: 3 + 0.5^3 * 2 - 1 = 2.25, and 0.5^3 * 0.8 * 2 = 0.2 from the trace.
    torch.testing.assert_close(advantage[:, 0], torch.tensor([2.45, 2.0, -1.0]))
    torch.testing.assert_close(target[:, 0], torch.tensor([3.45, 4.0, 4.0]))


@pytest.mark.parametrize("seed", range(5))
def test_advantages_and_targets_equal_those_of_a_plain_loop(seed):
    decisions = random_decisions(seed, longest=20)
    advantage, target = option_advantage(**decisions, gamma=0.97, lmbda=0.9)
    expected = plain_loop(**decisions, gamma=0.97, lmbda=0.9)
    torch.testing.assert_close(advantage, expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(target, expected + decisions["value"], atol=1e-5, rtol=1e-5)


def test_advantages_of_single_steps_are_ordinary_gae():
    decisions = random_decisions(seed=7, longest=1)
    advantage, target = option_advantage(**decisions, gamma=0.97, lmbda=0.9)
    columns = {name: column.T.unsqueeze(-1) for name, column in decisions.items()}
    expected, expected_target = generalized_advantage_estimate(
        0.97,
        0.9,
        columns["value"],
        columns["next_value"],
        columns["reward"],
        done=columns["terminated"] | columns["truncated"],
        terminated=columns["terminated"],
    )
    torch.testing.assert_close(advantage, expected.squeeze(-1).T)
    torch.testing.assert_close(target, expected_target.squeeze(-1).T)


def test_the_return_does_not_depend_on_how_steps_are_cut_into_macros():
    """Along a fixed way, the return of a start does not depend on how it is cut into decisions."""
    gamma, rewards = 0.9, [1.0, -2.0, 0.5, 3.0, 1.5, 4.0]

    def value_of_start(cuts):
        reward, steps, position = [], [], 0
        for k in cuts:
            inside = rewards[position : position + k]
            reward.append(sum(gamma**i * r for i, r in enumerate(inside)))
            steps.append(k)
            position += k
        count = len(cuts)
        ends = torch.zeros(count, 1, dtype=torch.bool)
        ends[-1] = True
        zeros = torch.zeros(count, 1)
        _, target = option_advantage(
            reward=torch.tensor(reward).unsqueeze(1),
            steps=torch.tensor(steps).unsqueeze(1),
            terminated=ends,
            truncated=torch.zeros_like(ends),
            value=zeros,
            next_value=zeros,
            gamma=gamma,
            lmbda=1.0,
        )
        return target[0, 0].item()

    expected = sum(gamma**i * r for i, r in enumerate(rewards))
    for cuts in ([1] * 6, [6], [2, 4], [1, 3, 2]):
        assert value_of_start(cuts) == pytest.approx(expected, abs=1e-5)


def advantages(columns, gamma, lmbda):
    advantage, _ = option_advantage(
        **{name: torch.tensor(column).unsqueeze(1) for name, column in columns.items()},
        gamma=gamma,
        lmbda=lmbda,
    )
    return advantage[:, 0].tolist()


def test_advantages_of_an_interrupted_option_equal_those_computed_by_hand():
    """A run of 3 steps that pays 1, 2, 4, from V = 1 to V = 2: whole, and interrupted after the
    first step in a state of V = 5. The time limit ends it."""
    ends = {"terminated": [False], "truncated": [True]}
    whole = {"reward": [3.0], "steps": [3], "value": [1.0], "next_value": [2.0], **ends}
    # 1 + 0.5 * 2 + 0.25 * 4 = 3, and 3 + 0.5^3 * 2 - 1 = 2.25.
    assert advantages(whole, 0.5, 0.8) == pytest.approx([2.25])
    parts = {
        "reward": [1.0, 4.0],  # 1, and 2 + 0.5 * 4
        "steps": [1, 2],
        "value": [1.0, 5.0],
        "next_value": [5.0, 2.0],
        "terminated": [False, False],
        "truncated": [False, True],
    }
    # Second: 4 + 0.5^2 * 2 - 5 = -0.5: to go on was worse than what the policy usually does there.
    # First: 1 + 0.5 * 5 - 1 = 2.5, and 0.5 * lambda * -0.5 from the trace.
    assert advantages(parts, 0.5, 0.8) == pytest.approx([2.3, -0.5])
    assert advantages(parts, 0.5, 1.0) == pytest.approx([2.25, -0.5])  # as it was uncut


def test_nothing_is_added_after_success_in_the_second_part_of_an_option():
    """Nothing follows it, whatever the critic says of what comes next."""
    parts = {
        "reward": [-1.0, 8.0],
        "steps": [2, 1],
        "value": [3.0, 6.0],
        "next_value": [6.0, 99.0],
        "terminated": [False, True],
        "truncated": [False, False],
    }
    # Second: 8 - 6 = 2. First: -1 + 0.5^2 * 6 - 3 = -2.5, and 0.5^2 * 0.8 * 2 = 0.4.
    assert advantages(parts, 0.5, 0.8) == pytest.approx([-2.1, 2.0])


def test_normalised_advantages_have_mean_zero_and_deviation_one():
    assert normalised(torch.full((8,), 3.0)).abs().max() == 0
    spread = normalised(torch.arange(10.0))
    assert spread.mean().item() == pytest.approx(0, abs=1e-6)
    assert spread.std(correction=0).item() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("value", "explained"),
    [([0.0, 4.0], 1.0), ([2.0, 2.0], 0.0), ([10.0, 14.0], 1.0), ([0.0, 2.0], 0.75)],
)
def test_the_explained_variance_is_the_share_of_the_targets_variance(value, explained):
    target = torch.tensor([0.0, 4.0])
    assert explained_variance(torch.tensor(value), target) == pytest.approx(explained)
    assert explained_variance(torch.tensor(value), torch.ones(2)) == 0.0  # there is none


def test_rewards_without_an_environment_dimension_are_refused():
    flat = torch.zeros(3)
    with pytest.raises(ValueError, match="decisions, environments"):
        option_advantage(
            reward=flat,
            steps=flat.long() + 1,
            terminated=flat.bool(),
            truncated=flat.bool(),
            value=flat,
            next_value=flat,
            gamma=0.9,
            lmbda=0.9,
        )


@pytest.mark.parametrize(
    ("weights", "scale"), [((100.0, -1.0), 0.01), ((1.0, -4.0), 0.25), ((0.0,), 1.0), ((), 1.0)]
)
def test_rewards_are_scaled_so_that_the_largest_weight_is_one(weights, scale):
    spec = corridor_spec()
    rewards = [RewardTerm(kind="step", weight=weight) for weight in weights]
    interface = msgspec.structs.replace(spec.interface, rewards=rewards)
    assert reward_scale(msgspec.structs.replace(spec, interface=interface)) == scale


@pytest.mark.parametrize(
    ("worth", "horizon", "expected"),
    [(0.0, 3000, 0.99), (0.04, 300, 0.99), (0.25, 2, 0.99), (0.5, 100, 0.5**0.01)],
)
def test_the_discount_is_raised_so_that_the_end_of_a_long_stage_counts(worth, horizon, expected):
    spec = corridor_spec()
    interface = msgspec.structs.replace(spec.interface, horizon=horizon)
    spec = msgspec.structs.replace(spec, interface=interface)
    parameters = Hyperparameters(gamma=0.99, worth_at_horizon=worth)
    gamma = discount(parameters, spec)
    assert gamma == pytest.approx(expected)
    assert gamma**horizon >= worth * 0.999


def test_a_training_and_its_session_have_the_raised_discount(tmp_path):
    spec = corridor_spec()
    made = Training(
        policy="p",
        spec=spec,
        parameters=Hyperparameters(worth_at_horizon=0.9),
        learner=tmp_path,
        folder=tmp_path / "p",
        servers={"env_server": Corridors().call},
        log=logging.getLogger("test"),
        warn=logging.getLogger("test").error,
    )
    raised = 0.9 ** (1 / 40)
    assert made.parameters.gamma == pytest.approx(raised)
    assert made.session.interface.gamma == made.parameters.gamma
