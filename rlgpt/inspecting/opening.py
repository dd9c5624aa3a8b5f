"""A run that a command looks into: its folder, its launch, and a bus without a name."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from messages.bus import Bus, BusError
from messages.bus.network.curve import TOOLS
from messages.empty import Empty
from messages.interface import Reply, Service
from messages.system import LIST, Description, Endpoint, NodeState, describe
from nodes.common.running.exit_codes import FAILED
from nodes.common.running.standard_error import to_stderr
from nodes.config import key_folder
from rlgpt.composing.configuration import Stack, load
from rlgpt.interfaces import as_called, ask_nodes, declared, declared_nodes, is_absent
from rlgpt.launching.machines import LAUNCHER, check_keys, elsewhere
from rlgpt.refused import Refused, did_you_mean
from rlgpt.runs import run_folder
from rlgpt.runs.typed import not_running, run_option, silent_launcher


@contextlib.contextmanager
def connected(run: Path, stack: Stack) -> Iterator[Bus]:
    """A bus without a name, which can only call and subscribe."""
    check_keys(run, stack.hosts, stack.keys, [TOOLS])
    try:
        bus = Bus(run=run, node=None, hosts=stack.hosts, keys=key_folder(run, stack.keys))
    except BusError as error:
        raise Refused(str(error)) from None
    try:
        yield bus
    finally:
        bus.close()


@contextlib.contextmanager
def opened(wanted: str | None) -> Iterator[tuple[Path, Stack, Bus]]:
    """The run that a command names, and a bus to it."""
    run = run_folder.find(wanted)
    stack = load(run)
    with connected(run, stack) as bus:
        yield run, stack, bus


def has_launcher(run: Path, stack: Stack) -> bool:
    """Whether there is a launcher to call: of this machine, or of another one whose address the
    launch names."""
    return run_folder.launched(run) or LAUNCHER in elsewhere(stack)


def launcher_states(run: Path, stack: Stack, bus: Bus) -> list[NodeState]:
    """Every node's state, as the launcher has it. Raises Refused where there is no launcher."""
    if not has_launcher(run, stack):
        raise Refused(not_running(run))
    try:
        return bus.call(LIST, Empty()).nodes
    except BusError as error:
        raise Refused(silent_launcher(run, error), code=FAILED) from None


def described(run: Path, stack: Stack, bus: Bus) -> list[Description]:
    """The descriptions of the nodes that run. Raises Refused where there is none."""
    return as_called(answered(run, bus, describe, [*stack.nodes, LAUNCHER]))


def answered(
    run: Path, bus: Bus, service: Callable[[str], Service[Empty, Reply]], nodes: list[str]
) -> dict[str, Reply]:
    """The replies of the nodes that run; why another one that is there gives none goes to standard
    error. Raises Refused where there is none at all."""
    found, errors = ask_nodes(bus, service, nodes)
    if not found:
        raise Refused(str(errors[0]) if errors else not_running(run))
    for error in errors:
        to_stderr(str(error))
    return found


def find_endpoint(kind: str, name: str, run: Path, found: list[Description]) -> Endpoint:
    """The endpoint of that kind (topic, service, action) and name, of a run whose nodes are
    described by ``found``. Raises Refused."""
    every = [each for one in found for each in one.endpoints]
    known = {each.name: each for each in every if each.kind == kind}
    if name in known:
        return known[name]
    node = name.partition("/")[0]
    there = {each.name: each.kind for each in every}
    if node not in {one.node for one in found}:
        there |= {each: type(one).__name__.lower() for each, one in declared(node).items()}
        if there.get(name) == kind and node in declared_nodes():
            raise Refused(
                f"{node}, which has `{name}`, does not answer "
                f"(`rlgpt node list{run_option(run)}` has its state)"
            )
    check_kind(kind, name, there.get(name, kind))
    raise Refused(
        f"there is no {kind} `{name}`{did_you_mean(name, known)} "
        f"(`rlgpt {kind} list{run_option(run)}` has them)"
    )


def check_kind(kind: str, name: str, found: str) -> None:
    """Raises Refused where ``name`` is not a ``kind`` (topic, service, action) but a ``found``."""
    if found != kind:
        raise Refused(
            f"`{name}` is no {kind}: it is {'an' if found == 'action' else 'a'} {found} "
            f"(`rlgpt {found} --help`)"
        )


def not_answering(node: str, run: Path, error: BusError) -> str:
    """Why a node did not answer, as far as it is known from outside."""
    if run_folder.launched(run) or not is_absent(error):
        return f"{node} of {run.name} does not answer: {error}"
    return not_running(run, node)
