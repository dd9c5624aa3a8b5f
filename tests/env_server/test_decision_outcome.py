"""The outcome of a decision of several primitive steps."""

import numpy as np

from nodes.env_server.session.steps import DecisionOutcome


def test_rewards_are_discounted_by_the_steps_that_the_environment_itself_has_taken() -> None:
    """In the second one the decision stands still for a step, and another ends in it."""
    outcome, no = DecisionOutcome(3, gamma=0.5), np.zeros(3, bool)
    for reward, ran, over in (
        ([1.0, 1.0, 1.0], [True, True, True], [False, False, True]),
        ([2.0, 0.0, 0.0], [True, False, False], [False, False, False]),
        ([4.0, 8.0, 0.0], [True, True, False], [False, True, False]),
    ):
        ended = np.array(over)
        outcome.add(np.array(reward, np.float32), np.array(ran), ended, no, ended)
    assert outcome.reward.tolist() == [1 + 0.5 * 2 + 0.25 * 4, 1 + 0.5 * 8, 1]
    assert outcome.steps.tolist() == [3, 2, 1]
    assert outcome.terminated.tolist() == outcome.success.tolist() == [False, True, True]
