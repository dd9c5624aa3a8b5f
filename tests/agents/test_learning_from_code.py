"""The fast agent: what was tried as a program is what a policy may choose, and begins as."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

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
from messages.plan import IMPLEMENT, Implement, Implemented, Method, Stage, SubAction
from messages.program import CHECK, Checked, CheckProgram, Problem, Program
from messages.training import ACT, TRAIN, Acted, Policy, Trained, TrainingSpec
from messages.verdict import JUDGE, Evidence, Verdict
from messages.world import CLOSE, LOOK, OPEN, RUN_PROGRAM, Condition, RewardTerm, SeedRange, Task
from nodes.common.parameters.hyperparameters import MOST_DEMONSTRATIONS, Hyperparameters
from nodes.config import ConfigError
from nodes.fast_agent.fast_agent import FastAgent
from nodes.fast_agent.playing.seeds import seeds_while_training, training_seeds
from nodes.testing import MockBus, start
from tests.agents.craft_world import Inventories
from tests.agents.feedback import prompt

LOG = Condition(kind="have", name="log")
TASK = Task(id="log", prompt="Harvest a log.", success=LOG)
FACING = Condition(kind="facing", name="wood")


def program(number: int) -> str:
    return f'ITEM = "log"\nQUANTITY = 1\n# {number}\n'


SPEC = SpecAnswer(
    observations=["rays", "under_way"],
    actions=["attack"],
    rewards=[RewardTerm(kind="success", weight=1.0)],
    horizon=100,
    budget=1000,
)


class Stack:
    """A fast agent whose programs and policies do as often as ``rates`` says, by the name of the
    tryout (``trial-0``), and whose spec is ``spec``."""

    def __init__(self, run: Path, spec: SpecAnswer, **parameters: Any) -> None:
        self.world, self.bus = Inventories(), MockBus("fast_agent")
        self.spec = spec
        self.rates: dict[str, float] = {}
        self.specs: list[SpecQuestion] = []
        self.trained: list[TrainingSpec] = []
        self.judged: list[str] = []
        self.bus.answer(ASK, self.answer)
        self.bus.answer(CHECK, lambda request: Checked(problems=[]))
        self.bus.answer(OPEN, self.world.open)
        self.bus.answer(LOOK, self.world.look)
        self.bus.answer(CLOSE, self.world.close)
        self.bus.answer(JUDGE, self.judge)
        self.bus.answer_action(RUN_PROGRAM, self.world.run)
        self.bus.answer_action(TRAIN, self.train)
        self.bus.answer_action(ACT, lambda goal: Acted(steps=7))
        start(FastAgent, self.bus, run, **parameters)

    def answer(self, request: Ask) -> Answered:
        question = request.question
        if isinstance(question, SpecQuestion):
            self.specs.append(question)
            answer: msgspec.Struct = self.spec
        else:
            assert isinstance(question, ProgramQuestion)
            first = 10 if question.sub_action.success == FACING else 0
            answer = ProgramAnswer(source=program(first + len(question.attempts)))
        return Answered(id=request.id, answer=msgspec.json.encode(answer).decode(), model="test")

    def judge(self, evidence: Evidence) -> Verdict:
        self.judged.append(evidence.id)
        tryout = evidence.id.rpartition("judge-")[2]
        rate = self.rates.get(f"{evidence.method}-{tryout}", 0.0)
        episodes = len(evidence.episodes)
        return Verdict(success=rate >= 0.9, success_rate=rate, reason="Counted.", episodes=episodes)

    def train(self, goal: Any) -> Trained:
        self.trained.append(goal.request.spec)
        policy = Policy(id=goal.id, checkpoint="learner/x/checkpoint.pt")
        return Trained(
            policy=policy,
            samples=900,
            prefix_samples=50,
            success_rate=1.0,
            curve=[],
            reason="",
            tryouts=[(0, 0.5), (900, 0.4)],
            best=0,
            clone_kl=0.1,
            clone_fade=30_000,
        )

    def implement(self, name: str, method: Method, iteration: int, aim: Condition = LOG) -> Any:
        request = Implement(
            task=TASK,
            sub_action=SubAction(name=name, method=method, success=aim),
            before=[],
            history=[],
        )
        return self.bus.run_goal(IMPLEMENT, f"demo/{iteration}/{name}", request)


def empty_ones_refused(check: CheckProgram) -> Checked:
    empty = not check.program.source.strip()
    return Checked(problems=[Problem(line=1, message="empty")] if empty else [])


def by_code(stack: Stack) -> None:
    """Three programs for a log, of which the second is best, and one for something else."""
    stack.rates = {"code-0": 0.3, "code-1": 0.6, "code-2": 0.0}
    stack.implement("get log", "code", 0)
    stack.rates = {"code-0": 1.0}
    stack.implement("4 looks", "code", 0, aim=FACING)


FROM_PROGRAMS = msgspec.structs.replace(
    SPEC,
    macros=[
        MacroDraft(name="get_log_2", source="", max_steps=90, interrupt=20),
        MacroDraft(name="do_4_looks_1", source="", max_steps=80, interrupt=30),
    ],
    clone=["get_log_2"],
)


def test_the_spec_question_lists_every_tried_program_by_name_and_rate(tmp_path: Path):
    stack = Stack(tmp_path, SPEC)
    by_code(stack)
    stack.implement("get log", "rl", 1)
    (question,) = stack.specs
    assert [(each.name, each.sub_action, each.rate) for each in question.programs] == [
        ("do_4_looks_1", "4 looks", 1.0),
        ("get_log_2", "get log", 0.6),
        ("get_log_1", "get log", 0.3),
        ("get_log_3", "get log", 0.0),
    ]
    assert question.programs[0].success == FACING
    assert {each.episodes for each in question.programs} == {20}
    assert [each.source for each in question.programs] == [program(n) for n in (10, 1, 0, 2)]
    assert (question.programs_as_macros, question.programs_to_clone) == (True, True)


def test_without_a_critic_the_spec_question_gives_no_rates(tmp_path: Path):
    stack = Stack(tmp_path, SPEC, critic=False)
    stack.implement("get log", "code", 0)
    stack.implement("get log", "rl", 1)
    (question,) = stack.specs
    assert {each.episodes for each in question.programs} == {0}
    text = prompt("fast_agent", question)
    assert "`get_log_1`, for get log" in text
    assert "1.00 of" not in text
    assert ": not judged. It ran; it was not judged." in text


def test_programs_of_another_subtask_are_not_in_the_spec_question(tmp_path: Path):
    stack = Stack(tmp_path, SPEC)
    by_code(stack)
    task = msgspec.structs.replace(TASK, success=Condition(kind="have", name="dirt"))
    sub_action = SubAction(name="get log", method="rl", success=task.success)
    request = Implement(task=task, sub_action=sub_action, before=[], history=[])
    stack.bus.run_goal(IMPLEMENT, "demo/dirt", request)
    assert stack.specs[0].programs == []


def test_a_spec_takes_programs_as_interrupted_macros_and_as_its_start(tmp_path: Path):
    stack = Stack(tmp_path, FROM_PROGRAMS, seed=3)
    by_code(stack)
    stack.implement("get log", "rl", 1)
    (spec,) = stack.trained
    macros = spec.interface.macros
    assert [(each.name, each.max_steps, each.interrupt) for each in macros] == [
        ("get_log_2", 90, 20),
        ("do_4_looks_1", 80, 30),
    ]
    assert [macro.source for macro in macros] == [program(1), program(10)]
    assert [(each.name, each.source) for each in spec.clone] == [("get_log_2", program(1))]
    # What has a start is tried out as it learns, on seeds that are nothing else's.
    assert spec.tryouts is not None
    assert (spec.tryouts.seeds.count, spec.tryouts.every) == (20, 50_000)
    assert 3_890_000 <= spec.tryouts.seeds.first <= 3_899_000 - 20


def test_trainings_of_different_goals_are_tried_out_on_different_seeds() -> None:
    first = {seeds_while_training(3, 20, f"goal/{n}").first for n in range(20)}
    assert len(first) > 15
    assert all((each - 3_890_000) % 20 == 0 for each in first)


def test_no_demonstration_has_the_seed_of_a_tryout_while_training() -> None:
    """Demonstrations have the last seeds of a training, at most so many."""
    with pytest.raises(msgspec.ValidationError, match="clone_episodes"):
        msgspec.convert({"clone_episodes": MOST_DEMONSTRATIONS + 1}, Hyperparameters)
    training = training_seeds(0)
    for size in (1, 20, 20_000):
        for goal in range(400):
            tryout = seeds_while_training(0, size, f"goal/{goal}")
            assert tryout.first + tryout.count <= training.count - MOST_DEMONSTRATIONS


def test_a_program_that_never_succeeded_is_not_cloned(tmp_path: Path):
    """Demonstrations of it would be for nothing, and tryouts of a training without a start too."""
    stack = Stack(tmp_path, msgspec.structs.replace(FROM_PROGRAMS, clone=["get_log_3"]))
    by_code(stack)
    stack.implement("get log", "rl", 1)
    (spec,) = stack.trained
    assert spec.clone == []
    assert spec.tryouts is not None
    assert spec.tryouts.grown  # only if its budget grows


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"program_macros": False}, "Macro 'get_log_2', line"),
        ({"clone": False}, "There is no program 'get_log_2' to clone: leave `clone` empty."),
        ({"macros": False}, "Macros are not allowed in this run"),
    ],
)
def test_program_macros_cloning_and_macros_can_each_be_turned_off_alone(
    tmp_path: Path, parameters: dict[str, bool], words: str
):
    stack = Stack(tmp_path, FROM_PROGRAMS, **parameters)
    stack.bus.answer(CHECK, empty_ones_refused)
    by_code(stack)
    stack.implement("get log", "rl", 1)
    assert any(words in problem for problem in stack.specs[-1].problems)
    (spec,) = stack.trained  # without what was turned off
    assert parameters.get("clone", True) or not spec.clone
    off = {"program_macros", "macros"} & parameters.keys()
    assert bool(spec.interface.macros) is not bool(off)
    question = stack.specs[0]
    assert question.programs_as_macros == ("clone" in parameters)
    assert question.programs_to_clone == ("clone" not in parameters)


@pytest.mark.parametrize(
    ("given", "unread"),
    [
        ({"macros": False, "interrupt": 50}, "interrupt=50"),
        ({"macros": False, "program_macros": True}, "program_macros=true"),
        ({"tryouts_in_training": "never", "tryouts_every": 700}, "tryouts_every=700"),
    ],
)
def test_a_parameter_that_another_one_leaves_unread_is_refused(
    tmp_path: Path, given: dict[str, Any], unread: str
):
    with pytest.raises(ConfigError, match=rf"^nodes\.fast_agent\.parameters: {unread} is for"):
        start(FastAgent, MockBus("fast_agent"), tmp_path, **given)


def test_a_default_that_another_parameter_leaves_unread_is_no_contradiction(tmp_path: Path):
    alone: list[dict[str, Any]] = [{"macros": False}, {"tryouts_in_training": "never"}]
    for number, given in enumerate(alone):
        start(FastAgent, MockBus("fast_agent"), tmp_path / str(number), **given).close()


def test_without_program_macros_and_cloning_no_program_is_in_the_spec_question(tmp_path: Path):
    stack = Stack(tmp_path, SPEC, program_macros=False, clone=False)
    by_code(stack)
    stack.implement("get log", "rl", 1)
    assert stack.specs[0].programs == []


def test_the_runs_interrupt_replaces_that_of_programs_used_as_macros(tmp_path: Path):
    whole = MacroDraft(name="whole", source=program(9), max_steps=70)
    spec = msgspec.structs.replace(FROM_PROGRAMS, macros=[*FROM_PROGRAMS.macros, whole])
    stack = Stack(tmp_path, spec, interrupt=5)
    by_code(stack)
    stack.implement("get log", "rl", 1)
    macros = stack.trained[0].interface.macros
    assert [macro.interrupt for macro in macros] == [5, 5, None]


@pytest.mark.parametrize(
    ("which", "spec", "tried"),
    [
        ("started", SPEC, False),
        ("started", FROM_PROGRAMS, True),
        ("never", FROM_PROGRAMS, False),
        ("always", SPEC, True),
    ],
)
def test_tryouts_in_training_are_made_for_the_trainings_that_the_parameter_names(
    tmp_path: Path, which: str, spec: SpecAnswer, tried: bool
):
    every = {} if which == "never" else {"tryouts_every": 700}
    stack = Stack(tmp_path, spec, tryouts_in_training=which, **every)
    by_code(stack)
    stack.implement("get log", "rl", 1)
    tryouts = stack.trained[0].tryouts
    from_the_start = tryouts is not None and not tryouts.grown
    assert from_the_start == tried
    assert tryouts is None or tryouts.every == 700


def compared(run: Path, policy: float, rival: float, **parameters: Any) -> tuple[Stack, Any]:
    stack = Stack(run, SPEC, **parameters)
    by_code(stack)
    stack.rates = {"rl-0": policy, "rl-program": rival}
    return stack, stack.implement("get log", "rl", 1)


def seeds_of(stack: Stack, tryout: str) -> SeedRange:
    return stack.world.requests[f"demo/1/get log/{tryout}/play-0"].seeds


@pytest.mark.parametrize(("policy", "rival", "stands"), [
    (0.5, 0.7, "program"), (0.0, 1.0, "program"), (0.95, 0.9, "policy"), (0.7, 0.5, "policy"),
    (0.6, 0.6, "policy"),
])  # fmt: skip
def test_the_better_of_program_and_policy_stands(
    tmp_path: Path, policy: float, rival: float, stands: str
):
    stack, implemented = compared(tmp_path, policy, rival)
    assert isinstance(implemented, Implemented)
    stage = implemented.stage
    assert stage is not None
    if stands == "program":
        assert stage.program is not None
        assert stage.program.source == program(1)  # the best of those with the same aim
        assert stage.policy is None
        counts = f"in {20 * rival:.0f} and the policy in {20 * policy:.0f} of 20 episodes"
        assert f"the program get_log_2 worked {counts}: the program is kept" in (
            implemented.line.verdict.reason
        )
    else:
        assert stage.policy is not None
        assert stage.program is None
    assert implemented.line.verdict.success_rate == max(policy, rival)
    assert implemented.line.verdict.success == (stands == "policy" and policy >= 0.9)
    assert seeds_of(stack, "trial-program") == seeds_of(stack, "trial-0")
    # How the training went is told whichever stands.
    learning = implemented.line.learning
    assert learning is not None
    assert (learning.samples, learning.clone_kl, learning.clone_fade) == (900, 0.1, 30_000)
    assert (learning.tryouts, learning.best) == ([(0, 0.5), (900, 0.4)], 0)
    # Both tryouts are counted: the policy's, and 20 runs of a program of 10 steps.
    assert implemented.samples.trial == 7 + 200


@pytest.mark.parametrize(
    ("policy", "parameters"), [(1.0, {}), (0.4, {"better_of": False}), (0.4, {"critic": False})]
)
def test_program_and_policy_are_not_compared_where_the_outcome_cannot_change(
    tmp_path: Path, policy: float, parameters: dict[str, bool]
):
    stack, implemented = compared(tmp_path, policy, 0.9, **parameters)
    assert implemented.stage.policy is not None
    assert "demo/1/get log/trial-program/play-0" not in stack.world.requests


def test_a_program_that_was_played_in_fewer_episodes_than_the_policy_is_not_compared(
    tmp_path: Path,
):
    """Where samples ran out, it may have had the easy ones."""
    stack = Stack(tmp_path, SPEC)
    by_code(stack)
    # 950 are for the training; after the policy's tryout one episode of the program fits.
    stack.bus.answer_action(ACT, lambda goal: Acted(steps=40_000 - 950 - 1_005))
    stack.rates = {"rl-0": 0.5, "rl-program": 1.0}
    sub_action = SubAction(name="get log", method="rl", success=LOG)
    request = Implement(task=TASK, sub_action=sub_action, before=[], history=[], samples=40_000)
    implemented = stack.bus.run_goal(IMPLEMENT, "demo/1/get log", request)
    assert stack.world.requests["demo/1/get log/trial-program/play-0"].size == 1
    assert implemented.stage is not None
    assert implemented.stage.policy is not None
    assert implemented.samples.trial == 40_000 - 950 - 1_005 + 10  # and yet it is counted


def test_a_goal_that_is_repeated_by_a_restart_is_shown_the_same_programs(tmp_path: Path):
    stack = Stack(tmp_path, SPEC)
    by_code(stack)
    stack.implement("get log", "rl", 1)
    stack.rates = {"code-0": 0.8}
    by_code(stack)  # nothing new: the same sources
    sub_action = SubAction(name="other", method="code", success=LOG)
    request = Implement(task=TASK, sub_action=sub_action, before=[], history=[])
    stack.bus.answer(ASK, lambda ask: Answered(
        id=ask.id, model="test",
        answer=msgspec.json.encode(ProgramAnswer(source=program(7))).decode(),
    ))  # fmt: skip
    stack.bus.run_goal(IMPLEMENT, "demo/2/other", request)
    stack.bus.answer(ASK, stack.answer)
    again = Stack(tmp_path, SPEC)
    again.implement("get log", "rl", 1)  # the goal of before, in another process
    later = Stack(tmp_path, SPEC)
    later.implement("get log", "rl", 3)
    assert [len(each.specs[0].programs) for each in (stack, again, later)] == [4, 4, 5]


@pytest.mark.parametrize(
    ("parameters", "grows_to"),
    [
        ({}, 3_000_000),  # the largest budget that a spec may have
        ({"most_samples": 50_000}, 50_000),
        ({"budget": 4_000}, None),  # the run's cap on budgets, which this one has reached
        ({"budget": 9_000}, 9_000),
        ({"budget_grows": False}, None),
    ],
)
def test_a_budget_may_grow_as_far_as_samples_and_the_runs_caps_go(
    tmp_path: Path, parameters: dict[str, Any], grows_to: int | None
):
    stack = Stack(tmp_path, msgspec.structs.replace(SPEC, budget=4_000), **parameters)
    stack.implement("get log", "rl", 0)
    (spec,) = stack.trained
    assert (spec.budget, spec.grows_to) == (4_000, grows_to)
    # What may grow is tried out from there on.
    assert (spec.tryouts is not None and spec.tryouts.grown) == (grows_to is not None)


def test_a_budget_grows_no_further_than_its_share_of_the_samples(tmp_path: Path):
    stack = Stack(tmp_path, msgspec.structs.replace(SPEC, budget=4_000))
    sub_action = SubAction(name="get log", method="rl", success=LOG)
    request = Implement(task=TASK, sub_action=sub_action, before=[], history=[], samples=90_000)
    stack.bus.run_goal(IMPLEMENT, "demo/0/get log", request)
    (spec,) = stack.trained
    assert spec.most is not None
    assert spec.most < 90_000  # what the tryouts may take is kept
    assert spec.grows_to == spec.most


@pytest.mark.parametrize(
    ("samples", "rival", "most"),
    [
        (90_000, False, 70_000),  # without the twenty episodes of its tryout, of 1,000 steps each
        (90_000, True, 67_500),  # or both tryouts, and at most a quarter
        (30_000, False, 22_500),
        (2_000, False, 1_000),  # and one episode at least
        (1_000, False, None),
    ],
)
def test_a_training_leaves_the_samples_of_the_tryouts_that_follow_it(
    tmp_path: Path, samples: int, rival: bool, most: int | None
):
    stack = Stack(tmp_path, msgspec.structs.replace(SPEC, budget=2_000_000))
    if rival:
        by_code(stack)
    sub_action = SubAction(name="get log", method="rl", success=LOG)
    request = Implement(task=TASK, sub_action=sub_action, before=[], history=[], samples=samples)
    implemented = stack.bus.run_goal(IMPLEMENT, "demo/1/get log", request)
    assert [(spec.most, spec.budget) for spec in stack.trained] == ([(most, most)] if most else [])
    if not most:
        assert "The samples are spent" in implemented.line.verdict.reason


def test_programs_run_for_fewer_steps_in_the_resets_of_a_training(tmp_path: Path):
    stack = Stack(tmp_path, SPEC, prefix_steps=300)
    long = Program(name="walk", source=program(5), max_steps=900)
    sub_action = SubAction(name="get log", method="rl", success=LOG)
    before = [Stage(sub_action=sub_action, program=long)]
    request = Implement(task=TASK, sub_action=sub_action, before=before, history=[])
    stack.bus.run_goal(IMPLEMENT, "demo/0/get log", request)
    assert [each.max_steps for each in stack.trained[0].prefix] == [300]
    assert stack.world.requests["demo/0/get log/trial-0/play-0"].prefix == [long]
