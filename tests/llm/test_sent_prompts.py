"""Prompts are shown as they were sent: with examples, and without what was left out, wherever."""

from pathlib import Path

import msgspec
import pytest

from messages.chat import Answered, ChatMessage, Part, PlanAnswer, PlanQuestion
from nodes.common.questions.prompt_parts import EXAMPLES
from nodes.llm.breakpoints import Breakpoints, Waiting
from nodes.llm.recording.transcript import Entry, Unanswered
from rlgpt.dash.views.conversation_view import Conversation
from tests.agent_stack import TASK
from tests.launch_toys.launched import printed

SKILLS, PLAN = "The skills.", "Plan it."
PROMPT = [
    ChatMessage(role="system", content="You plan."),
    ChatMessage(
        role="user",
        content=f"{SKILLS}{PLAN}",
        parts=[Part(name="the skills", turn=2, start=0, end=len(SKILLS))],
    ),
]
EXAMPLE = [
    ChatMessage(
        role="user",
        content="A question like it.",
        parts=[Part(name="an example", turn=EXAMPLES, start=0, end=1)],
    ),
    ChatMessage(role="assistant", content="Its answer."),
]
SHOWN = [*PROMPT[:1], *EXAMPLE, *PROMPT[1:]]
SHORT = "(Left out, as the prompt would be too long: the skills.)\nPlan it."
QUESTION = msgspec.Raw(msgspec.json.encode(PlanQuestion(task=TASK)))
ANSWER = msgspec.json.encode(PlanAnswer(thoughts="", subtasks=[])).decode()

Recorded = Entry | Unanswered


def answered(left_out: list[str]) -> Entry:
    return Entry(
        time=1.0, agent="planner", asked="PlanQuestion", question=QUESTION, prompt=PROMPT,
        examples=EXAMPLE, schema={},
        answered=Answered(id="goal/plan-0", answer=ANSWER, model="toy", left_out=left_out),
    )  # fmt: skip


def unanswered(left_out: list[str]) -> Unanswered:
    return Unanswered(
        time=1.0, id="goal/plan-0", agent="planner", asked="PlanQuestion", question=QUESTION,
        prompt=PROMPT, examples=EXAMPLE, sentence="No.", left_out=left_out,
    )  # fmt: skip


def in_terminal(recorded: Recorded, place: Path) -> list[str]:
    text = printed("prompt", "show", "planner", "--run", str(place), cwd=place)
    return [part for part in text.split("--- ") if part.startswith(("system", "user", "assistant"))]


def on_the_page(recorded: Recorded, place: Path) -> list[str]:
    one = Conversation(place).one(1)
    assert one is not None
    return [f"{each['role']}\n{each['content']}\n" for each in one["prompt"]]


def held(recorded: Recorded, place: Path) -> list[str]:
    waiting = Waiting(since=0.0)
    if isinstance(recorded, Entry):
        waiting.entry = recorded
    else:
        waiting.failed = recorded
    prompt = Breakpoints(place, lambda _: None).held(waiting, 100).prompt
    return [each.replace("]", "", 1) + "\n" for each in f"\n\n{prompt}".split("\n\n[")[1:]]


@pytest.mark.parametrize("shown", [in_terminal, on_the_page, held])
@pytest.mark.parametrize("make", [answered, unanswered])
def test_a_prompt_is_shown_as_it_was_sent(tmp_path: Path, shown, make) -> None:
    (tmp_path / "config.yaml").write_text("name: test\nnodes: {}\n")
    (tmp_path / "llm").mkdir()
    for left_out, messages in (
        ([], SHOWN),
        (["an example"], PROMPT),
        (["an example", "the skills"], [PROMPT[0], ChatMessage(role="user", content=SHORT)]),
    ):
        recorded = make(left_out)
        name = "transcript" if isinstance(recorded, Entry) else "unanswered"
        line = msgspec.json.encode(recorded) + b"\n"
        (tmp_path / "llm" / f"{name}.jsonl").write_bytes(line)
        expected = [f"{each.role}\n{each.content}\n" for each in messages]
        assert shown(recorded, tmp_path) == expected
