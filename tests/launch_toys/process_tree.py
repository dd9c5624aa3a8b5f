"""The processes of a launch, by what they are."""

import os
from pathlib import Path
from typing import NamedTuple

from nodes.common.running.process_status import status_of
from nodes.env_server.jail.confined import CHECKER, SESSION
from tests.launch_toys.watching import NODES

FORK_SERVER, SESSION_WORKER, CHECKING_WORKER = "fork server", "session worker", "checking worker"
PROGRAMS = {
    "guardian.py": "guardian",
    "vllm/monitor.py": "vLLM's monitor",
    "fake_vllm.py": "vLLM",
    "sleep": "vLLM's engine",
}
STARTER = "nodes/start.py"
KINDS = (*NODES, FORK_SERVER, SESSION_WORKER, CHECKING_WORKER, *PROGRAMS.values())
"""Of a stack with all that there is, as in `tests.random_kills`."""


class Member(NamedTuple):
    kind: str  # a node's name, or what the process is for
    pid: int
    started: str

    @property
    def there(self) -> bool:
        """Not one that has ended, nor another by its number."""
        status = status_of(self.pid)
        return status is not None and status.state != "Z" and status.started == self.started

    def send(self, number: int) -> bool:
        """False if it had ended."""
        try:
            handle = os.pidfd_open(self.pid)
        except OSError:
            return False
        try:
            if not self.there:
                return False
            os.kill(self.pid, number)
        except OSError:
            return False
        finally:
            os.close(handle)
        return True


def members(launcher: int) -> list[Member]:
    """All processes that a launcher has started, with their children."""
    return [member for member in _below(launcher) if member.kind]


def strangers(launcher: int) -> set[Member]:
    """Those of no kind: only a process that `KINDS` lacks stays one."""
    return {member for member in _below(launcher) if not member.kind}


def _below(launcher: int) -> list[Member]:
    return [member for child in children(launcher) for member in _tree(child, "main")]


def _tree(pid: int, parent: str) -> list[Member]:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
        name = Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return []
    status = status_of(pid)
    if status is None or status.state == "Z":
        return []
    kind = _kind(words, name, parent)
    found = Member(kind, pid, status.started)
    return [found] + [member for child in children(pid) for member in _tree(child, kind)]


def _kind(words: list[str], name: str, parent: str) -> str:
    """Empty for one that has not become what it will be: it was forked this moment."""
    if parent == FORK_SERVER:
        return {SESSION: SESSION_WORKER, CHECKER: CHECKING_WORKER}.get(name, "")
    found = ""
    for end, kind in PROGRAMS.items():
        if any(word.endswith(end) for word in words[:5]):
            found = kind
    before = (at for at, word in enumerate(words) if word == "-m" or word.endswith(STARTER))
    if not found and (at := next(before, None)) is not None:
        module = words[at + 1]
        found = module.rpartition(".")[2].removeprefix("served_")
        found = FORK_SERVER if found == "fork_server" else found
    return "" if found == parent else found


def children(pid: int) -> list[int]:
    """The processes that any thread of a process has started."""
    found: list[int] = []
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    except OSError:  # it has ended meanwhile
        pass
    return found
