"""``rlgpt ask``: a recorded question of a run, put again to another model or with another prompt,
and both answers side by side. Nothing of the run is changed."""

import json
import os
import subprocess
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec

from messages.program import CheckProgram, Problem
from nodes.common.checks.answer_check import MOST_SAMPLES, problem_lines
from nodes.common.running.counted import counted
from nodes.common.running.exit_codes import FAILED, REFUSED
from nodes.common.running.process import python
from nodes.common.running.standard_error import PREFIX
from nodes.config import ConfigError, node_values
from rlgpt.child_in_front import output_in_front
from rlgpt.composing.composition import compose_launch
from rlgpt.composing.override_keys import within
from rlgpt.composing.user_files import check_regular
from rlgpt.inspecting.numbered import named_by
from rlgpt.inspecting.output import json_line, print_rows
from rlgpt.refused import Refused
from rlgpt.report import node_files
from rlgpt.runs import run_folder
from rlgpt.runs.typed import run_option
from rlgpt.single_runs.prompts import Recorded, questions
from rlgpt.terminal import plain_table, print_plain, print_table

_ANY = "harvest_log"  # a launch file to compose a profile with
_CHECKING = 60.0  # seconds for the programs of both answers
_COLUMNS = {
    "#": "number",
    "kind": "kind",
    "answered by": "model",
    "edited by": "edited_by",  # left out where no answer was
    "repairs": "repairs",
    "question": "id",
}


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """``llm``: a profile; None: the run's. ``prompt``: ``now``, ``sent`` or a file; None: as it was
    sent to another model, else as the files are now."""

    llm: str | None = None
    overrides: list[str] = []
    prompt: str | None = None
    repairs: int = 3
    json: bool = False


class _Side(msgspec.Struct):
    model: str
    answer: str
    failures: list[str]
    problems: list[str]
    checks: list[CheckProgram]
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    weights: str = ""
    left_out: list[str] = []
    edited_by: str = ""


class _Reply(msgspec.Struct):
    id: str
    asked: str
    game: str
    then: _Side
    now: _Side
    differs: list[str]


def list_questions(agent: str, wanted: str | None, as_json: bool) -> int:
    """Print the questions that an agent asked in a run, numbered from 1."""
    run = run_folder.find(wanted)
    rows = [
        {
            "number": number,
            "id": each.id,
            "kind": each.kind,
            "model": each.model or "no answer",
            "edited_by": each.edited_by,
            "repairs": each.repairs,
        }
        for number, each in enumerate(questions(run, agent), 1)
    ]
    edited = any(row["edited_by"] for row in rows)
    shown = {name: key for name, key in _COLUMNS.items() if edited or key != "edited_by"}
    print_rows(rows, shown, as_json)
    return 0


def ask_again(agent: str, question: str, wanted: str | None, options: Options) -> int:
    """Ask a question again: a number of `list_questions`, an id, or its end. Returns 0 if there is
    an answer without a problem, 1 if there is none."""
    if options.overrides and options.llm is None:
        raise Refused(f"`{options.overrides[0]}` changes a profile: name it, with --llm PROFILE")
    if options.repairs < 0:
        raise Refused(f"--repairs {options.repairs}: 0 or more")
    run = run_folder.find(wanted)
    chosen = _chosen(questions(run, agent), question, agent, run)
    config = node_files.config(run)
    prompt = options.prompt or ("now" if options.llm is None else "sent")
    file = Path(os.path.expanduser(prompt)).absolute()
    if prompt not in ("now", "sent"):
        check_regular(file)
    request = {
        "run": str(run),
        "id": chosen.id,
        "profile": _profile(config, options),
        "prompt": prompt if prompt in ("now", "sent") else "file",
        "file": "" if prompt in ("now", "sent") else str(file),
        "repairs": options.repairs,
        "most_samples": _most_samples(config),
    }
    reply = msgspec.json.decode(_run("nodes.llm.asking_again", request), type=_Reply)
    _check_programs(reply)
    if options.json:
        print(json_line(reply))
    else:
        _print(reply, prompt)
    return 0 if reply.now.answer and not reply.now.problems else FAILED


def _chosen(known: list[Recorded], question: str, agent: str, run: Path) -> Recorded:
    named = named_by(question, known)
    if named:
        return named[-1]
    if question.isdecimal():
        raise Refused(
            f"{agent} asked {counted(len(known), 'question')} in {run.name}, "
            f"and none has the number {question}; `rlgpt ask {agent}{run_option(run)}` lists them"
        )
    raise Refused(
        f"{agent} asked no question `{question}` in {run.name}; "
        f"`rlgpt ask {agent}{run_option(run)}` lists those it asked"
    )


