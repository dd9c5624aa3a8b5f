"""The processes of a launch, by what they are."""

import os
from pathlib import Path
from typing import NamedTuple

from nodes.process_status import status_of


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
    """All that a launcher has started, and what those have."""
    return [member for child in _children(launcher) for member in _tree(child, "")]


def _tree(pid: int, parent: str) -> list[Member]:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []
    status = status_of(pid)
    if status is None or status.state == "Z":
        return []
    kind = _kind(words, parent)
    found = [Member(kind, pid, status.started)] if kind else []
    return found + [member for child in _children(pid) for member in _tree(child, kind)]


def _kind(words: list[str], parent: str) -> str:
    """Empty for one that has not become what it will be: it was forked this moment."""
    line = " ".join(words)
    if "nodes.env_server.jail.fork_server" in line:
        return "jailed worker" if parent in ("fork server", "jailed worker") else "fork server"
    for name, kind in (
        ("guardian.py", "guardian"),
        ("vllm/keeper.py", "vLLM's keeper"),
        ("fake_vllm.py", "vLLM"),
        ("sleep", "vLLM's engine"),
    ):
        if any(word.endswith(name) for word in words[:5]):
            return kind
    if "-m" in words:
        module = words[words.index("-m") + 1]
        return module.rpartition(".")[2].removeprefix("served_")
    return ""


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    except OSError:  # it has ended meanwhile
        pass
    return found
