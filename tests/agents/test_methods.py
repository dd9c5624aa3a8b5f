"""The methods of the tables: data for the same nodes, with valid answers for every task."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from messages.chat import (
    DecomposeQuestion,
    PlanQuestion,
    ProgramAttempt,
    ProgramQuestion,
    SpecQuestion,
)
from messages.plan import Iteration, Line, Samples, Stage, SubAction, Subtask
from messages.program import Program
from messages.verdict import Verdict
from messages.world import Condition, Interface, Task
from nodes.common.checks.decomposition_check import decomposition_problems
from nodes.common.checks.spec_check import spec_problems
from nodes.config import read_parameters
from nodes.env_server.interface.stage import InterfaceStage as MetStage
from nodes.env_server.programs import compile_program
from nodes.fast_agent.fast_agent import FastAgent
from nodes.llm.profiles import Rulebook, read_profile
from nodes.llm.rulebook.rulebook_backend import RulebookBackend, decompose, plan, program, spec
from nodes.llm.rulebook.rules import Book
from nodes.planner.planner import Planner
from nodes.slow_agent.slow_agent import SlowAgent
from rlgpt.composing.composition import compose_launch
from tests.expected_starts import starts
from tests.fake_world import FakeWorld
from tests.task_files import WHOLE
from voxeldojo.actions import PRIMITIVES
from worlds.minecraft.card import CARD
from worlds.minecraft.card.features import FEATURES
from worlds.minecraft.play import PLAY
from worlds.minecraft.play.runtime import RUNTIME

LAUNCH = Path(__file__).parents[2] / "launch"
METHODS = sorted(path.stem for path in (LAUNCH / "method").glob("*.yaml"))
ALL_TASKS = {
    path.stem: msgspec.convert(yaml.safe_load(path.read_text()), type=Task) for path in WHOLE
}
TASKS = {name: task for name, task in ALL_TASKS.items() if task.game == "minecraft"}  # the paper's
NODES: dict[str, Any] = {"planner": Planner, "slow_agent": SlowAgent, "fast_agent": FastAgent}


class Method:
    """A method as its nodes read it."""

    def __init__(self, name: str) -> None:
        composed = compose_launch("cell", [f"method={name}", "task=stick"])
        profile = read_profile(composed["nodes"]["llm"]["parameters"]["profile"])
        assert isinstance(profile, Rulebook)
        self.book = profile.rules
        self.composed = composed
        for node, kind in NODES.items():
            values = composed["nodes"][node].get("parameters", {})
            setattr(self, node, read_parameters(kind.Parameters, values, node))

    planner: Planner.Parameters
    slow_agent: SlowAgent.Parameters
    fast_agent: FastAgent.Parameters

    def subtasks(self, task: Task) -> list[Subtask]:
        if not self.planner.plan:
            return [Subtask(name=task.prompt, success=task.success)]
        return plan(PlanQuestion(task=task, inventory=task.inventory)).subtasks


@pytest.fixture(scope="module")
def methods() -> dict[str, Method]:
    return {name: Method(name) for name in METHODS}


def decompositions(method: Method, task: Task, subtask: Subtask) -> Iterator[list[SubAction]]:
    """All decompositions that a subtask comes to when the first of its sub-actions that is on its
    last legs fails; ``task`` begins where the subtask does."""
    open_methods, most = method.slow_agent.methods, method.slow_agent.most_sub_actions
    history: list[Iteration] = []
    for failing in (-1, 0):  # the last sub-action, then the first
        history = []
        for number in range(8):
            question = DecomposeQuestion(
                task=task,
                subtask=subtask,
                history=history,
                methods=open_methods,
                most_sub_actions=most,
            )
            sub_actions = decompose(question, method.book).sub_actions
            assert decomposition_problems(subtask, sub_actions, open_methods, most) == []
            yield sub_actions
            failed = sub_actions[failing].name
            history.append(
                Iteration(
                    subtask=subtask.name,
                    number=number,
                    lines=[line(each, each.name != failed) for each in sub_actions],
                    stages=[],
                    success_rate=0.0,
                    episodes=1,
                    samples=Samples(),
                    seconds=0.0,
                )
            )


def line(sub_action: SubAction, success: bool) -> Line:
    verdict = Verdict(success=success, success_rate=float(success), reason="seen")
    return Line(sub_action=sub_action, attempts=1, verdict=verdict)


def program_of(method: Method, task: Task, sub_action: SubAction, before: list[Stage]) -> Stage:
    """The last program of the stock; all of them compile."""
    question = ProgramQuestion(task=task, sub_action=sub_action, before=before)
    sources: list[str] = []
    while not sources or sources[-1] not in sources[:-1]:
        sources.append(program(question, method.book).source)
        compile_program(sources[-1], RUNTIME)
        attempts = [ProgramAttempt(source=source) for source in sources]
        question = msgspec.structs.replace(question, attempts=attempts)
    return Stage(sub_action=sub_action, program=Program(name="p", source=sources[-1]))


def policy_of(method: Method, task: Task, sub_action: SubAction, before: list[Stage]) -> Stage:
    """All specs of a sub-action are what a session takes."""
    for failed in range(3):
        question = SpecQuestion(
            task=task,
            sub_action=sub_action,
            before=before,
            history=[line(sub_action, False)] * failed,
            observations=list(FEATURES),
            actions=list(PRIMITIVES),
            macros_allowed=method.fast_agent.macros,
        )
        answer = spec(question, method.book)
        assert not spec_problems(
            answer, FEATURES, PRIMITIVES, method.fast_agent.macros, method.fast_agent.most_samples
        )
        assert len(answer.actions) > 1
        macros = [
            Program(name=draft.name, source=draft.source, max_steps=draft.max_steps)
            for draft in answer.macros
        ]
        interface = Interface(
            observations=answer.observations,
            actions=answer.actions,
            macros=macros,
            rewards=answer.rewards,
            success=sub_action.success,
            horizon=answer.horizon,
            targets=answer.targets,
            autocraft=method.fast_agent.autocraft,
        )
        MetStage(interface, task, PLAY, FakeWorld(1))
    return Stage(sub_action=sub_action)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_valid_answers_for_every_task(
    name: str, task: str, methods: dict[str, Method]
):
    method, asked = methods[name], TASKS[task]
    subtasks = method.subtasks(asked)
    for subtask, start in zip(subtasks, starts(subtasks, asked.inventory), strict=True):
        begins = msgspec.structs.replace(asked, inventory=start)
        here = msgspec.structs.replace(begins, success=subtask.success)
        seen: list[list[SubAction]] = []
        for sub_actions in decompositions(method, begins, subtask):
            if sub_actions in seen:
                continue
            seen.append(sub_actions)
            before: list[Stage] = []
            for sub_action in sub_actions:
                implement = program_of if sub_action.method == "code" else policy_of
                before.append(implement(method, here, sub_action, before))


def used(method: Method, task: str) -> set[str]:
    """Every way of implementing that a method may come to in a task."""
    found: set[str] = set()
    asked = TASKS[task]
    subtasks = method.subtasks(asked)
    for subtask, start in zip(subtasks, starts(subtasks, asked.inventory), strict=True):
        begins = msgspec.structs.replace(asked, inventory=start)
        for sub_actions in decompositions(method, begins, subtask):
            found |= {each.method for each in sub_actions}
    return found


def test_methods_use_the_code_policies_macros_and_imitation_of_the_paper(
    methods: dict[str, Method],
):
    assert {name: used(methods[name], "stick") for name in METHODS} == {
        "deps": {"code"},
        "learned_guards": {"code", "rl"},
        "mineagent": {"rl"},
        "mineagent_autocraft": {"rl"},
        "no_critic": {"code", "rl"},
        "one_agent": {"code", "rl"},
        "plan4mc": {"code", "rl"},
        "pure_code": {"code"},
        "pure_rl": {"rl"},
        "pure_rl_pixels": {"rl"},
        "random": {"rl"},
        "reward_only": {"code", "rl"},
        "rlgpt": {"code", "rl"},
    }
    without_macros = {name for name in METHODS if not methods[name].fast_agent.macros}
    assert without_macros == {
        "mineagent", "mineagent_autocraft", "plan4mc", "pure_rl", "pure_rl_pixels", "random",
        "reward_only",
    }  # fmt: skip
    assert {name for name in METHODS if not methods[name].planner.plan} == {
        "mineagent", "mineagent_autocraft"
    }  # fmt: skip
    assert {name for name in METHODS if methods[name].fast_agent.autocraft} == {
        "mineagent_autocraft"
    }
    assert methods["random"].composed["learner"]["uniform"]
    assert methods["pure_rl_pixels"].fast_agent.observations == ("rgb",)
    assert methods["mineagent"].composed["learner"]["imitation_every"] == 100
    assert methods["rlgpt"].composed["learner"]["imitation_every"] == 0


@pytest.mark.parametrize("book", [path.name for path in CARD.rulebook.files.glob("*.yaml")])
def test_rule_files_name_only_programs_and_specs_that_exist(book: str):
    known = Book(file=book).rules
    stock = {path.name for path in CARD.rulebook.programs.glob("*.py")}
    for approach in known.subtasks.values():
        for split in approach.splits:
            for step in split:
                assert set(step.programs) <= stock
                assert set(step.specs) <= set(known.specs)
                assert bool(step.programs) == ("code" in step.methods), step.name
                assert bool(step.specs) == ("rl" in step.methods), step.name
    for each in known.specs.values():
        assert {macro.file for macro in each.macros} <= stock


def test_a_missing_rule_file_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"there is no rule file 'x\.yaml'; there are deps\.yaml"):
        RulebookBackend("x.yaml")


@pytest.mark.parametrize(
    ("item", "inventory", "wanted"),
    [
        ("beef", {}, [["code"], ["rl"], ["code", "rl"], ["code", "rl"], ["rl"], ["rl"]]),
        (
            "milk_bucket",
            {"bucket": 1},
            [["code"], ["rl"], ["code", "rl"], ["code", "rl"], ["rl"], ["rl"]],
        ),
        ("cobblestone", {"wooden_pickaxe": 1}, [["code"], ["rl"], ["rl"], ["rl"]]),
        ("planks", {"log": 1}, [["code"], ["rl"]]),
        ("wooden_pickaxe", {"crafting_table": 1}, [["code"], ["rl"], ["rl"]]),
    ],
)
def test_a_failing_sub_action_escalates_from_code_to_rl_with_macros(
    item: str, inventory: dict[str, int], wanted: list[list[str]], methods: dict[str, Method]
):
    goal = Condition(kind="have", name=item)
    task = Task(id="t", prompt="p", success=goal, inventory=inventory)
    tried = list(decompositions(methods["rlgpt"], task, Subtask(name="s", success=goal)))[:8]
    assert [[each.method for each in split] for split in tried[: len(wanted)]] == wanted
    last = tried[len(wanted) - 1]
    question = SpecQuestion(task=task, sub_action=last[-1], history=[line(last[-1], False)])
    expected = item != "planks"  # a craft is one step: there is nothing to repeat
    assert bool(spec(question).macros) == expected
