"""What answers cost that cannot be used: such as are cut off, and of questions that failed."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from messages.breaking import BREAKS, SET_BREAK, USE_ANSWER, SetBreak, UseAnswer
from messages.bus import RemoteError
from messages.empty import Empty
from nodes.llm.recording.transcript import Unanswered, read_lines
from rlgpt.dash.views.conversation_view import Conversation
from rlgpt.report.account import account
from rlgpt.report.node_files import asked
from rlgpt.report.summary import summarise
from rlgpt.report.tokens import TokenSum, token_table
from tests.bus_processes import PATIENCE, eventually
from tests.llm.scripted_server import GOOD, Setting, lines, says

CUT = says(GOOD[:10], finish="length")  # each costs 7 tokens, and 5 that are written


def failed(run: Path) -> list[Unanswered]:
    return read_lines(run / "llm" / "unanswered.jsonl", Unanswered)


def test_an_answer_that_was_cut_off_is_counted_with_its_question(setting: Setting) -> None:
    setting.start(CUT, CUT, says(GOOD))
    setting.ask()
    (line,) = lines(setting.run)
    assert line["answered"]["prompt_tokens"] == 21
    assert line["answered"]["completion_tokens"] == 15


def test_what_a_failed_question_cost_is_recorded_and_reported(setting: Setting) -> None:
    setting.start(CUT, says("{}"), says(GOOD), repairs=1)
    with pytest.raises(RemoteError, match="no valid answer in 2 tries"):
        setting.ask("goal/0-log/iteration-2/plan-0")
    (cost,) = failed(setting.run)
    assert (cost.prompt_tokens, cost.completion_tokens) == (14, 10)
    assert cost.seconds > 0
    setting.ask("goal/plan-1")
    table = token_table(setting.run)
    assert table is not None
    assert [(name, cells[-1]) for name, cells in table.rows] == [
        ("plan", TokenSum(prompt=7, answer=5)),
        ("2", TokenSum(prompt=14, answer=10)),
    ]
    (row,) = asked(setting.run)
    assert (row.count, row.unanswered, row.prompt_tokens) == (1, 1, 21)
    found = summarise(setting.run, account(setting.run)).questions
    assert (found.count, found.unanswered) == (1, 1)
    assert (found.prompt_tokens, found.completion_tokens) == (21, 15)
    assert found.seconds == pytest.approx(row.seconds)
    conversation = Conversation(setting.run)
    assert conversation.asked() == [row]
    assert conversation.questions(0, 10)["agents"]["planner"]["prompt"] == 21


def test_what_the_model_wrote_in_vain_is_counted_with_the_answer_that_a_person_gave(
    setting: Setting,
) -> None:
    setting.start(CUT, repairs=1)
    setting.bus.call(SET_BREAK, SetBreak(at="planner/plan", stops=True), PATIENCE)
    with ThreadPoolExecutor(1) as pool:
        reply = pool.submit(setting.ask)
        eventually(lambda: setting.bus.call(BREAKS, Empty(), PATIENCE).held)
        used = setting.bus.call(USE_ANSWER, UseAnswer(id="q", answer=GOOD), PATIENCE)
        assert used.problems == []
        answered = reply.result(PATIENCE)
    assert (answered.prompt_tokens, answered.completion_tokens) == (14, 10)
    assert asked(setting.run)[0].prompt_tokens == 14  # and not in both files


def test_a_line_before_these_were_counted_is_read_without_them() -> None:
    line = {"time": 0.0, "id": "a", "agent": "planner", "asked": "PlanQuestion", "question": {},
            "prompt": [], "sentence": "No."}  # fmt: skip
    found = msgspec.json.decode(msgspec.json.encode(line), type=Unanswered)
    assert (found.prompt_tokens, found.completion_tokens, found.seconds) == (0, 0, 0.0)
