"""Each prompt shows an example of the kind of step that it asks about: digging, crafting, mobs."""

import re
from pathlib import Path

import pytest

from messages.chat import DecomposeQuestion, ProgramQuestion, Question, SpecQuestion
from messages.plan import SubAction, Subtask
from messages.world import Condition, Task
from nodes.common.checks.answer_check import answer_problems
from nodes.common.questions.asking import render
from worlds.registry import card

NODES = Path(__file__).parents[2] / "nodes"
HELD = {"crafting_table": 1, "planks": 5, "bowl": 1, "iron_ingot": 3}


def example_for(agent: str, question: Question) -> str:
    system, _ = render(NODES / agent / "prompts", question)
    (example,) = re.findall(r"```json\n(.*?)```", system.content, re.DOTALL)
    return example


def about(success: Condition) -> tuple[Task, SubAction]:
    task = Task(id="test", prompt="Try it.", success=success, inventory=HELD)
    return task, SubAction(name="try it", method="code", success=success, description="")


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [("boat", "boat"), ("feather", "feather"), ("sand", "sand"), ("milk_bucket", "feather")],
)
def test_the_example_of_a_decomposition_answers_a_question_of_its_kind(wanted: str, shown: str):
    success = Condition(kind="have", name=wanted, quantity=4 if wanted == "sand" else 1)
    task, _ = about(success)
    question = DecomposeQuestion(task=task, subtask=Subtask(name="try", success=success))
    example = example_for("slow_agent", question)
    assert f'"{shown}"' in example
    if wanted == shown:
        assert answer_problems(question, example) == []


@pytest.mark.parametrize(
    ("kind", "wanted", "shown"),
    [
        ("have", "boat", "craft('boat')"),
        ("have", "sand", "nearest(obs, 'crafting table')"),
        ("facing", "sand", "nearest(obs, 'crafting table')"),
        ("have", "feather", "nearest_mob(obs, 'pig')"),
        ("facing", "cow", "nearest_mob(obs, 'pig')"),
    ],
)
def test_the_example_program_crafts_or_goes_to_a_block_or_a_mob(kind: str, wanted: str, shown: str):
    task, sub_action = about(Condition(kind=kind, name=wanted))
    question = ProgramQuestion(task=task, sub_action=sub_action)
    example = example_for("fast_agent", question)
    assert shown in example
    assert answer_problems(question, example) == []


@pytest.mark.parametrize(
    ("kind", "wanted", "target"),
    [
        ("have", "sand", "sand"),
        ("have", "feather", "chicken"),
        ("killed", "pig", "chicken"),
        ("have", "milk_bucket", "mooshroom"),
    ],
)
def test_the_example_spec_is_about_a_block_a_mob_or_the_use_of_an_item(
    kind: str, wanted: str, target: str
):
    task, sub_action = about(Condition(kind=kind, name=wanted))
    specs = card("minecraft").specs
    question = SpecQuestion(
        task=task,
        sub_action=sub_action,
        observations=list(specs.features),
        actions=list(specs.actions),
    )
    example = example_for("fast_agent", question)
    assert f'"targets": ["{target}"]' in example
    assert answer_problems(question, example) == []
