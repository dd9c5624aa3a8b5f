"""A held answer goes on once, though two people give one at the same time."""

import json
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from messages.breaking import BREAKS, SET_BREAK, USE_ANSWER, SetBreak, UseAnswer, Used
from messages.bus import RemoteError
from messages.chat import ASK, Answered, Ask, ProgramQuestion
from messages.empty import Empty
from messages.plan import SubAction
from messages.program import CHECK, Checked, CheckProgram
from nodes.llm.llm import Llm
from nodes.llm.recording.transcript import Entry, read_lines
from nodes.testing import MockBus, start
from tests.agent_stack import LOG, TASK
from tests.bus_processes import PATIENCE, eventually

ID = "goal/program-0"
SOURCE = "def action(obs):\n    obs = forward()\n"


class Held:
    """The llm node without a process, an answer that it holds, and an env server that checks
    programs only once two of them came."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.bus = MockBus("llm")
        self.llm = start(Llm, self.bus, run)
        self.both = threading.Barrier(2)
        self.bus.answer(CHECK, self._check)
        self.bus.call(SET_BREAK, SetBreak(at="fast_agent/program", stops=True))
        find = SubAction(name="find a tree", method="code", success=LOG)
        question = ProgramQuestion(task=TASK, sub_action=find)
        request = Ask(id=ID, agent="fast_agent", question=question, prompt=[])
        self.asked: Future[Answered] = Future()
        # It may wait for an answer that is gone, which must not hold up the test.
        threading.Thread(
            target=lambda: self.asked.set_result(self.bus.call(ASK, request)), daemon=True
        ).start()
        eventually(lambda: self.bus.call(BREAKS, Empty()).held)

    def _check(self, _: CheckProgram) -> Checked:
        self.both.wait(PATIENCE)
        return Checked(problems=[])

    def use(self, by: str) -> Used | str:
        """What the node makes of a person's answer; the error."""
        answer = json.dumps({"thoughts": f"of {by}", "source": SOURCE})
        try:
            return self.bus.call(USE_ANSWER, UseAnswer(id=ID, answer=answer, by=by))
        except RemoteError as error:
            return f"{error.code}: {error.message}"

    @property
    def files(self) -> list[Path]:
        return list((self.run / "llm" / "held").iterdir())


def test_of_two_people_who_answer_at_once_one_gets_to_know_that_it_waits_no_more(
    tmp_path: Path,
) -> None:
    held = Held(tmp_path)
    try:
        with ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(held.use, ("Ann", "Bob")))
        (used,) = [each for each in outcomes if isinstance(each, Used)]
        assert used.edited
        assert f"unknown: no answer to {ID!r} waits; there are: none" in outcomes
        first = ("Ann", "Bob")[outcomes.index(used)]
        assert held.asked.result(PATIENCE).edited_by == first
        (entry,) = read_lines(tmp_path / "llm" / "transcript.jsonl", Entry)
        assert entry.answered.edited_by == first
        assert held.files == []
    finally:
        held.llm.transcript.close()
