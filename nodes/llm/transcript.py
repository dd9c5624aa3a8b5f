"""The transcript: every exchange as one line of JSON, and the memory of what was answered."""

import os
import threading
from io import FileIO
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from messages.chat import Answered, ChatMessage
from nodes.llm.answers import Attempt
from nodes.whole_files import UnusableFile

Line = TypeVar("Line", bound=msgspec.Struct)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of ``transcript.jsonl``."""

    time: float  # seconds since the epoch
    agent: str
    asked: str  # the type of the question
    question: msgspec.Raw
    prompt: list[ChatMessage]
    schema: dict[str, Any]
    answered: Answered
    failures: list[str] = []
    # What the model wrote, if that is not just the answer: its thinking, and what was invalid.
    attempts: list[Attempt] = []
    was: str | None = None  # the model's answer, where a person gave another; empty: there was none


class Unanswered(msgspec.Struct, frozen=True, kw_only=True):
    """One line of ``unanswered.jsonl``: a question without an answer."""

    time: float
    id: str
    agent: str
    asked: str
    question: msgspec.Raw
    prompt: list[ChatMessage]
    sentence: str  # the sentence that the agent got
    failures: list[str] = []
    attempts: list[Attempt] = []


class _Known(msgspec.Struct):
    """What of a line has to be in memory."""

    answered: Answered


class Transcript:
    """Append-only, so that a kill at any moment costs at most the line being written, whose answer
    was not sent yet.

    Raises:
        UnusableFile: another line is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        path.touch()
        data = path.read_bytes()
        try:
            known = decode_lines(path, data, _Known)
        except ValueError as error:
            raise UnusableFile(
                f"{error}; remove that line, and its question is asked again, or put a copy of the "
                "file in its place"
            ) from None
        self._answers = {each.answered.id: each.answered for each in known}
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.truncate(path, whole)
        self._file = path.open("ab", buffering=0)

    def __len__(self) -> int:
        return len(self._answers)

    def find(self, id: str) -> Answered | None:
        with self._lock:
            return self._answers.get(id)

    def append(self, entry: Entry) -> None:
        """Write the entry to disk, then remember its answer.

        Raises:
            OSError: it cannot be written, and nothing of it is.
        """
        with self._lock:
            _append(self._file, entry)
            os.fsync(self._file.fileno())
            self._answers[entry.answered.id] = entry.answered

    def close(self) -> None:
        self._file.close()


def decode_lines(path: Path, data: bytes, kind: type[Line]) -> list[Line]:
    """The whole lines of what stands in a file: the last may be one that a node was writing when it
    was killed.

    Raises:
        ValueError: one of them does not decode; which.
    """
    found: list[Line] = []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        try:
            found.append(msgspec.json.decode(line, type=kind))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}, line {number} is no recorded question: {error}") from None
    return found


def note_unanswered(path: Path, entry: Unanswered) -> None:
    """Add a line. It is a record only: the question may be asked again."""
    with path.open("ab", buffering=0) as file:
        _append(file, entry)


def _append(file: FileIO, entry: Entry | Unanswered) -> None:
    """A whole line or, where the disk is full, none: the next would be written behind a part."""
    size = os.fstat(file.fileno()).st_size
    left = memoryview(msgspec.json.encode(entry) + b"\n")
    try:
        while left:
            left = left[file.write(left) :]
    except OSError:
        os.ftruncate(file.fileno(), size)
        raise
