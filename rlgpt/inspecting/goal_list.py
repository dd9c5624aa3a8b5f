"""The goals that the actions of a run have had: they are on disk, so it need not be running."""

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from messages.bus.actions.goal_store import FINISHED, GoalRecord
from messages.codec import CodecError, decode_untyped
from nodes.common.running.exit_codes import FAILED
from nodes.common.storage.stored_goals import read_goals
from nodes.common.storage.whole_files import UnusableFile
from rlgpt.composing.configuration import load
from rlgpt.inspecting.opening import check_kind
from rlgpt.inspecting.output import print_facts, print_rows
from rlgpt.interfaces import declared, declared_actions
from rlgpt.refused import Refused, did_you_mean
from rlgpt.runs import run_folder
from rlgpt.runs.typed import run_option

_COLUMNS = {
    "action": "action",
    "goals": "goals",
    "open": "open",
    "succeeded": "succeeded",
    "failed": "failed",
    "cancelled": "cancelled",
}


def list_actions(wanted: str | None, as_json: bool = False) -> int:
    """Print every action of a run with how many goals it has had, and how they ended."""
    _, names, goals = _goals(wanted)
    rows: list[dict[str, Any]] = []
    for name in names:
        statuses = Counter(record.status for record in goals if record.action == name)
        total = sum(statuses.values())
        ended = {status: statuses.get(status, 0) for status in sorted(FINISHED)}
        rows.append({"action": name, "goals": total, "open": total - sum(ended.values()), **ended})
    print_rows(rows, _COLUMNS, as_json)
    return 0


def show_action(name: str, wanted: str | None, goal: str | None, as_json: bool = False) -> int:
    """Print the goals of an action, or one of them with what it was sent."""
    run, names, goals = _goals(wanted)
    if name not in names:
        other = declared(name.partition("/")[0]).get(name)
        check_kind("action", name, "action" if other is None else type(other).__name__.lower())
        raise Refused(
            f"there is no action `{name}`{did_you_mean(name, names)} "
            f"(`rlgpt action list{run_option(run)}`)"
        )
    own = [record for record in goals if record.action == name]
    if goal is None:
        columns = {"goal": "goal", "status": "status", "reason": "reason"}
        print_rows([_row(record) for record in own], columns, as_json)
        return 0
    found = next((record for record in own if record.goal == goal), None)
    if found is None:
        raise Refused(
            f"{run.name}: {name} has had no goal `{goal}`"
            f"{did_you_mean(goal, [r.goal for r in own])}"
        )
    facts = _row(found) | {"request": _body(found.request)}
    if found.result:
        facts["result"] = _body(found.result)
    print_facts(facts, as_json)
    return 0


def _goals(wanted: str | None) -> tuple[Path, list[str], list[GoalRecord]]:
    run = run_folder.find(wanted)
    stack = load(run)
    goals: list[GoalRecord] = []
    for node in stack.nodes:
        try:
            goals += read_goals(run / node / "goals.sqlite")
        except UnusableFile as error:
            raise Refused(str(error), code=FAILED) from None
    declared = [name for node in stack.nodes for name in declared_actions(node)]
    return run, sorted({*declared, *(record.action for record in goals)}), goals


def _row(record: GoalRecord) -> dict[str, Any]:
    return {"goal": record.goal, "status": record.status, "reason": record.text}


def _body(frames: list[bytes]) -> Any:
    try:
        return decode_untyped(list(frames))
    except (CodecError, msgspec.DecodeError) as error:
        return f"(cannot be read: {error})"
