"""An answer that a person let go on, or gave, is not lost where the disk is full just then."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from messages.breaking import BREAKS, SET_BREAK, USE_ANSWER, SetBreak, UseAnswer
from messages.bus import RemoteError
from messages.chat import ASK, Answered, Ask, PlanQuestion
from messages.empty import Empty
from nodes.llm.llm import Llm
from nodes.llm.recording.transcript import Entry, read_lines
from nodes.testing import MockBus, start
from tests.agent_stack import TASK
from tests.bus_processes import PATIENCE, eventually
from tests.full_disk import files_of_at_most
from tests.llm.test_breakpoints import OTHER

GIVEN = UseAnswer(id="goal/plan-0", answer=json.dumps(OTHER), by="a test")


class Held:
    """The llm node without a process. Of three answers that are recorded and one that waits."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.bus = MockBus("llm")
        self.llm = start(Llm, self.bus, run)
        for number in range(1, 4):
            self.ask(f"goal/plan-{number}")
        self.bus.call(SET_BREAK, SetBreak(at="planner/plan", stops=True))
        self.asked: Future[Answered] = Future()
        # The process that asked may wait for one that is gone, which must not hold up the test.
        threading.Thread(target=self._ask, daemon=True).start()
        eventually(self.waiting)

    def _ask(self) -> None:
        self.asked.set_result(self.ask(GIVEN.id))

    def ask(self, id: str) -> Answered:
        request = Ask(id=id, agent="planner", question=PlanQuestion(task=TASK), prompt=[])
        return self.bus.call(ASK, request)

    def waiting(self) -> list[str]:
        return [note.id for note in self.bus.call(BREAKS, Empty()).held]

    def recorded(self) -> list[str]:
        return [each.answered.id for each in read_lines(self.transcript, Entry)]

    @property
    def transcript(self) -> Path:
        return self.run / "llm" / "transcript.jsonl"

    @property
    def file(self) -> Path:
        (file,) = (self.run / "llm" / "held").glob("*.json")
        return file

    def restart(self) -> None:
        self.llm.transcript.close()
        self.bus = MockBus("llm")
        self.llm = start(Llm, self.bus, self.run)

    def close(self) -> None:
        self.llm.transcript.close()


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Held]:
    held = Held(tmp_path)
    yield held
    held.close()


def refused(held: Held, room: int) -> str:
    """What a person who gives an answer is told where no file may be larger than this."""
    with files_of_at_most(room), pytest.raises(RemoteError) as refused:
        held.bus.call(USE_ANSWER, GIVEN)
    assert refused.value.code == "disk"
    assert held.waiting() == [GIVEN.id]
    assert not held.asked.done()
    return refused.value.message


def test_an_answer_whose_release_cannot_be_written_can_be_released_later(held: Held) -> None:
    said = refused(held, 100)
    assert said.startswith(f"the answer still waits: {held.file} cannot be written: ")
    assert not json.loads(held.file.read_bytes())["released"]
    assert held.bus.call(USE_ANSWER, GIVEN).edited
    assert held.asked.result(PATIENCE).edited_by == "a test"


def test_an_answer_that_cannot_be_recorded_can_be_released_later(held: Held) -> None:
    said = refused(held, held.transcript.stat().st_size + 10)
    assert said.startswith(f"the answer still waits: {held.transcript} cannot be written: ")
    assert held.bus.call(USE_ANSWER, GIVEN).edited
    assert held.asked.result(PATIENCE).edited_by == "a test"
    assert held.waiting() == []
    assert not list((held.run / "llm" / "held").iterdir())
    assert held.recorded().count(GIVEN.id) == 1


def test_an_answer_that_could_not_be_recorded_is_used_by_the_next_process(held: Held) -> None:
    refused(held, held.transcript.stat().st_size + 10)
    held.restart()
    assert held.ask(GIVEN.id).edited_by == "a test"
    assert held.waiting() == []


def test_an_answer_that_was_recorded_by_a_process_that_then_ended_waits_no_more(
    held: Held,
) -> None:
    left = held.file
    content = left.read_bytes()
    held.bus.call(USE_ANSWER, GIVEN)
    answered = held.asked.result(PATIENCE)
    left.write_bytes(content)
    held.restart()
    assert held.waiting() == []
    assert not left.exists()
    assert held.ask(GIVEN.id) == answered
    assert held.recorded().count(GIVEN.id) == 1
