"""The llm node's transcript: every answer on disk, none in memory; and what was not answered."""

import errno
import resource
import tracemalloc
from pathlib import Path

import msgspec
import pytest

from messages.chat import Answered
from nodes.llm.recording.transcript import (
    Entry,
    Transcript,
    Unanswered,
    UnansweredQuestions,
    read_lines,
)


def test_an_empty_transcript_can_be_opened_twice(tmp_path: Path):
    path = tmp_path / "transcript.jsonl"
    for _ in range(2):
        transcript = Transcript(path)
        assert len(transcript) == 0
        transcript.close()


def entry(id: str) -> Entry:
    """An exchange whose answer begins with its id and has 20 kB."""
    answered = Answered(
        id=id, answer=id.ljust(20_000, "x"), model="m", prompt_tokens=0, completion_tokens=0,
        seconds=0.0,
    )  # fmt: skip
    question = msgspec.Raw(b"{}")
    return Entry(
        time=0.0, agent="planner", asked="PlanQuestion", question=question, prompt=[],
        schema={}, answered=answered,
    )  # fmt: skip


def test_a_long_transcript_is_not_held_in_memory(tmp_path: Path):
    path = tmp_path / "transcript.jsonl"
    tracemalloc.start()
    try:
        transcript = Transcript(path)
        for number in range(200):
            transcript.append(entry(f"question-{number}"))
        transcript.close()
        again = Transcript(path)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert path.stat().st_size > 4e6
    assert held < 0.5e6
    for each in (transcript, again):
        for number in (0, 123, 199):
            found = each.find(f"question-{number}")
            assert found is not None
            assert found.answer.startswith(f"question-{number}x")
    again.close()


def test_an_answer_that_does_not_reach_the_disk_is_no_line_and_may_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "transcript.jsonl"
    transcript = Transcript(path)

    def fails(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr("os.fsync", fails)
        with pytest.raises(OSError, match="Input/output"):
            transcript.append(entry("first"))
    assert path.stat().st_size == 0
    assert transcript.find("first") is None
    transcript.append(entry("first"))
    transcript.close()
    assert path.read_text("utf-8").count("\n") == 1


def test_a_full_disk_leaves_no_half_line(tmp_path: Path):
    """Else the next answer is written behind it, and the transcript cannot be read any more."""
    path = tmp_path / "transcript.jsonl"
    transcript = Transcript(path)
    transcript.append(entry("first"))
    room = path.stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room + 9_000, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            transcript.append(entry("second"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.stat().st_size == room
    transcript.append(entry("third"))
    transcript.close()
    again = Transcript(path)
    assert len(again) == 2
    assert again.find("second") is None
    again.close()


def unanswered(id: str) -> Unanswered:
    return Unanswered(
        time=0.0, id=id, agent="planner", asked="PlanQuestion", question=msgspec.Raw(b"{}"),
        prompt=[], sentence="No.",
    )  # fmt: skip


@pytest.mark.parametrize(
    "part",
    [b"", b'{"time":0.0,"id":"sec', b"x" * 200_000],
    ids=["nothing", "the beginning of a line", "most of a long line"],
)
def test_a_killed_processs_line_does_not_spoil_the_record_of_open_questions(
    tmp_path: Path, part: bytes
):
    """Else a replay of the run, and `rlgpt ask`, would refuse the whole file."""
    path = tmp_path / "unanswered.jsonl"
    UnansweredQuestions(path).append(unanswered("first"))
    with path.open("ab") as file:
        file.write(part)
    UnansweredQuestions(path).append(unanswered("third"))
    assert [each.id for each in read_lines(path, Unanswered)] == ["first", "third"]


def test_a_record_that_has_only_an_unfinished_line_is_empty(tmp_path: Path):
    path = tmp_path / "unanswered.jsonl"
    path.write_bytes(b'{"time":0.0')
    UnansweredQuestions(path).append(unanswered("first"))
    assert [each.id for each in read_lines(path, Unanswered)] == ["first"]
