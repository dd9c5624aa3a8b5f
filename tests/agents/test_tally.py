"""What a policy chose, how its macros ended and what its rewards did wrong, up to the next spec."""

from pathlib import Path

import msgspec
import pytest

from messages.chat import JudgeQuestion, SpecQuestion
from messages.plan import Line, SubAction, Tried
from messages.program import Program
from messages.training import Learning, Policy, Trained, TrainingSpec
from messages.verdict import Evidence, Verdict
from messages.world import ChoiceUse, Interface, RewardTerm, SeedRange
from models.outcomes import curve_in_words
from nodes.common.questions.asking import render
from nodes.fast_agent.playing.evidence import learning_of
from nodes.fast_agent.playing.stage_playing import Played
from tests.agent_stack import LOG, TASK, ended_with_a_log
from tests.bus_processes import ROOT
from tests.env_server.line_sessions import (
    CHOP,
    CHOPS,
    FAULTY,
    FORWARD,
    NOOP,
    WALKS,
    choose,
    interface,
    session,
)

LONG = Program(
    name="long", source="def action(obs):\n    while True:\n        noop()\n", max_steps=3
)
EQUIP = Program(name="hold", source='def action(obs):\n    equip("shears")\n', max_steps=3)
REWARD = RewardTerm(
    kind="code", weight=1.0, source="def reward(before, after):\n    return 1 / (after.steps - 1)\n"
)


def uses(found: list[ChoiceUse]) -> dict[str, tuple[int, dict[str, int]]]:
    return {use.name: (use.times, use.endings) for use in found}


def test_choices_and_the_endings_of_macros_are_counted() -> None:
    playing, _ = session(interface=interface(macros=[CHOP, LONG, EQUIP, FAULTY]))
    long, hold, faulty = CHOPS, CHOPS + 1, CHOPS + 2
    choose(playing, NOOP, WALKS, long, hold)  # WALKS is the place of the first macro here
    choose(playing, FORWARD, FORWARD, long, faulty)
    found = uses(playing.choices())
    assert found["forward"] == (1, {})  # in the other row the macro had succeeded
    assert found["chop"][0] == sum(found["chop"][1].values()) == 1
    assert found["long"] == (2, {"used up its steps": 2})
    ((said, times),) = found["hold"][1].items()
    assert "failed at line 2: ValueError: there is no shears in the inventory" in said
    assert times == 1
    assert found["turn_right"] == (0, {})  # what is never taken is told, too


def test_taking_another_policy_resets_its_counts_and_taking_the_same_does_not() -> None:
    playing, _ = session()
    choose(playing, FORWARD, FORWARD, FORWARD, FORWARD)
    playing.take(interface())
    choose(playing, FORWARD, NOOP, NOOP, NOOP)
    assert uses(playing.choices())["forward"][0] == 5
    playing.take(interface(horizon=39))
    choose(playing, FORWARD, NOOP, NOOP, NOOP)
    assert uses(playing.choices())["forward"][0] == 1


def test_mistakes_in_rewards_are_reported() -> None:
    playing, _ = session(interface=interface(rewards=[REWARD]))
    choose(playing, NOOP, NOOP, NOOP, NOOP)
    assert playing.mistakes() == {"line 2: ZeroDivisionError: division by zero": 4}


def test_a_training_session_counts_no_choices() -> None:
    playing, _ = session(autoreset=True)
    choose(playing, FORWARD, FORWARD, FORWARD, FORWARD)
    assert playing.choices() == []


TRAINED = Trained(
    policy=Policy(id="p", checkpoint="p"),
    samples=9_000,
    prefix_samples=0,
    success_rate=0.2,
    curve=[
        (1000 * number, rate / 10) for number, rate in enumerate((0, 1, 3, 6, 5, 4, 3, 3, 2, 2))
    ],
    reason="the budget is spent",
)
PLAYED = Played(
    episodes=[],
    steps=0,
    reports=[],
    choices=[
        ChoiceUse(name="forward", times=70),
        ChoiceUse(name="hold", times=9, endings={"failed at line 2: ValueError: there is none": 9}),
        ChoiceUse(name="turn_left_15", times=0),
    ],
    mistakes={"line 2: it returned str, not a number": 40},
)
SPEC = TrainingSpec(
    name="dig", task=TASK, seeds=SeedRange(first=0, count=9), budget=9_000,
    interface=Interface(
        observations=["rays"], actions=["forward"], macros=[EQUIP], rewards=[REWARD], success=LOG,
        horizon=77, targets=["wood"],
    ),
)  # fmt: skip
DIG = SubAction(name="dig", method="rl", success=LOG)


