"""``rlgpt doctor``: whether this machine can run the stack, and what it will be like.

Nothing is asked of the network. The jail, and the kernels of Minecraft and Crafter, are tried by
starting an env server of each for a moment, as a launch would, and opening a session in it.
"""

import importlib.metadata
import os
import platform
import resource
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from rich.text import Text

from messages.bus import BusError
from messages.bus.errors import AddressError
from messages.bus.network.address import prepare, socket_path
from messages.world import CLOSE, OPEN, CloseSession, OpenSession, SeedRange, Task
from nodes.common.running.commit import CHECKOUT
from nodes.common.running.ending_signals import interruptible
from nodes.own_packages import hidden
from rlgpt.composing.composition import compose_launch
from rlgpt.composing.configuration import check, save
from rlgpt.inspecting.output import json_line
from rlgpt.refused import Refused
from rlgpt.report.node_files import jail
from rlgpt.runs import run_folder
from rlgpt.single_runs.small_stack import small_stack
from rlgpt.terminal import console, hanging
from rlgpt.usable_machine import usable_cores, usable_memory
from rlgpt.version import words as version_words
from worlds import games
from worlds.registry import OURS, unplayable

LIBRARIES = (
    "torch", "torchrl", "tensordict", "numpy", "numba", "pyzmq", "msgspec", "hydra-core",
    "gymnasium", "crafter", "vllm",
)  # fmt: skip
OPTIONAL = frozenset({"crafter", "vllm"})
CONSTRAINTS = CHECKOUT / "constraints.txt"
ROOM = 5 * 2**30
"""Bytes that a run with films and checkpoints may take."""
SHARED = 64 * 2**20
"""Bytes of shared memory that torch's own workers and vLLM ask for at least."""
FILES = 1024
"""Open files that a stack of seven nodes and a batch of worlds may have."""
COMPILING = 3600.0
"""Seconds for the kernels of a game, the first time and on a slow machine."""
MEMORY = 6 * 2**30
"""Bytes that seven nodes with a batch of 64 worlds take at most."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One line. ``well``: None where it is no question of well or not."""

    well: bool | None
    about: str
    words: str


def examine(try_jail: bool = True) -> Iterator[Finding]:
    """All that can be found out about this machine; ``try_jail``: start env servers, too."""
    yield Finding(well=None, about="rlgpt", words=version_words())
    yield _python()
    yield from _libraries()
    yield _sockets()
    yield from _limits()
    yield _memory()
    yield _room("runs", _runs())
    yield _shared_memory()
    yield _clock()
    yield _gpu()
    yield from game_findings()
    if try_jail:
        yield _started("jail", "harvest_log")
        if _is_installed("crafter"):
            yield _started("crafter", "crafter")


def print_findings(as_json: bool, try_jail: bool = True) -> int:
    """Print them as they come. The exit code is 1 if something is not well."""
    found: list[Finding] = []
    shown = console(width=120)
    for finding in examine(try_jail):
        found.append(finding)
        if not as_json:
            mark = {True: "ok", False: "NOT WELL", None: "--"}[finding.well]
            style = {True: "green", False: "bold red", None: "dim"}[finding.well]
            label = Text(f"{mark:8}  {finding.about:10}", style=style)
            shown.print(hanging(label, finding.words))
    if as_json:
        print(json_line(found))
    return 1 if any(finding.well is False for finding in found) else 0


def _python() -> Finding:
    words = f"Python {platform.python_version()} ({sys.executable}), {platform.platform()}"
    if sentence := hidden():
        return Finding(well=False, about="python", words=f"{words}; {sentence}")
    return Finding(well=sys.version_info >= (3, 11), about="python", words=words)


def _libraries() -> Iterator[Finding]:
    there: list[str] = []
    for name in LIBRARIES:
        if _is_installed(name):
            there.append(f"{name} {importlib.metadata.version(name)}")
        elif name not in OPTIONAL:
            words = f"{name} is not installed: pip install -c constraints.txt {name}"
            yield Finding(well=False, about="libraries", words=words)
    yield Finding(well=True, about="libraries", words=", ".join(there))
    if others := list(_other_versions(CONSTRAINTS)):
        words = f"tested with other versions (constraints.txt): {', '.join(others)}"
        yield Finding(well=None, about="versions", words=words)


