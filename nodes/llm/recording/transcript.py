"""The transcript: every exchange as one line of JSON, and the memory of what was answered."""

import gzip
import os
import threading
import zlib
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from messages.chat import ANSWERS, Answered, ChatMessage, Question
from messages.undecodable import UNDECODABLE
from nodes.common.storage.whole_files import UnusableFile, cut_unfinished_line, named
from nodes.llm.answers.checked_answers import Attempt

Line = TypeVar("Line", bound=msgspec.Struct)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of ``transcript.jsonl``."""

    time: float  # seconds since the epoch
    agent: str
    asked: str  # the type of the question
    question: msgspec.Raw
    prompt: list[ChatMessage]  # as the agent sent it
    examples: list[ChatMessage] = []  # that were shown before its last message
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
    examples: list[ChatMessage] = []
    sentence: str  # the sentence that the agent got
    code: str = "no_answer"  # and its code
    left_out: list[str] = []  # parts of the prompt that the model's context was too small for
    # What it cost all the same; 0 in lines before 2026-12-01, which lack it.
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    failures: list[str] = []
    attempts: list[Attempt] = []


class _Known(msgspec.Struct):
    """What of a line is read again."""

    answered: Answered


class Transcript:
    """Append-only, so that a kill at any moment costs at most the line being written, whose answer
    was not sent yet. In memory is only where each answer stands: a long run has thousands.

    Raises:
        UnusableFile: another line is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._path = path
        path.touch()
        self._places: dict[str, tuple[int, int]] = {}  # id -> first byte, length
        whole = 0
        try:
            for first, length, each in _placed(path, _Known):
                self._places[each.answered.id] = (first, length)
                whole = first + length
        except ValueError as error:
            raise UnusableFile(
                f"{error}; remove that line, and its question is asked again, or put a copy of the "
                "file in its place"
            ) from None
        if whole < path.stat().st_size:
            os.truncate(path, whole)
        self._file = path.open("ab", buffering=0)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, id: object) -> bool:
        """Whether the question of that id was answered."""
        with self._lock:
            return id in self._places

    def find(self, id: str) -> Answered | None:
        with self._lock:
            place = self._places.get(id)
        if place is None:
            return None
        first, length = place
        with self._path.open("rb") as file:
            file.seek(first)
            return msgspec.json.decode(file.read(length), type=_Known).answered

    def append(self, entry: Entry) -> None:
        """Write the entry to disk, then remember its answer.

        Raises:
            OSError: it cannot be written, and nothing of it is.
        """
        with self._lock:
            place = _append(self._file, entry, to_disk=True)
            self._places[entry.answered.id] = place

    def close(self) -> None:
        self._file.close()


def read_lines(path: Path, kind: type[Line]) -> list[Line]:
    """The whole lines of a file: the last may be one that a node was writing when it was killed.
    One that ends in ``.gz`` is compressed.

    Raises:
        OSError: it cannot be read.
        ValueError: it is compressed and damaged, or one of the lines does not decode; which.
    """
    try:
        return [line for _, _, line in _placed(path, kind)]
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is no whole compressed file: {error}") from None


def _placed(path: Path, kind: type[Line]) -> Iterator[tuple[int, int, Line]]:
    """The same with the first byte and the length of each."""
    first = 0
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield first, len(line), msgspec.json.decode(line, type=kind)
            except (ValueError, RecursionError) as error:
                raise ValueError(
                    f"{path}, line {number} is no recorded question: {error}"
                ) from None
            first += len(line)


def read_question(entry: Entry | Unanswered) -> Question:
    """The question of a line. Raises ValueError where it is damaged, or of another version."""
    try:
        return msgspec.json.decode(entry.question, type=Question)
    except UNDECODABLE as error:
        raise ValueError(f"it is no {entry.asked} of this version ({error})") from None


def check_answer(answer: str, question: Question) -> None:
    """Raises ValueError where a recorded answer is damaged, or of another version."""
    wanted = ANSWERS[type(question)]
    try:
        msgspec.json.decode(answer, type=wanted)
    except UNDECODABLE as error:
        raise ValueError(f"it is no {wanted.__name__} of this version ({error})") from None


class UnansweredQuestions:
    """The record of questions without an answer. Each of them may be asked again.

    Raises:
        OSError: what a killed process left unfinished cannot be removed.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._path = path
        cut_unfinished_line(path)

    def append(self, entry: Unanswered) -> None:
        """Write a line. From any thread.

        Raises:
            OSError: it cannot be written, and nothing of it is.
        """
        with self._lock, self._path.open("ab", buffering=0) as file:
            _append(file, entry)


def _append(file: FileIO, entry: Entry | Unanswered, to_disk: bool = False) -> tuple[int, int]:
    """A whole line or, where the disk is full, none: the next would be written behind a part. Its
    first byte and its length. ``to_disk``: it outlives the machine. The error names the file,
    which that of a full disk does not."""
    size = os.fstat(file.fileno()).st_size
    line = msgspec.json.encode(entry) + b"\n"
    left = memoryview(line)
    try:
        with named(Path(file.name)):
            while left:
                left = left[file.write(left) :]
            if to_disk:
                os.fsync(file.fileno())
    except OSError:
        os.ftruncate(file.fileno(), size)
        raise
    return size, len(line)