def test_a_curve_is_put_in_words_with_its_best_point_and_why_it_ended() -> None:
    learning = learning_of(TRAINED, PLAYED)
    assert len(learning.curve) == 8
    assert (learning.curve[0], learning.curve[-1]) == (TRAINED.curve[0], TRAINED.curve[-1])
    assert "it was best at 3,000, and got worse after that" in curve_in_words(learning)
    assert curve_in_words(learning).endswith("it ended so: the budget is spent")


@pytest.mark.parametrize(
    ("rates", "said"),
    [
        ((0.0, 0.0, 0.0), "it never succeeded"),
        ((0.1, 0.4, 0.7), "it was still getting better"),
        ((0.1, 0.7, 0.7), "it has levelled off"),
    ],
)
def test_the_words_for_a_curve_state_whether_it_rises_is_level_or_never_succeeded(
    rates: tuple[float, ...], said: str
) -> None:
    curve = [(1000 * number, rate) for number, rate in enumerate(rates)]
    assert said in curve_in_words(Learning(samples=3000, curve=curve, stopped="x"))


@pytest.mark.parametrize("curve", [[], [(50_000, 0.7), (100_000, 0.2)]])
def test_the_words_for_a_curve_state_by_which_tryout_the_weights_were_chosen(
    curve: list[tuple[int, float]],
) -> None:
    learning = Learning(
        samples=100_000,
        curve=curve,
        stopped="x",
        tryouts=[(50_000, 0.7), (100_000, 0.2)],
        best=50_000,
    )
    words = curve_in_words(learning)
    assert "tryouts meanwhile 0.70 at 50,000, 0.20 at 100,000 samples" in words
    assert "the policy has the weights after 50,000;" in words


@pytest.mark.parametrize(
    ("rates", "returns", "said"),
    [
        ((0.0, 0.0, 0.02), (0.0, -1.4, 1.0), "rose from -1.40 to 1.00"),  # it looks at the tree
        ((0.0, 0.0, 0.0), (0.0, 2.0, 5.0), "rose from 2.00 to 5.00"),
        ((0.0, 0.0, 0.02), (0.0, -1.4, -1.2), ""),  # hardly more than it had
        ((0.0, 0.2, 0.6), (0.0, -1.4, 5.0), ""),  # by success
        ((0.0, 0.05, 0.09), (0.0, 0.1, 0.95), ""),  # by success that is still seldom
        ((0.0, 0.0, 0.0), (), ""),  # a policy of before they were kept
    ],
)
def test_the_words_for_a_curve_state_that_rewards_pay_without_success(
    rates: tuple[float, ...], returns: tuple[float, ...], said: str
) -> None:
    learning = Learning(
        samples=3000,
        curve=[(1000 * number, rate) for number, rate in enumerate(rates)],
        returns=[(1000 * number, mean) for number, mean in enumerate(returns)],
        stopped="x",
    )
    words = curve_in_words(learning)
    assert ("something else than success" in words) == bool(said)
    assert said in words


def test_the_questions_to_critic_and_fast_agent_show_the_learning_curve(tmp_path: Path) -> None:
    learning = learning_of(TRAINED, PLAYED)
    evidence = Evidence(
        id="e", sub_action="dig", description="", method="rl", success=LOG, required_rate=0.9,
        episodes=ended_with_a_log(2, 4, steps=5), learning=learning,
    )  # fmt: skip
    verdict = Verdict(success=False, success_rate=0.5, reason="so", episodes=4)
    line = Line(sub_action=DIG, attempts=1, verdict=verdict, learning=learning)
    question = SpecQuestion(
        task=TASK,
        sub_action=DIG,
        history=[line],
        tried=[Tried(iteration=1, line=line, spec=SPEC)],
    )
    for agent, asked in (
        ("critic", JudgeQuestion(evidence=evidence, success_rate=0.5)),
        ("fast_agent", question),
    ):
        text = render(ROOT / "nodes" / agent / "prompts", asked)[1].content
        assert "got worse after that" in text
        assert "hold: 9 times; it failed at line 2: ValueError: there is none (9)" in text
        assert "turn_left_15: 0 times" in text
        assert "paid nothing 40 times: line 2: it returned str, not a number" in text
    shown = text.partition("```json\n")[2].partition("\n```")[0]
    spec = msgspec.json.decode(shown)
    assert (spec["horizon"], spec["budget"]) == (77, 9_000)
    assert spec["macros"][0]["source"] == EQUIP.source


def test_the_spec_question_shows_the_programs_tried_so_far() -> None:
    verdict = Verdict(success=False, success_rate=0.85, reason="so", episodes=20)
    line = Line(sub_action=DIG, attempts=1, verdict=verdict)
    tried = [Tried(iteration=0, line=line, program=CHOP)]
    question = SpecQuestion(task=TASK, sub_action=DIG, history=[line], tried=tried)
    text = render(ROOT / "nodes" / "fast_agent" / "prompts", question)[1].content
    assert "The program of iteration 0: 0.85 of 20 tryout episodes" in text
    assert "  3         attack()" in text
