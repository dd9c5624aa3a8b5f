"""The nodes of a run: their states, what one of them offers and uses, restarting it."""

import time
from pathlib import Path
from typing import Any

from messages.bus import Bus, BusError, RemoteError
from messages.empty import Empty
from messages.system import KILL, RESTART, NodeName, NodeState, describe, get_parameters
from nodes.common.running.exit_codes import FAILED
from rlgpt.composing.configuration import Stack
from rlgpt.inspecting.late_ends import ended_by_launcher
from rlgpt.inspecting.opening import has_launcher, launcher_states, not_answering, opened
from rlgpt.inspecting.output import print_facts, print_rows
from rlgpt.interfaces import AWAY
from rlgpt.refused import Refused
from rlgpt.runs.typed import short_path, silent_launcher

_COLUMNS = {
    "node": "node",
    "state": "shown_state",
    "pid": "shown_pid",
    "restarts": "restarts",
    "up": "shown_uptime",
    "memory": "shown_memory",
    "notes": "notes",
}


def list_nodes(wanted: str | None, as_json: bool = False) -> int:
    """Print every node of a run with its state."""
    with opened(wanted) as (run, stack, bus):
        rows = [_row(state, as_json) for state in launcher_states(run, stack, bus)]
    print_rows(rows, _COLUMNS, as_json)
    return 0


def _row(s: NodeState, as_json: bool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "node": s.node,
        "state": s.state,
        "pid": s.pid,
        "restarts": s.restarts,
        "uptime": s.uptime,
        "memory": s.memory,
        "notes": s.notes,
        "paused": s.paused,
    }
    if as_json:
        return row
    return row | {
        "shown_state": "paused" if s.paused and s.state == "ready" else s.state,
        "shown_pid": str(s.pid or "-"),
        "shown_uptime": f"{s.uptime:.0f} s" if s.pid else "",
        "shown_memory": f"{s.memory / 2**20:.0f} MiB" if s.pid else "",
    }


def show_node(node: str, wanted: str | None, as_json: bool = False) -> int:
    """Print one node: its process, what it offers, what it uses of others, its parameters."""
    with opened(wanted) as (run, stack, bus):
        facts = _facts(node, run, stack, bus)
    print_facts(facts, as_json)
    return 0


def _facts(node: str, run: Path, stack: Stack, bus: Bus) -> dict[str, Any]:
    stack.check_node(node)
    try:
        found = bus.call(describe(node), Empty(), absence=AWAY)
        parameters = bus.call(get_parameters(node), Empty(), absence=AWAY)
    except BusError as error:
        raise Refused(not_answering(node, run, error)) from None
    facts: dict[str, Any] = {"node": node, "pid": found.pid, "epoch": found.epoch}
    if has_launcher(run, stack):
        states = launcher_states(run, stack, bus)
        state = next((s for s in states if s.node == node), None)
        if state is not None:
            facts |= {"state": state.state, "restarts": state.restarts, "notes": state.notes}
    for kind in ("topic", "service", "action"):
        names = [each.name for each in found.endpoints if each.kind == kind]
        facts[f"{kind}s"] = sorted(names)
    facts["uses"] = sorted(found.uses)
    facts["parameters"] = sorted(parameters.values)
    facts["log"] = str(run / node / "node.log")
    return facts


def control(what: str, node: str, wanted: str | None) -> int:
    """``restart`` or ``kill`` a node, and wait until it is ready again."""
    service = {"restart": RESTART, "kill": KILL}[what]
    began = time.monotonic()
    with opened(wanted) as (run, stack, bus):
        try:
            state = ended_by_launcher(
                bus, service, NodeName(node=node), lambda: launcher_states(run, stack, bus)
            )
        except RemoteError as error:
            raise Refused(error.message) from None
        except BusError as error:
            raise Refused(silent_launcher(run, error), FAILED) from None
        # The launcher gives up when it takes too long: `patience`, in the launch file.
        while state.state in ("starting", "waiting"):
            time.sleep(0.02)
            state = next(s for s in launcher_states(run, stack, bus) if s.node == node)
    if state.state != "ready":
        raise Refused(f"{node} is {state.state}; see {short_path(run)}/{node}/output.log", FAILED)
    print(f"{node} is ready again, as process {state.pid}, {time.monotonic() - began:.1f} s later")
    return 0
