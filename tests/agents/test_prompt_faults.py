"""A mistake in an edited prompt is reported with the template's file and line."""

from pathlib import Path

import jinja2
import pytest

from messages.chat import PlanQuestion
from nodes.common.questions.asking import render
from nodes.common.questions.template_faults import template_fault
from tests.agent_stack import TASK


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("Reach\n{{ tusk.prompt }}\n", 2, "'tusk' is undefined"),
        ("Reach\n\n{% if task %}\n", 3, "Unexpected end of template"),
        ("Reach {{ task.prompt | loud }}\n", 1, "No filter named 'loud'"),
    ],
)
def test_a_mistake_in_a_template_is_named_with_its_line(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    file = tmp_path / "plan.system.jinja"
    file.write_text(text)
    with pytest.raises(jinja2.TemplateError) as raised:
        render(tmp_path, PlanQuestion(task=TASK))
    assert template_fault(raised.value).startswith(f"{file}, line {line}: {words}")


def test_a_mistake_in_a_part_is_named_by_the_parts_file(tmp_path: Path) -> None:
    (tmp_path / "plan.system.jinja").write_text("{% include 'part.jinja' %}\n")
    part = tmp_path / "part.jinja"
    part.write_text("\n\n{{ nope }}\n")
    with pytest.raises(jinja2.TemplateError) as raised:
        render(tmp_path, PlanQuestion(task=TASK))
    assert template_fault(raised.value) == f"{part}, line 3: 'nope' is undefined"


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    (tmp_path / "plan.system.jinja").write_text("{% include 'part.jinja' %}\n")
    with pytest.raises(jinja2.TemplateError) as raised:
        render(tmp_path, PlanQuestion(task=TASK))
    assert template_fault(raised.value) == "there is no template part.jinja"
