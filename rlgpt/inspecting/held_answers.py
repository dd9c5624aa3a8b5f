"""Breakpoints before an answer of the language model is used: set, listed, shown, edited."""

import contextlib
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from messages.breaking import (
    BREAKS,
    HELD,
    SET_BREAK,
    USE_ANSWER,
    Breaks,
    Held,
    HeldId,
    HeldNote,
    SetBreak,
    UseAnswer,
    Used,
)
from messages.bus import Bus, BusError, RemoteError
from messages.empty import Empty
from messages.interface import Service
from nodes.common.running.exit_codes import FAILED
from nodes.common.storage.whole_files import named
from rlgpt.inspecting.answer_text import draft, read_answer
from rlgpt.inspecting.node_pauses import user
from rlgpt.inspecting.numbered import named_by
from rlgpt.inspecting.opening import not_answering, opened
from rlgpt.inspecting.output import json_line, print_rows
from rlgpt.interfaces import AWAY
from rlgpt.refused import Refused
from rlgpt.runs import run_folder
from rlgpt.runs.typed import run_option
from rlgpt.terminal import print_plain

_COLUMNS = {"#": "number", "waits": "shown_since", "agent": "agent", "kind": "kind",
            "answered by": "model", "question": "id"}  # fmt: skip


def set_break(at: str, stops: bool, wanted: str | None) -> int:
    """Set a breakpoint, or clear it."""
    with _llm(wanted) as call:
        state: Breaks = call(SET_BREAK, SetBreak(at=at, stops=stops, by=user()))
    if stops:
        at_run = run_option(run_folder.find(wanted))
        print(f"answers to {at} are now held; `rlgpt break list{at_run}` shows those that wait")
    else:
        held = len(state.held)
        wait = f"; {held} held before still {'waits' if held == 1 else 'wait'}"
        print(f"answers to {at} are no longer held{wait if held else ''}")
    return 0


def list_breaks(wanted: str | None, as_json: bool) -> int:
    """Print the breakpoints, and what waits at them, numbered from 1."""
    with _llm(wanted) as call:
        state: Breaks = call(BREAKS, Empty())
    if as_json:
        print(json_line(state))
        return 0
    print_plain(f"breakpoints: {', '.join(state.at) or 'none'}")
    if state.held:
        rows = [
            {
                **msgspec.to_builtins(note),
                "number": str(number),
                "model": note.model if note.answered else "no valid answer",
                "shown_since": f"{max(time.time() - note.since, 0):.0f} s",
            }
            for number, note in enumerate(state.held, 1)
        ]
        print_rows(rows, _COLUMNS, False)
    else:
        print("no answer waits")
    return 0


def show_held(which: str | None, wanted: str | None, as_json: bool) -> int:
    """Print a waiting answer, with its prompt and what is wrong with it."""
    with _llm(wanted) as call:
        held: Held = call(HELD, HeldId(id=_chosen(which, wanted, call).id))
    if as_json:
        print(json_line(held))
        return 0
    print_plain(f"=== {held.note.id} ({held.note.agent}, {held.note.kind})")
    print_plain(held.prompt)
    print("--- answer")
    print_plain(draft(held) if held.answer else held.failure)
    for problem in held.problems:
        print_plain(f"problem: {problem}")
    return 0


def go_on(which: str | None, everything: bool, wanted: str | None) -> int:
    """Let one waiting answer be used as it is, or all of them."""
    with _llm(wanted) as call:
        notes = call(BREAKS, Empty()).held if everything else [_chosen(which, wanted, call)]
        for note in notes:
            call(USE_ANSWER, UseAnswer(id=note.id, by=user()))
            print_plain(f"{note.id} goes on")
    if not notes:
        print("no answer waits")
    return 0


def edit(which: str | None, file: str | None, wanted: str | None) -> int:
    """Give another answer in place of one that waits: from a file, or edited in $EDITOR. It is
    checked as a model's answer is; where it is rejected the person may try again."""
    with _llm(wanted) as call:
        held: Held = call(HELD, HeldId(id=_chosen(which, wanted, call).id))
        if file is not None:
            problems = _use(call, held, read_answer(Path(os.path.expanduser(file)), held))
            if problems:
                raise Refused(f"{file} is not used:\n" + "\n".join(f"- {p}" for p in problems))
            return 0
        return _edited(call, held)


def _edited(call: Any, held: Held) -> int:
    """In the editor, until the answer is used or the person gives up."""
    if not sys.stdin.isatty():
        raise Refused("there is no terminal to edit on; give the answer with --file")
    with tempfile.NamedTemporaryFile(
        "w", suffix=".yaml", prefix="answer-", delete=False, encoding="utf-8"
    ) as made:
        path = Path(made.name)
        with named(path):
            made.write(draft(held))
            made.flush()
    while True:
        _open_editor(path)
        try:
            problems = _use(call, held, read_answer(path, held))
        except Refused as refused:
            problems = [refused.sentence]
        if not problems:
            path.unlink()
            return 0
        print("not used:")
        for problem in problems:
            print_plain(f"- {problem}")
        try:
            again = input("edit again? [Y/n] ").strip().lower()
        except EOFError:
            again = "n"
        if again.startswith("n"):
            raise Refused(f"the answer still waits; what you wrote is in {path}", code=FAILED)


def _open_editor(path: Path) -> None:
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        subprocess.run([*shlex.split(editor), str(path)], check=True)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        raise Refused(f"the editor `{editor}` ($EDITOR) ended badly: {error}") from None


def _use(call: Any, held: Held, answer: str) -> list[str]:
    """What is wrong with it; nothing: it is used."""
    used: Used = call(USE_ANSWER, UseAnswer(id=held.note.id, answer=answer, by=user()))
    if not used.problems:
        how = "is used as you wrote it" if used.edited else "was not changed, and is used"
        print_plain(f"the answer to {held.note.id} {how}")
    return used.problems


def _chosen(which: str | None, wanted: str | None, call: Any) -> HeldNote:
    """The waiting answer that a number of the list, an id or its end names; None: the only one."""
    at_run = run_option(run_folder.find(wanted))
    held: list[HeldNote] = call(BREAKS, Empty()).held
    if not held:
        raise Refused(
            f"no answer waits; `rlgpt break set AGENT/KIND{at_run}` has the next ones stop"
        )
    if which is None:
        if len(held) > 1:
            raise Refused(f"{len(held)} answers wait: name one, from `rlgpt break list{at_run}`")
        return held[0]
    named = named_by(which, held)
    if not named:
        raise Refused(f"no answer to `{which}` waits; `rlgpt break list{at_run}` has those that do")
    return named[0]


@contextlib.contextmanager
def _llm(wanted: str | None) -> Iterator[Any]:
    """Calls the llm node of a run, with errors as sentences."""
    with opened(wanted) as (run, stack, bus):
        stack.check_node("llm")
        yield lambda service, request: call_llm(bus, run, service, request)


def call_llm(bus: Bus, run: Path, service: Service[Any, Any], request: Any) -> Any:
    """Call a service of the llm node. Raises Refused."""
    try:
        return bus.call(service, request, absence=AWAY)
    except RemoteError as error:
        raise Refused(error.message) from None
    except BusError as error:
        raise Refused(not_answering("llm", run, error)) from None