def _profile(config: dict[str, Any], options: Options) -> dict[str, Any]:
    if options.llm is not None:
        overrides = [within("llm", each) for each in options.overrides]
        return compose_launch(_ANY, [f"llm={options.llm}", *overrides])["llm"]
    try:
        profile = node_values(config, "llm").get("profile")
    except ConfigError as error:
        raise Refused(str(error)) from None
    return profile if isinstance(profile, dict) else {"kind": "rulebook"}


def _most_samples(config: dict[str, Any]) -> int:
    try:
        most = node_values(config, "fast_agent").get("most_samples", MOST_SAMPLES)
    except ConfigError:
        return MOST_SAMPLES
    return most if isinstance(most, int) else MOST_SAMPLES


def _run(module: str, request: Any, timeout: float | None = None) -> bytes:
    """What a module of a node prints about a request, in a process of its own: rlgpt does not
    import nodes."""
    given = json.dumps(msgspec.to_builtins(request)).encode()
    done = output_in_front(python("nodes.common.running.command", module), given, timeout)
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        last = lines[-1].strip().removeprefix(PREFIX) if lines else ""
        raise Refused(last or f"{module} ended with {done.returncode}", REFUSED)
    return done.stdout


def _check_programs(reply: _Reply) -> None:
    """Add what is wrong with the programs of both answers."""
    both = [(side, check) for side in (reply.then, reply.now) for check in side.checks]
    if not both:
        return
    request = {"game": reply.game, "checks": [check for _, check in both]}
    try:
        printed = _run("nodes.env_server.programs.check_alone", request, _CHECKING)
    except subprocess.TimeoutExpired:
        for side in (reply.then, reply.now):
            side.problems.append(f"Its programs were not checked within {_CHECKING:g} seconds.")
        return
    for (side, check), problems in zip(
        both, msgspec.json.decode(printed, type=list[list[Problem]]), strict=True
    ):
        side.problems += problem_lines(check, problems)


def _print(reply: _Reply, prompt: str) -> None:
    print_plain(f"{reply.id} ({reply.asked})")
    how = {"now": "as the files are now", "sent": "as it was sent"}.get(prompt, f"from {prompt}")
    same = "" if reply.differs else "; the same text as then"
    print_plain(f"prompt: {how}{same}")
    for line in reply.differs:
        print_plain(f"    {line}")
    print()
    table = plain_table("", "then", "now")
    for column in table.columns[1:]:
        column.no_wrap = False
    sides = (reply.then, reply.now)
    table.add_row("model", *(side.model for side in sides))
    if reply.then.edited_by:
        table.add_row("edited by", reply.then.edited_by, "-")
    if any(side.weights for side in sides):
        table.add_row("weights", *(side.weights[:16] or "not known" for side in sides))
    table.add_row("seconds", *(f"{side.seconds:.1f}" for side in sides))
    table.add_row("tokens", *(_tokens(side) for side in sides))
    if any(side.left_out for side in sides):
        table.add_row("left out", *("\n".join(side.left_out) for side in sides))
    table.add_row("tries before", *(_lines(side.failures) for side in sides))
    table.add_row("problems", *(problems_in_words(side) for side in sides))
    rows = [_fields(side.answer) for side in sides]
    for name in dict.fromkeys([*rows[0], *rows[1]]):
        lines = (row.get(name, "").rstrip().split("\n") for row in rows)
        for number, (one, other) in enumerate(zip_longest(*lines, fillvalue="")):
            table.add_row(name if not number else "", one, other)
    print_table(table)
    if reply.then.answer == reply.now.answer:
        print("both answers are the same")


def _tokens(side: _Side) -> str:
    return f"{side.prompt_tokens:,} + {side.completion_tokens:,}"


def problems_in_words(side: _Side) -> str:
    """Of an answer: where there is none nothing was looked at."""
    return _lines(side.problems, "none" if side.answer else "-")


def _lines(entries: list[str], none: str = "-") -> str:
    return "; ".join(entries) or none


def _fields(answer: str) -> dict[str, str]:
    """What an answer says, by its fields."""
    if not answer:
        return {"answer": "none"}
    values = msgspec.json.decode(answer)
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
        for name, value in values.items()
    }
