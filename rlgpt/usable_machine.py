"""How much of the machine this process may use: the limits of a container are below what it has."""

import os
from collections.abc import Iterator
from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")  # of version 2; version 1 has its limits in other files
_OWN = Path("/proc/self/cgroup")


def usable_memory() -> int:
    """Bytes."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = [int(words[0]) for words in _limits("memory.max") if words[0].isdecimal()]
    return min([whole, *limits])


def usable_cores() -> float:
    """A container may be limited to one and a half."""
    shares = [
        int(words[0]) / int(words[1])  # microseconds in a period
        for words in _limits("cpu.max")
        if len(words) == 2 and words[0].isdecimal() and words[1].isdecimal() and int(words[1])
    ]
    return min([len(os.sched_getaffinity(0)), *shares])


def _limits(name: str) -> Iterator[list[str]]:
    """The words of a limit of each group that this process is in; ``max`` where it has none."""
    for folder in _groups():
        try:
            words = (folder / name).read_text("ascii").split()
        except (OSError, UnicodeDecodeError):
            continue  # the outermost group has no limits
        if words:
            yield words


def _groups() -> list[Path]:
    """The folders of the group that this process is in, and of those around it."""
    try:
        lines = _OWN.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    own = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), "")
    if ".." in own.split("/"):  # outside of what a container is shown
        own = ""
    return [_GROUPS / own, *(_GROUPS / each for each in Path(own).parents)]
