"""Crafter by each method of its table: valid answers, and what its policies are paid and shown."""

from typing import Any

import msgspec
import numpy as np
import pytest

import worlds
from messages.chat import DecomposeQuestion, SpecQuestion
from messages.plan import Iteration, Line, Method, Samples, SubAction, Subtask
from messages.program import CheckProgram, Program
from messages.verdict import Verdict
from messages.world import Condition, Interface, OpenSession, RewardTerm, SeedRange, Task
from nodes.common.checks.decomposition_check import decomposition_problems
from nodes.common.checks.spec_check import spec_problems
from nodes.env_server.programs.checking import problems_of
from nodes.env_server.session import Session
from nodes.llm.rulebook.rulebook_backend import decompose, spec
from rlgpt.composing.composition import compose_launch
from rlgpt.composing.configuration import check, check_task
from rlgpt.refused import Refused
from worlds.crafter.card.card_parts import COUNTERS
from worlds.crafter.card.crafter_names import ACHIEVEMENTS, ACTIONS

pytest.importorskip("crafter", reason="crafter is not installed: pip install '.[crafter]'")
CARD, PLAY = worlds.card("crafter"), worlds.play("crafter")
GOALS = ["achievements", "collect_wood", "wood_pickaxe", "place_table", "eat_plant", "wake_up",
         "defeat_zombie", "collect_drink"]  # fmt: skip


def task(name: str) -> Task:
    goal = Condition(kind="have", name=name)
    return Task(id="t", prompt="", success=goal, game="crafter", horizon=10_000)


def failed(sub_actions: list[SubAction], number: int) -> Iteration:
    verdict = Verdict(success=False, success_rate=0.0, reason="seen")
    lines = [Line(sub_action=each, attempts=1, verdict=verdict) for each in sub_actions]
    return Iteration(subtask="s", number=number, lines=lines, stages=[], success_rate=0.0,
                     episodes=1, samples=Samples(), seconds=0.0)  # fmt: skip


def rungs(asked: Task, methods: tuple[Method, ...]) -> list[list[SubAction]]:
    """What is tried, iteration by iteration."""
    history: list[Iteration] = []
    found: list[list[SubAction]] = []
    for number in range(3):
        question = DecomposeQuestion(
            task=asked,
            subtask=Subtask(name="s", success=asked.success),
            history=history,
            methods=methods,
        )
        found.append(decompose(question).sub_actions)
        problems = decomposition_problems(question.subtask, found[-1], methods, None, "crafter")
        assert problems == []
        history.append(failed(found[-1], number))
    return found


@pytest.mark.parametrize("name", GOALS)
def test_each_goal_is_first_coded_then_learned(name: str) -> None:
    asked = task(name)
    tried = rungs(asked, ("code", "rl"))
    assert [[each.method for each in rung] for rung in tried] == [["code"], ["rl"], ["rl"]]
    assert [[each.method for each in rung] for rung in rungs(asked, ("rl",))] == [["rl"]] * 3
    for macros in (True, False):
        question = SpecQuestion(
            task=asked,
            sub_action=tried[1][0],
            observations=list(CARD.specs.features),
            actions=list(CARD.specs.actions),
            macros_allowed=macros,
        )
        answer = spec(question)
        known = CARD.specs.features, CARD.specs.actions
        assert spec_problems(answer, *known, macros, 3_000_000, "crafter") == []
        assert bool(answer.macros) == macros
        assert set(answer.actions) == set(ACTIONS)
        for macro in answer.macros:
            program = Program(name=macro.name, source=macro.source)
            assert problems_of(CheckProgram(program=program), PLAY.programs) == []


def session(rewards: list[RewardTerm], size: int, horizon: int, **changes: object) -> Session:
    asked = task("achievements")
    never = Condition(kind="have", name="achievements", quantity=22)
    asked = msgspec.structs.replace(asked, success=never)
    interface = Interface(
        observations=["view", "vitals", "rgb"],
        actions=list(ACTIONS),
        rewards=rewards,
        success=never,
        horizon=horizon,
    )
    opening = OpenSession(
        session="a", task=asked, size=size, seeds=SeedRange(first=0, count=size),
        interface=interface, autoreset=True,
    )  # fmt: skip
    return Session(opening, PLAY.make_world("crafter", size, asked))


def test_a_policy_is_paid_as_the_game_pays_and_an_ended_episode_has_what_it_gained() -> None:
    terms = [
        RewardTerm(kind="gain", weight=1.0, name="achievements"),
        RewardTerm(kind="health", weight=0.1),
    ]
    played = session(terms, 8, 200)
    world: Any = played._steps.world
    games = [game._env for game in world._games]
    chance = np.random.RandomState(3)
    ended: list[list[str]] = []
    paid = unlocked = 0.0
    for _ in range(200):
        before = [(len(e._unlocked), e._last_health) for e in games]
        stepped = played.step(chance.randint(0, len(ACTIONS), 8))
        ended += stepped.final_scored
        assert len(stepped.final_scored) == len(stepped.final_rows)
        for row, env in enumerate(games):
            if row not in stepped.final_rows:  # the package's own reward
                own = len(env._unlocked) - before[row][0] + (env._last_health - before[row][1]) / 10
                assert stepped.reward[row] == pytest.approx(own, abs=1e-6)
                paid += abs(own)
                unlocked += len(env._unlocked) - before[row][0]
    assert paid > 1
    assert unlocked > 3
    assert len(ended) >= 8
    assert any("collect_sapling" in each or "wake_up" in each for each in ended)
    assert set().union(*ended) <= set(ACHIEVEMENTS)
    played.close()


def test_the_picture_feature_is_the_drawn_picture() -> None:
    played = session([RewardTerm(kind="step", weight=-1.0)], 2, 50)
    shown = played.opened().features[:, -12288:].reshape(2, 3, 64, 64)
    for row in range(2):
        drawn = played._steps.world.rgb(row, 64, 64)
        assert np.allclose(shown[row] * 255, drawn, atol=0.01)
    assert shown.std() > 0.05
    played.close()


def test_counters_equal_the_packages_inventory_and_achievements_after_each_step() -> None:
    played = session([RewardTerm(kind="step", weight=-1.0)], 2, 200)
    world: Any = played._steps.world
    chance = np.random.RandomState(5)
    for _ in range(150):
        played.step(chance.randint(0, len(ACTIONS), 2))
        for row, game in enumerate(world._games):
            counts = dict(zip(COUNTERS, played._readings.counters()[0][row].tolist(), strict=True))
            held = game.player.inventory
            assert {name: counts[name] for name in ("wood", "sapling")} == {
                name: held[name] for name in ("wood", "sapling")
            }
            assert counts["achievements"] == sum(n > 0 for n in game.player.achievements.values())
    played.close()


@pytest.mark.parametrize(
    "method", ["rlgpt", "learned_guards", "pure_code", "pure_rl", "pure_rl_pixels", "random"]
)
def test_a_launch_takes_each_method_of_the_table(method: str) -> None:
    composed = compose_launch("crafter", [f"method={method}", "run=x"])
    check_task(check(composed, "crafter"), "crafter")


@pytest.mark.parametrize("method", ["mineagent", "plan4mc", "deps", "reward_only"])
def test_a_method_whose_rules_crafter_lacks_is_refused_with_those_it_has(method: str) -> None:
    composed = compose_launch("crafter", [f"method={method}", "run=x"])
    with pytest.raises(Refused, match="the game 'crafter' has no rule file") as refused:
        check_task(check(composed, "crafter"), "crafter")
    assert "there are rules.yaml" in refused.value.sentence
