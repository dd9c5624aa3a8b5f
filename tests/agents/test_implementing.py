"""What a sub-action costs is counted, whatever becomes of it."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.bus import RemoteError, ServiceError
from messages.chat import (
    ASK,
    Answered,
    Ask,
    MacroDraft,
    ProgramAnswer,
    ProgramQuestion,
    SpecAnswer,
    SpecQuestion,
)
from messages.plan import EVALUATE, IMPLEMENT, Evaluate, Implement, Samples, Stage, SubAction
from messages.program import CHECK, Checked, Program
from messages.system import SetParameters, set_parameters
from messages.training import ACT, TRAIN, Acted, Policy, Progress, Trained, TrainingSpec
from messages.verdict import JUDGE, Evidence, Verdict
from messages.world import CLOSE, LOOK, OPEN, RUN_PROGRAM, Condition, RewardTerm, Task
from nodes.common.skills.skill_library import Library
from nodes.common.skills.skills import Counts, Learned, Provenance
from nodes.env_server.programs.checking import problems_of
from nodes.fast_agent.fast_agent import FastAgent
from nodes.fast_agent.implementing import BestAttempt
from nodes.fast_agent.playing.stage_playing import Played
from nodes.testing import MockBus, start
from tests.agent_stack import ended_with_a_log
from tests.agents.craft_world import Inventories
from worlds.minecraft.play.runtime import RUNTIME

LOG = Condition(kind="have", name="log")
TASK = Task(id="log", prompt="Harvest a log.", success=LOG)
DIG = Implement(
    task=TASK, sub_action=SubAction(name="dig", method="rl", success=LOG), before=[], history=[]
)


def half_way(policy: str) -> Progress:
    return Progress(
        policy=policy,
        samples=400,
        prefix_samples=20,
        decisions=400,
        budget=1000,
        success_rate=0.0,
        mean_return=0.0,
        entropy=0.0,
        kl=0.0,
        steps_per_second=1.0,
    )


def trained_but_not_played(run: Path, code: str, breaks: bool = False) -> MockBus:
    """With ``breaks`` the training itself fails, half-way."""
    world, bus = Inventories(), MockBus("fast_agent")

    def answer(request: Ask) -> Answered:
        spec = SpecAnswer(
            observations=["rays"],
            actions=["attack"],
            rewards=[RewardTerm(kind="success", weight=1.0)],
            horizon=100,
            budget=1000,
        )
        return Answered(id=request.id, answer=msgspec.json.encode(spec).decode(), model="test")

    def train(goal: Any) -> Trained:
        policy = Policy(id=goal.id, checkpoint="learner/x/checkpoint.pt")
        if breaks:
            goal.feedback(half_way(goal.id))
            raise ServiceError("The world gave a reward that is no number.", code=code)
        return Trained(
            policy=policy, samples=900, prefix_samples=50, success_rate=1.0, curve=[], reason=""
        )

    def act(goal: Any) -> Any:
        raise ServiceError("The policy does not fit the session.", code=code)

    bus.answer(ASK, answer)
    bus.answer(OPEN, world.open)
    bus.answer(CLOSE, world.close)
    bus.answer_action(TRAIN, train)
    bus.answer_action(ACT, act)
    start(FastAgent, bus, run)
    return bus


@pytest.mark.parametrize("method", ["code", "rl"])
def test_a_sub_action_ends_retryable_where_no_model_was_reached(tmp_path: Path, method: str):
    """That says nothing about the sub-action: a failed iteration would be wrong in every table."""
    bus = trained_but_not_played(tmp_path, "")

    def unanswered(request: Ask) -> Answered:
        raise ServiceError("the server was not reached", code="no_model")

    bus.answer(ASK, unanswered)
    sub_action = msgspec.structs.replace(DIG.sub_action, method=method)
    with pytest.raises(RemoteError, match="the server was not reached") as error:
        bus.run_goal(IMPLEMENT, "demo/dig", msgspec.structs.replace(DIG, sub_action=sub_action))
    assert (error.value.code, error.value.retryable) == ("no_model", True)


def test_samples_of_a_sub_action_that_could_not_be_implemented_are_counted(tmp_path: Path):
    bus = trained_but_not_played(tmp_path, "policy_does_not_fit")
    implemented = bus.run_goal(IMPLEMENT, "demo/dig", DIG)
    assert implemented.stage is None
    assert not implemented.line.verdict.success
    assert "could not be implemented" in implemented.line.verdict.reason
    assert "does not fit the session" in implemented.line.verdict.reason
    assert implemented.samples == Samples(training=950)


def test_a_training_that_failed_half_way_is_counted_as_far_as_it_came(tmp_path: Path):
    bus = trained_but_not_played(tmp_path, "refused", breaks=True)
    implemented = bus.run_goal(IMPLEMENT, "demo/dig", DIG)
    assert "no number" in implemented.line.verdict.reason
    assert implemented.samples == Samples(training=420)


@pytest.mark.parametrize(("critic", "kept"), [(True, ["get_a_log"]), (False, [])])
def test_a_stage_without_a_verdict_is_no_skill(tmp_path: Path, critic: bool, kept: list[str]):
    world, bus = Inventories(), MockBus("fast_agent")

    def answer(request: Ask) -> Answered:
        program = ProgramAnswer(source='ITEM = "log"\nQUANTITY = 1\n')
        return Answered(id=request.id, answer=msgspec.json.encode(program).decode(), model="test")

    bus.answer(ASK, answer)
    bus.answer(CHECK, lambda request: Checked(problems=[]))
    bus.answer(OPEN, world.open)
    bus.answer(CLOSE, world.close)
    bus.answer_action(RUN_PROGRAM, world.run)
    bus.answer(JUDGE, lambda evidence: Verdict(success=True, success_rate=1.0, reason="seen"))
    start(FastAgent, bus, tmp_path, critic=critic, skills="skills")
    code = SubAction(name="get a log", method="code", success=LOG)
    goal = msgspec.structs.replace(DIG, sub_action=code)
    assert bus.run_goal(IMPLEMENT, "demo/get", goal).line.verdict.success
    assert [skill.name for skill in Library(tmp_path / "skills").all()] == kept


@pytest.mark.parametrize("killed", [False, True])
def test_a_skill_counts_the_episodes_that_were_played(tmp_path: Path, killed: bool):
    """However many a tryout has by the time it is judged, be it in another life of the node."""
    world, bus = Inventories(), MockBus("fast_agent")

    def answer(request: Ask) -> Answered:
        program = ProgramAnswer(source='ITEM = "log"\nQUANTITY = 1\n')
        return Answered(id=request.id, answer=msgspec.json.encode(program).decode(), model="test")

    def judge(evidence: Evidence) -> Verdict:
        assert len(evidence.episodes) == 20
        if killed and len(lives) == 1:
            raise ServiceError("The critic is not there.", code="internal")
        fewer = SetParameters(values={"trial_episodes": 5})
        bus.call(set_parameters("fast_agent"), fewer)
        return Verdict(success=True, success_rate=0.95, reason="seen")

    bus.answer(ASK, answer)
    bus.answer(CHECK, lambda request: Checked(problems=[]))
    bus.answer(OPEN, world.open)
    bus.answer(CLOSE, world.close)
    bus.answer_action(RUN_PROGRAM, world.run)
    bus.answer(JUDGE, judge)
    lives = [start(FastAgent, bus, tmp_path, skills="skills", trial_episodes=20)]
    code = SubAction(name="get a log", method="code", success=LOG)
    goal = msgspec.structs.replace(DIG, sub_action=code)
    if killed:
        with pytest.raises(RemoteError):
            bus.run_goal(IMPLEMENT, "demo/get", goal)
        lives.append(start(FastAgent, bus, tmp_path, skills="skills", trial_episodes=10))
    assert bus.run_goal(IMPLEMENT, "demo/get", goal).line.verdict.success
    assert lives[-1].parameters.trial_episodes == 5
    counts = Library(tmp_path / "skills").all()[0].counts
    assert (counts.successes, counts.episodes) == (19, 20)


def test_a_program_of_a_skill_with_a_taken_name_is_not_tried_and_the_reason_is_shown(
    tmp_path: Path,
):
    """The skill would call the program's ``walk_to`` for the API's."""
    walk = "def action(obs):\n    obs = walk_to(obs, 5, 0)\n"
    aim = Condition(kind="near", name="wood")
    provenance = Provenance(run="a", goal="b", commit="c", model="rulebook")
    learned = Learned(
        purpose="walk up", method="code", condition=aim, start={}, before=[], task=TASK,
        provenance=provenance, program=Program(name="walk", source=walk),
    )  # fmt: skip
    ten = Counts(successes=10, episodes=10)
    Library(tmp_path / "skills").add("a:b", "fetch it", learned, None, ten)
    calls = "def walk_to(obs, x, z):\n    obs = noop()\n\n\ndef action(obs):\n    fetch_it(obs)\n"
    asked: list[Any] = []

    def answer(request: Ask) -> Answered:
        asked.append(request.question)
        macro = MacroDraft(name="fetch", source=calls, purpose="")
        wrong: dict[type, Any] = {
            ProgramQuestion: ProgramAnswer(source=f"{calls}# {len(asked)}\n"),
            SpecQuestion: SpecAnswer(
                observations=["rays"], actions=["attack"], macros=[macro],
                rewards=[RewardTerm(kind="success", weight=1.0)], horizon=0, budget=1000,
            ),
        }  # fmt: skip
        text = msgspec.json.encode(wrong[type(request.question)]).decode()
        return Answered(id=request.id, answer=text, model="test")

    bus = MockBus("fast_agent")
    bus.answer(ASK, answer)
    bus.answer(CHECK, lambda request: Checked(problems=problems_of(request, RUNTIME)))
    start(FastAgent, bus, tmp_path, skills="skills", repairs=1, refusals=1)
    said = "line 1: the skill fetch_it means something else by the name walk_to"
    for method in ("code", "rl"):
        sub_action = SubAction(name="dig", method=method, success=LOG)
        goal = msgspec.structs.replace(DIG, sub_action=sub_action)
        implemented = bus.run_goal(IMPLEMENT, f"demo/{method}", goal)
        assert implemented.stage is None
        assert said in implemented.line.verdict.reason
    _, code, _, rl = asked
    assert [problem.line for problem in code.attempts[0].problems] == [1]
    assert len(rl.problems) == 2  # and its horizon, without which it would be taken without it


def test_a_refused_program_that_comes_again_is_asked_for_again(tmp_path: Path):
    """It cannot be what a model means by having no further idea. The question is the same one, so
    that other examples are shown with it; refusals come to their end."""
    asked: list[ProgramQuestion] = []

    def answer(request: Ask) -> Answered:
        assert isinstance(request.question, ProgramQuestion)
        asked.append(request.question)
        text = msgspec.json.encode(ProgramAnswer(source="import os\n")).decode()
        return Answered(id=request.id, answer=text, model="test")

    bus = MockBus("fast_agent")
    bus.answer(ASK, answer)
    bus.answer(CHECK, lambda request: Checked(problems=problems_of(request, RUNTIME)))
    start(FastAgent, bus, tmp_path, repairs=2, refusals=2)
    sub_action = SubAction(name="dig", method="code", success=LOG)
    goal = msgspec.structs.replace(DIG, sub_action=sub_action)
    implemented = bus.run_goal(IMPLEMENT, "demo", goal)
    assert implemented.stage is None
    assert implemented.line.attempts == 3
    assert [len(question.attempts) for question in asked] == [0, 1, 1]
    assert asked[1] == asked[2]


def test_a_spec_whose_names_stay_wrong_is_taken_with_the_right_ones(tmp_path: Path):
    """Blocks by their names at once; after the last repair, what names nothing is about what the
    goal comes from."""
    asked: list[SpecQuestion] = []
    specs: list[TrainingSpec] = []
    bus = MockBus("fast_agent")

    def answer(request: Ask) -> Answered:
        assert isinstance(request.question, SpecQuestion)
        asked.append(request.question)
        rewards = [
            RewardTerm(kind="success", weight=1.0),
            RewardTerm(kind="facing", weight=0.1, name="log"),
            RewardTerm(kind="approach", weight=0.1, name="stick"),
            RewardTerm(kind="facing", weight=0.2, name="stick"),
        ]
        spec = SpecAnswer(
            observations=["rays"], actions=["attack"], rewards=rewards, horizon=100, budget=1000,
            targets=["log", "wood", "stick"],
        )  # fmt: skip
        return Answered(id=request.id, answer=msgspec.json.encode(spec).decode(), model="test")

    def train(goal: Any) -> Trained:
        specs.append(goal.request.spec)
        raise ServiceError("That is enough.", code="invalid")

    bus.answer(ASK, answer)
    bus.answer_action(TRAIN, train)
    start(FastAgent, bus, tmp_path, repairs=1)
    bus.run_goal(IMPLEMENT, "demo/dig", DIG)
    assert len(asked) == 2
    said = " ".join(asked[1].problems)
    assert "stick is an item" in said
    assert "log" not in said
    (spec,) = specs
    assert spec.interface.targets == ["wood"]
    assert [(term.kind, term.name) for term in spec.interface.rewards] == [
        ("success", ""), ("facing", "wood"), ("approach", "wood"),
    ]  # fmt: skip


@pytest.mark.parametrize("code", ["internal", "differs", "no_world"])
def test_a_retryable_failure_is_no_verdict_on_the_sub_action(tmp_path: Path, code: str):
    bus = trained_but_not_played(tmp_path, code)
    with pytest.raises(RemoteError):
        bus.run_goal(IMPLEMENT, "demo/dig", DIG)


def test_a_policy_begins_again_only_in_environments_where_its_horizon_ended_it(tmp_path: Path):
    """One that is done would walk away from what it came for."""
    world, bus = Inventories(), MockBus("fast_agent")
    acted: list[list[int]] = []
    late = [[1, 2, 3], [2], [], []]

    def act(goal: Any) -> Acted:
        acted.append(goal.request.environments)
        return Acted(steps=7, late=late[len(acted) - 1])

    bus.answer(OPEN, world.open)
    bus.answer(LOOK, world.look)
    bus.answer(CLOSE, world.close)
    bus.answer_action(ACT, act)
    start(FastAgent, bus, tmp_path, evaluation_episodes=4)
    policy = Policy(id="p", checkpoint="p/checkpoint.pt")
    stage = Stage(sub_action=DIG.sub_action, policy=policy)
    evaluated = bus.run_goal(EVALUATE, "demo/evaluate", Evaluate(task=TASK, stages=[stage, stage]))
    assert acted == [[], [1, 2, 3], [2], []]  # and the second stage after the first
    assert evaluated.steps == 4 * 7


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [  # success rate, progress, steps
        ((0.5, 0.9, 100), (0.6, 0.6, 200), True),
        ((0.0, 0.2, 100), (0.0, 0.4, 200), True),
        ((0.0, 0.4, 100), (0.0, 0.2, 50), False),
        ((0.5, 0.5, 200), (0.5, 0.5, 100), True),
        ((0.5, 0.5, 100), (0.5, 0.5, 200), False),
        ((0.5, 0.5, 100), (0.5, 0.5, 100), False),
        ((0.0, 0.0, 200), (0.0, 0.0, 100), False),  # who gives up early has done no better
    ],
)
def test_an_attempt_is_kept_for_its_rate_then_its_progress_then_its_few_steps(
    first: tuple[float, float, int], second: tuple[float, float, int], kept: bool
):
    best = BestAttempt()
    stages = [Stage(sub_action=DIG.sub_action, program=Program(name=n, source=n)) for n in "ab"]
    for stage, (rate, progress, steps) in zip(stages, (first, second), strict=True):
        verdict = Verdict(success=False, success_rate=rate, progress=progress, reason="seen")
        played = Played(episodes=ended_with_a_log(1, 10, steps=9), steps=steps, reports=[])
        best.offer(stage, verdict, played)
    assert best.stage == stages[kept]
    assert (best.verdict.success_rate, best.episodes) == ((second if kept else first)[0], 10)


def writing(run: Path, **parameters: Any) -> tuple[MockBus, Inventories]:
    """A fast agent that writes a program for a log, which is not enough for its critic."""
    world, bus = Inventories(), MockBus("fast_agent")
    source = ProgramAnswer(source='ITEM = "log"\nQUANTITY = 1\n')
    answer = msgspec.json.encode(source).decode()
    bus.answer(ASK, lambda request: Answered(id=request.id, answer=answer, model="test"))
    bus.answer(CHECK, lambda request: Checked(problems=[]))
    bus.answer(OPEN, world.open)
    bus.answer(LOOK, world.look)
    bus.answer(CLOSE, world.close)
    bus.answer_action(RUN_PROGRAM, world.run)
    bus.answer(JUDGE, lambda evidence: Verdict(success=False, success_rate=0.5, reason="seen"))
    start(FastAgent, bus, run, **parameters)
    return bus, world


CODE = msgspec.structs.replace(
    DIG, sub_action=SubAction(name="get a log", method="code", success=LOG)
)


@pytest.mark.parametrize(
    ("samples", "repairs", "episodes"),
    [
        (4_000, 1, 2),  # of 1,000 steps: half is left for a repair
        (1_500, 1, 1),  # but one episode is played, if it fits
        (2_000, 0, 2),  # nothing is repaired after it
    ],
)
def test_a_tryout_of_a_program_leaves_half_of_the_samples_for_a_repair(
    tmp_path: Path, samples: int, repairs: int, episodes: int
):
    bus, world = writing(tmp_path, repairs=repairs)
    bus.run_goal(IMPLEMENT, "demo/get", msgspec.structs.replace(CODE, samples=samples))
    assert world.requests["demo/get/trial-0/play-0"].size == episodes


@pytest.mark.parametrize("learned", [False, True])
def test_stages_before_are_run_by_the_reset_unless_one_of_them_is_a_policy(
    tmp_path: Path, learned: bool
):
    bus, world = writing(tmp_path, repairs=0)
    acted: list[str] = []

    def act(goal: Any) -> Acted:
        acted.append(goal.request.policy.id)
        return Acted(steps=1)

    bus.answer_action(ACT, act)
    walk = Program(name="walk", source='ITEM = "dirt"\nQUANTITY = 1\n')
    before = [Stage(sub_action=DIG.sub_action, program=walk)]
    if learned:
        before.append(Stage(sub_action=DIG.sub_action, policy=Policy(id="p", checkpoint="p")))
    bus.run_goal(IMPLEMENT, "demo/get", msgspec.structs.replace(CODE, before=before))
    opened = world.requests["demo/get/trial-0/play-0"]
    assert opened.prefix == ([] if learned else [walk])
    assert [item for _, item, *_ in world.ran] == (["dirt", "log"] if learned else ["log"])
    assert acted == (["p"] if learned else [])
