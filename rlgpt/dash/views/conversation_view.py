"""The conversation with the language model: the llm node's transcript, a line a question."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from messages.chat import ChatMessage
from messages.undecodable import UNDECODABLE
from nodes.common.questions.prompt_parts import with_examples
from nodes.common.questions.sent_prompt import as_sent
from rlgpt.report import node_files

_TEXT = 200_000  # characters of one text that are shown


class Question(msgspec.Struct, kw_only=True):
    """One line of the transcript, for a list."""

    number: int
    time: float
    id: str
    agent: str
    asked: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    repairs: int
    failures: int
    unanswered: bool


class Conversation:
    """May be used from several threads. A transcript only grows."""

    def __init__(self, run: Path) -> None:
        self._files = {False: run / node_files.TRANSCRIPT, True: run / node_files.UNANSWERED}
        self._read_to = {False: 0, True: 0}
        self._places: list[tuple[bool, int, int]] = []  # file, first byte, length
        self._questions: list[Question] = []
        self._asked: dict[tuple[str, str], node_files.Asked] = {}
        self._lock = threading.Lock()

    def questions(self, after: int, most: int, of: str = "") -> dict[str, Any]:
        """The questions with a number above ``after``, of too many the newest; ``of``: only those
        with these letters in their id, their kind or the name of their agent. And how many there
        are of that kind in all, and the sums of all."""
        with self._lock:
            self._read_on()
            letters = of.lower()
            fit = [q for q in self._questions if not letters or letters in _searched(q)]
            fresh = [each for each in fit if each.number > after]
            agents: dict[str, dict[str, float]] = {}
            for each in self._questions:
                row = agents.setdefault(
                    each.agent, {"count": 0, "prompt": 0, "completion": 0, "seconds": 0.0}
                )
                row["count"] += 1
                row["prompt"] += each.prompt_tokens
                row["completion"] += each.completion_tokens
                row["seconds"] += each.seconds
            return {
                "questions": fresh[-most:],
                "newest": len(self._questions),
                "found": len(fit),
                "agents": agents,
            }

    def answered(self) -> list[Question]:
        """The questions with an answer whose time is known."""
        with self._lock:
            self._read_on()
            return [each for each in self._questions if not each.unanswered and each.time]

    def asked(self) -> list[node_files.Asked]:
        """The questions by agent and kind, as `node_files.asked` has them."""
        with self._lock:
            self._read_on()
            return [msgspec.structs.replace(each) for each in self._asked.values()]

    def one(self, number: int) -> dict[str, Any] | None:
        """A question with its prompt and its answer; None if there is none of that number."""
        with self._lock:
            self._read_on()
            if not 1 <= number <= len(self._questions):
                return None
            question = self._questions[number - 1]
            unanswered, first, length = self._places[number - 1]
        try:
            with self._files[unanswered].open("rb") as file:
                file.seek(first)
                entry = node_files.line_object(file.read(length))
        except OSError:
            return None
        if entry is None:
            return None
        return {
            "question": question,
            "prompt": _prompt(entry),
            "answer": _pretty(node_files.part(entry, "answered").get("answer", "")),
            "asked": _pretty(entry.get("question")),
            "sentence": str(entry.get("sentence", "")),
            "failures": [str(each) for each in entry.get("failures") or []],
            "attempts": [_pretty(each) for each in entry.get("attempts") or []],
        }

    def _read_on(self) -> None:
        fresh: list[tuple[Question, bool, int, int]] = []
        for unanswered, path in self._files.items():
            for first, line in self._lines(unanswered, path):
                if (entry := node_files.line_object(line)) is not None:
                    node_files.count_question(self._asked, entry, unanswered)
                    fresh.append((_question(unanswered, entry), unanswered, first, len(line)))
        for question, unanswered, first, length in sorted(fresh, key=lambda each: each[0].time):
            self._places.append((unanswered, first, length))
            question.number = len(self._places)
            self._questions.append(question)

    def _lines(self, unanswered: bool, path: Path) -> Iterator[tuple[int, bytes]]:
        """The whole lines that were added, each with its first byte: one at a time, since a
        transcript may have hundreds of megabytes."""
        try:
            file = path.open("rb")
        except OSError:
            return
        with file, suppress(OSError):
            file.seek(self._read_to[unanswered])
            for line in file:
                if not line.endswith(b"\n"):
                    return
                at = self._read_to[unanswered]
                self._read_to[unanswered] += len(line)
                yield at, line


def _searched(question: Question) -> str:
    return f"{question.id} {question.agent} {question.asked}".lower()


def _question(unanswered: bool, entry: dict[str, Any]) -> Question:
    answered = node_files.part(entry, "answered") or entry
    seconds, at = answered.get("seconds"), entry.get("time")
    return Question(
        number=0,  # until those of both files are in order
        time=float(at) if isinstance(at, int | float) else 0.0,
        id=str(answered.get("id") or ""),
        agent=str(entry.get("agent", "")),
        asked=str(entry.get("asked", "")),
        model=str(answered.get("model", "")),
        prompt_tokens=node_files.number(answered.get("prompt_tokens")),
        completion_tokens=node_files.number(answered.get("completion_tokens")),
        seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
        repairs=node_files.number(answered.get("repairs")),
        failures=len(entry.get("failures") or []),
        unanswered=unanswered,
    )


def _prompt(entry: dict[str, Any]) -> list[dict[str, str]]:
    """The messages as the model was sent them; those of an older version as they are recorded."""
    prompt, examples = entry.get("prompt") or [], entry.get("examples") or []
    left_out = (node_files.part(entry, "answered") or entry).get("left_out")
    try:
        sent = as_sent(
            msgspec.convert(prompt, list[ChatMessage]),
            msgspec.convert(examples, list[ChatMessage]),
            left_out if isinstance(left_out, list) else [],
        )
    except msgspec.ValidationError:
        recorded = with_examples(prompt, examples)
        found = [each for each in recorded if isinstance(each, dict)]
        return [{"role": str(m.get("role", "")), "content": _content(m)} for m in found]
    return [{"role": each.role, "content": each.content[:_TEXT]} for each in sent]


def _content(message: dict[str, Any]) -> str:
    """The text of a message; of its pictures only that there are some."""
    content = message.get("content", message.get("text", ""))
    if isinstance(content, str):
        return content[:_TEXT]
    return msgspec.json.encode(content).decode()[:_TEXT]


def _pretty(value: Any) -> str:
    """JSON over several lines, or the text itself where it is none."""
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except UNDECODABLE:
            return value[:_TEXT]
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()[:_TEXT]
