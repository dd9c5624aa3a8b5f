"""Answers from a recorded run, and a report at the first question that differs from it."""

import difflib
import os
import threading
from pathlib import Path
from typing import Any

import msgspec

from messages.bus import ServiceError
from messages.chat import Ask, ChatMessage
from nodes.common.storage.whole_files import write_whole
from nodes.llm.profiles import Replay
from nodes.llm.recording.prompt_difference import differing_lines
from nodes.llm.recording.transcript import (
    Entry,
    Unanswered,
    check_answer,
    read_lines,
    read_question,
)

REPORT = "difference.txt"
RECORDINGS = Path(__file__).parents[3] / "models" / "recordings"
"""The transcripts that come with the project."""
_TIMES = {"seconds"}  # fields of questions that a clock decides, not the run
_MOST = 12  # differences that are listed


class Recording:
    """The questions and answers of a run, by id. A transcript may hold several runs, one after the
    other: of the questions with an id, the first that does not differ has the answer.

    Raises:
        ValueError: there is no such transcript, or it cannot be read.
    """

    def __init__(self, profile: Replay, folder: Path) -> None:
        self._compare_prompts = profile.compare_prompts
        self._report = folder / REPORT
        self._lock = threading.Lock()
        self._first: str | None = None  # what differed first
        path = transcript_path(profile.transcript)
        self.path = path
        self._entries: dict[str, list[Entry | Unanswered]] = {}
        for entry in read_lines(path, Entry):
            self._entries.setdefault(entry.answered.id, []).append(entry)
        beside = path.with_name("unanswered.jsonl")
        found = read_lines(beside, Unanswered) if beside.is_file() else []
        # A question that failed the first time may have been answered the second time.
        for failed in found:
            self._entries.setdefault(failed.id, []).append(failed)

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, request: Ask) -> Entry | Unanswered:
        """The exchange with this question, as it was recorded, or that it had no answer.

        Raises:
            ServiceError: ``differs`` when this question was not asked in the recorded run, or was
                another one.
        """
        with self._lock:
            if self._first is not None:
                raise ServiceError(
                    f"The replay differs from {self.path} since {self._first}", code="differs"
                )
            recorded = self._entries.get(request.id)
            if recorded is None:
                raise self._differs(request.id, [self._absent(request.id)])
            compared = [self._compare(each, request) for each in recorded]
            if all(compared):
                raise self._differs(request.id, compared[0])
            return recorded[compared.index([])]

    def _absent(self, id: str) -> str:
        near = difflib.get_close_matches(id, [*self._entries], n=1, cutoff=0.0)
        hint = f"; the nearest of them is {near[0]}" if near else ""
        return f"the recorded run has no such question among its {len(self._entries)}{hint}"

    def _compare(self, recorded: Entry | Unanswered, request: Ask) -> list[str]:
        try:
            then = read_question(recorded)
        except ValueError as error:
            return [f"the recorded question cannot be compared: {error}"]
        fields = msgspec.json.decode(recorded.question)
        found = compare(as_recorded(fields, then), as_recorded(fields, request.question))
        if self._compare_prompts:
            found += _compare_prompts(recorded.prompt, request.prompt)
        if isinstance(recorded, Entry) and not found:
            try:
                check_answer(recorded.answered.answer, request.question)
            except ValueError as error:
                return [f"the recorded answer cannot be used: {error}"]
        return found

    def _differs(self, id: str, differences: list[str]) -> ServiceError:
        self._first = f"question {id}: {differences[0]} (all of it: {self._report})."
        title = f"Replay of {self.path}\nThe first question that differs: {id}\n\n"
        write_whole(self._report, (title + "\n".join(differences) + "\n").encode())
        return ServiceError(f"The replay differs at {self._first}", code="differs")


def transcript_path(given: str) -> Path:
    """The transcript that a run folder, its llm folder or a path names, else one of those that come
    with the project. Raises ValueError."""
    path = Path(os.path.expanduser(given)).absolute()
    within = (path, path / "transcript.jsonl", path / "llm" / "transcript.jsonl")
    for candidate in (*within, RECORDINGS / given):
        if candidate.is_file():
            return candidate
    beside = sorted(path.name for path in (RECORDINGS / given).parent.glob("*.jsonl.gz"))
    hint = f" Recorded are {', '.join(beside)}." if beside and not Path(given).is_absolute() else ""
    raise ValueError(
        f"llm.transcript={given} is no transcript: name a run folder or its llm/transcript.jsonl."
        f"{hint}"
    )


def as_recorded(recorded: Any, value: Any) -> Any:
    """A question, or a part of it, as plain data without the fields that were added to its types
    after it was ``recorded``: they are not there."""
    if isinstance(value, msgspec.Struct) and isinstance(recorded, dict):
        known = [name for name in value.__struct_fields__ if name in recorded]
        fields = {name: as_recorded(recorded[name], getattr(value, name)) for name in known}
        return {"type": type(value).__name__, **fields}
    if isinstance(value, dict) and isinstance(recorded, dict):
        return {name: as_recorded(recorded.get(name), each) for name, each in value.items()}
    if isinstance(value, list) and isinstance(recorded, list):
        pairs = zip(recorded, value, strict=False)
        rest = msgspec.to_builtins(value[len(recorded) :])
        return [*(as_recorded(*each) for each in pairs), *rest]
    return msgspec.to_builtins(value)


def compare(then: Any, now: Any, where: str = "question") -> list[str]:
    """What differs between two questions as plain data, a line for each field, deepest first
    apart; fields that a clock decides are left out."""
    if isinstance(then, dict) and isinstance(now, dict):
        found: list[str] = []
        for key in [*then, *(key for key in now if key not in then)]:
            if key in _TIMES:
                continue
            place = f"{where}.{key}"
            if key not in now:
                found.append(f"{place}: was {_short(then[key])}, is not there")
            elif key not in then:
                found.append(f"{place}: was not there, is {_short(now[key])}")
            else:
                found += compare(then[key], now[key], place)
        return found[:_MOST]
    if isinstance(then, list) and isinstance(now, list):
        found = [] if len(then) == len(now) else [f"{where}: had {len(then)}, has {len(now)} parts"]
        for number, (one, other) in enumerate(zip(then, now, strict=False)):
            found += compare(one, other, f"{where}[{number}]")
        return found[:_MOST]
    return [] if then == now else [f"{where}: was {_short(then)}, is {_short(now)}"]


def _compare_prompts(then: list[ChatMessage], now: list[ChatMessage]) -> list[str]:
    if then == now:
        return []
    found = [f"prompt, {line}" for line in differing_lines(then, now)[: 4 * _MOST]]
    return found or [f"prompt: had {len(then)}, has {len(now)} messages"]


def _short(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 120 else f"{text[:117]}..."
