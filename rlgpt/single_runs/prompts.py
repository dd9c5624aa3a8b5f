"""``rlgpt prompt show``: exactly what an agent's questions to the language model looked like."""

import json
from pathlib import Path
from typing import Any

import msgspec

from messages.chat import ChatMessage
from nodes.common.questions.sent_prompt import as_sent
from rlgpt.refused import Refused, did_you_mean, unreadable
from rlgpt.report.node_files import TRANSCRIPT, UNANSWERED, objects
from rlgpt.runs import run_folder
from rlgpt.terminal import print_plain


class _Attempt(msgspec.Struct, frozen=True):
    text: str
    thinking: str = ""
    reminder: str = ""


class _Answered(msgspec.Struct, frozen=True):
    id: str
    answer: str
    model: str = ""
    repairs: int = 0
    left_out: list[str] = []
    edited_by: str = ""


class _Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown of a line of either file."""

    time: float
    agent: str
    asked: str
    prompt: list[ChatMessage]
    examples: list[ChatMessage] = []
    attempts: list[_Attempt] = []
    answered: _Answered | None = None
    id: str = ""  # of a question without an answer
    sentence: str = ""
    left_out: list[str] = []
    was: str | None = None  # the model's answer, where a person gave another
    schema: Any = msgspec.UNSET


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """One question of a run. ``model``: what answered it; empty: nothing did. ``edited_by``: who
    gave another answer in place of the model's; empty: no person did."""

    id: str
    kind: str
    model: str
    edited_by: str
    repairs: int


def questions(run: Path, agent: str) -> list[Recorded]:
    """The questions of an agent, in the order of their answers. Raises Refused where there are
    none."""
    return [
        Recorded(
            id=_id(entry),
            kind=entry.asked.removesuffix("Question").lower(),
            model=entry.answered.model if entry.answered is not None else "",
            edited_by=entry.answered.edited_by if entry.answered is not None else "",
            repairs=entry.answered.repairs if entry.answered is not None else 0,
        )
        for entry in _of_agent(run, agent)
    ]


def show(agent: str, wanted: str | None, id: str | None, listed: bool, schema: bool) -> int:
    """Print the prompt of an agent's newest question, or of the one that ``id`` names (the end of
    an id is enough), with all attempts and reminders until the answer was valid."""
    run = run_folder.find(wanted)
    entries = _of_agent(run, agent)
    if listed:
        for entry in entries:
            print_plain(f"{_id(entry)}  {entry.asked}")
        return 0
    if id is not None:
        named = [entry for entry in entries if _id(entry) == id]
        named = named or [entry for entry in entries if _id(entry).endswith(id)]
        if not named:
            raise Refused(
                f"{agent} asked no question `{id}` in {run.name}; --list has those it asked"
            )
        entries = named
    _print(run, entries[-1], schema)
    return 0


def _of_agent(run: Path, agent: str) -> list[_Entry]:
    entries = _read(run)
    agents = list(dict.fromkeys(entry.agent for entry in entries))
    if agent not in agents:
        asked = f"agents that did: {', '.join(agents)}" if agents else "no agent did"
        raise Refused(f"{agent} asked nothing in {run.name}{did_you_mean(agent, agents)} ({asked})")
    return [entry for entry in entries if entry.agent == agent]


def _print(run: Path, entry: _Entry, schema: bool) -> None:
    print_plain(f"=== {_id(entry)} ({entry.asked})")
    left_out = entry.left_out if entry.answered is None else entry.answered.left_out
    for message in as_sent(entry.prompt, entry.examples, left_out):
        content = message.content
        for digest in message.pictures:
            content = content.replace(f"<picture {digest}>", f"[picture: {_picture(run, digest)}]")
        _print_message(message.role, content)
    # The last one of an answered question is its answer.
    for attempt in entry.attempts if entry.answered is None else entry.attempts[:-1]:
        _print_message("assistant", attempt.text)
        if attempt.reminder:
            _print_message("user", attempt.reminder)
    if entry.answered is None:
        _print_message("no answer", entry.sentence)
    else:
        if entry.attempts and entry.attempts[-1].thinking:
            _print_message("thinking", entry.attempts[-1].thinking)
        if entry.was is not None:
            _print_message("the model's answer", entry.was or "none")
        by = f" (edited by {entry.answered.edited_by})" if entry.answered.edited_by else ""
        _print_message(f"answer{by}", entry.answered.answer)
    if schema and entry.schema is not msgspec.UNSET:
        _print_message("schema", json.dumps(entry.schema, indent=1))


def _picture(run: Path, digest: str) -> str:
    """Where the picture is, or that it is missing."""
    folder = run / "llm" / "pictures"
    found = next((path for path in folder.glob(f"{digest}.*")), None)
    return str(found) if found is not None else f"{digest}, which is not in {folder}"


def _print_message(role: str, content: str) -> None:
    print(f"--- {role}")
    print_plain(content, end="" if content.endswith("\n") else "\n")


def _id(entry: _Entry) -> str:
    return entry.id if entry.answered is None else entry.answered.id


def _read(run: Path) -> list[_Entry]:
    found: list[_Entry] = []
    for path in (run / TRANSCRIPT, run / UNANSWERED):
        try:
            path.open("rb").close()
        except FileNotFoundError:
            continue
        except OSError as error:  # not the same as a run that asked nothing
            raise Refused(f"{path} cannot be read: {unreadable(error)}") from None
        for number, line in objects(path):
            try:
                entry = msgspec.convert(line, _Entry)
            except msgspec.ValidationError:
                entry = None
            if entry is None or not _id(entry):
                raise Refused(f"{path}, line {number} is no recorded question")
            found.append(entry)
    if not found:
        raise Refused(f"no question was put to the language model in {run.name}")
    return sorted(found, key=lambda entry: entry.time)