def _is_installed(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _other_versions(constraints: Path) -> Iterator[str]:
    """Packages that are here in another version than a file of constraints has: those that are not
    here, and a local part of a version (``+cpu``), are no difference."""
    try:
        lines = constraints.read_text("utf-8").splitlines()
    except OSError:  # not a checkout: nothing to compare with
        return
    for line in lines:
        name, equals, wanted = line.partition("==")
        if not equals:
            continue
        try:
            here = importlib.metadata.version(name.strip())
        except importlib.metadata.PackageNotFoundError:
            continue
        if here.partition("+")[0] != wanted.strip():
            yield f"{name.strip()} {here} is here, {wanted.strip()} was tested"


def _runs() -> Path:
    """Where the next run folder would be made. What is no folder is in its way."""
    runs = Path("runs")
    return runs if os.path.lexists(runs) else Path()


def _sockets() -> Finding:
    """Whether two processes can talk over a Unix socket where a run would have its own."""
    folder = _runs().absolute()
    try:
        with tempfile.TemporaryDirectory(prefix="rlgpt-doctor-", dir=folder) as run:
            try:
                prepare(Path(run), "doctor")
                path = socket_path(Path(run), "doctor", "srv")
                folder = folder if path.is_relative_to(run) else path.parent.parent
                _connect(str(path))
                path.unlink()
            finally:
                run_folder.remove_short_sockets(Path(run))
    except (OSError, AddressError) as error:
        why = getattr(error, "strerror", None) or error
        words = f"no Unix sockets in {folder} ({why}); launch in a local folder that is yours"
        return Finding(well=False, about="sockets", words=words)
    return Finding(well=True, about="sockets", words=f"Unix sockets work in {folder}")


def _connect(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(1)
        with socket.socket(socket.AF_UNIX) as calling:
            calling.connect(path)


def _limits() -> Iterator[Finding]:
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    words = f"{files} open files (at most {most})"
    if most < FILES:
        words += f"; a stack may need {FILES}, and only root can allow more than {most}"
        words += f" (in a container: --ulimit nofile={FILES})"
    elif files < FILES:
        words += f"; a stack may need {FILES}: ulimit -n {FILES}"
    yield Finding(well=files >= FILES, about="limits", words=words)


def _memory() -> Finding:
    usable, cores = usable_memory(), usable_cores()
    free = min(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), usable)
    words = (
        f"{cores:.3g} {'core' if cores == 1 else 'cores'}, {usable / 2**30:.1f} GiB of memory"
        f", {free / 2**30:.1f} GiB of it not in use at all"
    )
    if usable < MEMORY:
        words += f"; a stack with 64 worlds takes up to {MEMORY / 2**30:.0f} GiB"
    return Finding(well=usable >= MEMORY, about="memory", words=words)


def _room(about: str, folder: Path) -> Finding:
    try:
        free = shutil.disk_usage(folder).free
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        words = f"{folder.absolute()} cannot be written to ({error.strerror})"
        return Finding(well=False, about=about, words=words)
    words = f"{free / 2**30:.1f} GiB free in {folder.absolute()}"
    if free < ROOM:
        words += f"; a long run with films takes up to {ROOM / 2**30:.0f} GiB"
    return Finding(well=free >= ROOM, about=about, words=words)


def _shared_memory() -> Finding:
    try:
        usage = shutil.disk_usage("/dev/shm")
    except OSError:
        return Finding(well=None, about="/dev/shm", words="there is none")
    words = f"{usage.free / 2**20:.0f} of {usage.total / 2**20:.0f} MiB free"
    if usage.free < SHARED:
        words += "; in a container start it with --shm-size 1g"
    return Finding(well=usage.free >= SHARED, about="/dev/shm", words=words)


def _clock() -> Finding:
    """Rates and deadlines go by the monotonic clock; logs and several machines by the time of day,
    which should not jump."""
    before = time.time() - time.monotonic()
    time.sleep(0.05)
    jump = abs(time.time() - time.monotonic() - before)
    words = f"{time.strftime('%Y-%m-%d %H:%M:%S %Z')}, steady to {jump * 1e3:.1f} ms in 50"
    return Finding(well=jump < 0.01, about="clock", words=words)


def _gpu() -> Finding:
    try:
        import torch
    except (ImportError, OSError) as error:  # a library that it needs may be missing
        reason = " ".join(str(error).split())
        words = f"torch cannot be loaded ({reason}): pip install -c constraints.txt torch"
        return Finding(well=False, about="GPU", words=words)
    if not torch.cuda.is_available():
        words = "none that this torch can use; everything but vLLM's larger models runs on the CPU"
        return Finding(well=None, about="GPU", words=words)
    cards = [torch.cuda.get_device_properties(i) for i in range(torch.cuda.device_count())]
    words = ", ".join(f"{card.name} ({card.total_memory / 2**30:.0f} GiB)" for card in cards)
    return Finding(well=True, about="GPU", words=words)


def game_findings() -> Iterator[Finding]:
    """Which games there are, and why one that another package registers cannot be played. Ours are
    not loaded: they are played in an env server (`_started`), and one of them needs a package that
    is a choice (``libraries``)."""
    problems = {name: unplayable(name) for name in games() if name not in OURS}
    for problem in filter(None, problems.values()):
        yield Finding(well=False, about="games", words=f"{problem}; it stops no other game")
    sound = [name for name in games() if not problems.get(name)]
    yield Finding(well=True, about="games", words=", ".join(sound))


def _started(about: str, launch: str) -> Finding:
    """What an env server for this launch file reports of its jail after a start, and how long that
    took. A session is opened in it, and so the game's warm-up was played, which compiles what is
    not compiled yet."""
    began = time.monotonic()
    with interruptible(), tempfile.TemporaryDirectory(prefix="rlgpt-doctor-") as folder:
        run = Path(folder) / "run"
        run.mkdir()
        try:
            data = compose_launch(launch, [f"run={run}"])
            task = msgspec.convert(data["task"], Task)
            kept = {name: plan for name, plan in data["nodes"].items() if name == "env_server"}
            data |= {"nodes": kept, "task": None, "run": str(run)}
            check(data, launch)
            save(data, run)
            with small_stack(run) as small:
                seeds = SeedRange(first=0, count=1)
                opened = OpenSession(session=about, task=task, size=1, seeds=seeds)
                small.bus.call(OPEN, opened, timeout=COMPILING)
                small.bus.call(CLOSE, CloseSession(session=about))
                words = jail(run).jail
        except (Refused, OSError, BusError) as error:
            words = f"an env server does not start: {getattr(error, 'sentence', error)}"
            return Finding(well=False, about=about, words=words)
    took = time.monotonic() - began
    if not words:
        words = "an env server started without one; nodes.env_server.parameters.jail turns it on"
        return Finding(well=False, about=about, words=words)
    ready = f"session open in {took:.0f} s, with all kernels compiled"
    return Finding(well=True, about=about, words=f"jail {words}; {ready}")
