"""``rlgpt profile``: the account of a run's time as tables, or as JSON."""

from nodes.common.running.standard_error import to_stderr
from nodes.times import FILE
from rlgpt.inspecting.output import json_line
from rlgpt.profiling.parts import MEANINGS, TITLES, PartTime
from rlgpt.profiling.reading import unreadable
from rlgpt.profiling.time_account import Profile, profile
from rlgpt.refused import Refused
from rlgpt.report.words import LONGEST, duration
from rlgpt.runs import run_folder
from rlgpt.terminal import plain_table, print_plain, print_table

_TRAININGS = 5
"""Trainings that are printed, the newest: a run of many goals has hundreds."""


def print_profile(wanted: str | None, calls: bool, nodes: bool, as_json: bool) -> int:
    """Print the profile of a run (a path, a name below ``runs/``, or the newest run). Raises
    Refused."""
    run = run_folder.find(wanted)
    found = profile(run)
    if lost := unreadable(run):
        reasons = "; ".join(f"{node}/{FILE}: {reason}" for node, reason in lost.items())
        if not found.nodes:
            raise Refused(f"what the nodes of {run.name} wrote cannot be read: {reasons}")
        to_stderr(f"left out, cannot be read: {reasons}")
    if not found.nodes and found.running:
        raise Refused(f"no node of {run.name} has done anything yet that is recorded")
    if not found.nodes:
        raise Refused(
            f"{run.name} has no record of where its time went: no node of it wrote a times.jsonl; "
            "runs that were made before there was one have none"
        )
    if as_json:
        print(json_line(found))
        return 0
    state = "goes on" if found.running else "is over"
    print_plain(f"{found.run}: {duration(found.wall_seconds)}, {state}")
    _print_parts(found.parts)
    earlier = len(found.trainings) - _TRAININGS
    if earlier > 0:
        print_plain(f"\nof {len(found.trainings)} trainings the newest; --json has all:")
    for training in found.trainings[-_TRAININGS:]:
        print_plain(f"\ntraining {training.policy}: {duration(training.seconds)}")
        _print_parts(training.parts)
    if nodes:
        _print_nodes(found)
    if calls:
        _print_calls(found)
    return 0


def _number(value: float, form: str = ".1f") -> str:
    """A damaged file may have numbers that no time or count can be; printed in full one would be a
    column of 300 digits."""
    return format(value, form) if abs(value) < LONGEST else "unknown"


def _print_parts(parts: list[PartTime]) -> None:
    table = plain_table("part", "seconds", "share", "what it is")
    for each in parts:
        table.add_row(
            TITLES.get(each.part, each.part),
            _number(each.seconds),
            _number(each.share, ".1%"),
            MEANINGS.get(each.part, ""),
        )
    print_table(table)


def _print_nodes(found: Profile) -> None:
    print_plain("")
    table = plain_table("node", "part", "seconds")
    for node, spent in found.nodes.items():
        for number, (part, seconds) in enumerate(spent.items()):
            table.add_row(node if not number else "", TITLES.get(part, part), _number(seconds))
    print_table(table)


def _print_calls(found: Profile) -> None:
    print_plain("")
    table = plain_table("service or action", "calls", "waited s", "worked on s", "bus ms a call")
    for call in found.calls:
        bus = max(call.waited - call.served, 0.0) / call.calls
        table.add_row(
            call.endpoint,
            _number(call.calls, "d"),
            _number(call.waited, ".2f"),
            _number(call.served, ".2f"),
            _number(1000 * bus, ".2f"),
        )
    print_table(table)
