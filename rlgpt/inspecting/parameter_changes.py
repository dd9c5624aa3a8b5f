"""Which parameters of a run were set while it went on: when, by whom, and from where to where."""

import time

from rlgpt.inspecting.output import json_line, print_rows
from rlgpt.report.changes import changes_of
from rlgpt.runs import run_folder

_COLUMNS = {
    "when": "when",
    "node": "node",
    "parameter": "parameter",
    "old": "old",
    "new": "new",
    "by": "by",
    "": "taken",
}


def show_changes(wanted: str | None, as_json: bool = False) -> int:
    """Print every change, the oldest first."""
    rows = [
        {
            "time": change.time,
            "node": change.node,
            "parameter": change.name,
            "old": change.old if as_json else json_line(change.old),
            "new": change.new if as_json else json_line(change.new),
            "by": change.by,
            "reset": change.reset,
            "when": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(change.time)),
            "taken": change.taken,
        }
        for change in changes_of(run_folder.find(wanted))
    ]
    print_rows(rows, _COLUMNS, as_json)
    return 0
