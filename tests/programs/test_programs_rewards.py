"""Rewards that are code: what they pay, and that no mistake of theirs ends anything."""

import math

import numpy as np
import pytest

from messages.chat import SpecAnswer
from messages.world import RewardTerm
from nodes.common.checks.spec_check import spec_problems
from nodes.env_server.interface.rewards import Rewards
from nodes.env_server.programs import ProgramRefused, hashed_keys
from nodes.env_server.programs.reward import compile_reward
from tests.fake_world import FakeWorld
from worlds.minecraft.card.language import LANGUAGE
from worlds.minecraft.play import PLAY
from worlds.minecraft.play.readings import Readings

FORWARD = np.array([[1, 0, 0, 12, 12, 0, 0, 0]])
GOOD = """
def reward(before, after):
    return after.position[2] - before.position[2] + (1 if after.steps == 3 else 0)
"""


def paid(source: str, steps: int = 3) -> tuple[list[float], dict[str, int]]:
    world = FakeWorld(1)
    every, none = np.ones(1, bool), np.zeros(1, bool)
    world.reset(np.arange(1), np.zeros(1, np.int64))
    rewards = Rewards([RewardTerm(kind="code", weight=2.0, source=source)], PLAY, world)
    readings = Readings(world)
    rewards.begin(readings, every)
    found = []
    for _ in range(steps):
        world.step(FORWARD, every)
        readings.forget()
        found.append(float(rewards.pay(readings, every, none)[0]))
    return found, rewards.mistakes()


def test_a_code_reward_pays_its_return_value_times_its_weight() -> None:
    assert paid(GOOD) == ([0.5, 0.5, 2.5], {})


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 1 / 0", "line 2: ZeroDivisionError"),
        ("x = 2.0**1000 * 2.0**1000\n    return x - x", "it returned nan"),
        ("return 2.0**1000 * 2.0**1000", "it returned inf"),
        ("return 'much'", "it returned str, not a number"),
        ("x = (1 << 1023) - 1\n    return x + x + 1", "it returned a huge integer"),
        ("return None", "it returned NoneType"),
        ("while True:\n        pass", "too often"),
        ("try:\n        while True:\n            pass\n    except Exception:\n        return 1",
         "too often"),
        ("return before.rays[0].distance", "earlier observation"),
        ("return [after] * 10**9", "larger than"),
        ("return find(after, 'non' + 'sense')[0]", "there is no block nonsense"),
        ("return 2.0 ** 500", "at most 1e+06"),
    ],
)  # fmt: skip
def test_a_code_reward_that_fails_pays_nothing_and_its_mistakes_are_counted(
    body: str, words: str
) -> None:
    found, mistakes = paid(f"def reward(before, after):\n    {body}\n")
    assert found == [0.0, 0.0, 0.0]
    assert sum(mistakes.values()) == 3
    assert all(words in said for said in mistakes), mistakes


def test_a_code_reward_keeps_no_state_from_one_step_to_the_next() -> None:
    source = "SEEN = []\ndef reward(before, after):\n    SEEN.append(1)\n    return len(SEEN)\n"
    assert paid(source)[0] == [2.0, 2.0, 2.0]


def test_all_problems_of_a_code_reward_are_reported_at_once() -> None:
    with pytest.raises(ProgramRefused) as refused:
        compile_reward(
            "import os\ndef reward(before):\n    attack()\n    return obs.__class__\n", LANGUAGE
        )
    said = [problem.message for problem in refused.value.problems]
    assert len(said) >= 4
    assert any("two arguments" in each for each in said)
    assert any("a reward cannot act, and reward does" in each for each in said)
    with pytest.raises(ProgramRefused, match="there is no function: def reward"):
        compile_reward("def action(obs):\n    attack()\n", LANGUAGE)
    with pytest.raises(ValueError, match="a reward does not compile: line 2: unknown name nope"):
        paid("def reward(before, after):\n    return nope\n")


def test_a_reward_term_needs_a_source_if_and_only_if_it_is_code() -> None:
    def problems(*rewards: RewardTerm) -> list[str]:
        answer = SpecAnswer(
            thoughts="", observations=["rays"], actions=["noop"], macros=[],
            rewards=list(rewards), horizon=10, targets=[], budget=10,
        )  # fmt: skip
        return spec_problems(answer, ["rays"], ["noop"], True, 100)

    assert problems(RewardTerm(kind="code", weight=1.0, source=GOOD)) == []
    assert len(problems(RewardTerm(kind="code", weight=math.nan))) == 2
    assert len(problems(RewardTerm(kind="step", weight=1.0, source=GOOD))) == 1


def test_places_as_keys_are_counted_from_none_in_each_call_of_a_reward() -> None:
    source = (
        "def reward(before, after):\n    seen = {}\n    for x in range(9):\n"
        "        seen[(before.steps, x)] = x\n    return len(seen)\n"
    )
    few = [(step, place) for step in range(9) for place in range(9)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(hashed_keys, "MOST_KEPT", len(few))  # a third of what the steps need
        assert paid(source, steps=9) == ([18.0] * 9, {})


def test_keys_of_one_hash_are_refused_in_each_call_of_a_reward() -> None:
    source = (
        "def reward(before, after):\n    x = [()]\n    for _ in range(6):\n"
        "        x = [a + (b,) for a in x for b in (-1, -2)]\n    return len(set(x))\n"
    )
    found, mistakes = paid(source)
    assert found == [0.0, 0.0, 0.0]
    assert [("share a hash" in said, count) for said, count in mistakes.items()] == [(True, 3)]
