"""The transcript: every exchange as one line of JSON, and the memory of what was answered."""

import os
import threading
from io import FileIO
from pathlib import Path
from typing import Any

import msgspec

from messages.chat import Answered, ChatMessage
from nodes.llm.answers import Attempt


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
    # What the model wrote, if that is not just the answer: its thinking, and what would not do.
    attempts: list[Attempt] = []


class Unanswered(msgspec.Struct, frozen=True, kw_only=True):
    """One line of ``unanswered.jsonl``: a question that nobody could answer."""

    time: float
    id: str
    agent: str
    asked: str
    question: msgspec.Raw
    prompt: list[ChatMessage]
    sentence: str  # what the agent was told
    failures: list[str] = []
    attempts: list[Attempt] = []


class _Known(msgspec.Struct):
    """What of a line has to be in memory."""

    answered: Answered


class Transcript:
    """Append-only, so that a kill at any moment costs at most the line being written, whose answer
    nobody has seen."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._answers: dict[str, Answered] = {}
        self._file = path.open("ab", buffering=0)
        self._load()

    def _load(self) -> None:
        data = self._path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.truncate(self._path, whole)
        for line in data[:whole].splitlines():
            answered = msgspec.json.decode(line, type=_Known).answered
            self._answers[answered.id] = answered

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
