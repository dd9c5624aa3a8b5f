"""An answer is found wherever it stands in what a model wrote."""

import pytest

from messages.chat import PlanQuestion
from messages.world import Condition, Task
from nodes.llm.answers.answer_parsing import parse

SUCCESS = '{"kind": "have", "name": "log", "quantity": 1}'
PLAN = f'{{"thoughts": "", "subtasks": [{{"name": "dig", "success": {SUCCESS}}}]}}'
QUESTION = PlanQuestion(
    task=Task(id="log", prompt="log", success=Condition(kind="have", name="log"))
)


@pytest.mark.parametrize(
    "text",
    [
        f"The set {{a, b}} is fine. {PLAN}",
        f'Example: {{"a": 1}}. Answer: {PLAN}',
        f"{PLAN} It uses {{braces}} afterwards.",
        f'```python\nx = {{}}\n```\nand\n```json\n{{"a": 1}}\n```\n```json\n{PLAN}\n```',
        f'```json\n{{"a": 1}}\n```\nSo: {PLAN}',
        f'<tool_call>{{"name": "think", "arguments": {{"a": 1}}}}</tool_call>'
        f'<tool_call>{{"name": "plan", "arguments": {PLAN}}}</tool_call>',
        "{" * 50 + PLAN,
    ],
)
def test_an_answer_behind_other_objects_braces_and_fences_is_found(text: str):
    assert '"name":"dig"' in parse(QUESTION, text)


def test_what_is_wrong_is_said_of_the_object_that_is_meant():
    with pytest.raises(ValueError, match=r"subtasks\[0\]"):
        parse(QUESTION, 'Like {"a": 1}: {"subtasks": [{"name": 3}]} or {"b": 2}')
    with pytest.raises(ValueError, match="malformed"):
        parse(QUESTION, "{" * 5000)


@pytest.mark.parametrize("start", ["<tool_call>{", "```json", "```"])
@pytest.mark.parametrize("space", [" ", "\n"])
def test_a_text_with_spaces_without_end_is_read_in_the_time_that_its_length_takes(
    start: str, space: str
):
    """One that takes the square of it would be read for hours, and the node answers no one."""
    spaces = space * 2_000_000
    with pytest.raises(ValueError, match=r"prose|malformed|truncated"):
        parse(QUESTION, f"{start}{spaces}x{spaces}y")


def test_after_a_hundred_braces_that_begin_nothing_no_answer_is_looked_for():
    """Each of them may be read to the end of a long text."""
    assert parse(QUESTION, "{ " * 99 + PLAN)
    with pytest.raises(ValueError, match="malformed"):
        parse(QUESTION, "{ " * 100 + PLAN)
