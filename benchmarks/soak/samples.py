"""What the processes of a soak hold at a moment: memory, file descriptors, threads, sockets."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from tests.launch_toys.process_tree import members, strangers

PAGE, BAG, LAUNCHER = "dash", "bag", "launcher"
MEASURES = ("rss", "files", "threads", "sockets")


class Held(msgspec.Struct, kw_only=True):
    """What one process holds, or several of a kind together. ``rss``: resident bytes; ``files``:
    file descriptors, of which ``sockets`` are sockets."""

    processes: int = 0
    rss: float = 0.0
    files: float = 0.0
    threads: float = 0.0
    sockets: float = 0.0

    def add(self, other: "Held") -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Sample(msgspec.Struct, kw_only=True):
    """``at``: seconds since the soak began. ``held``: by kind of process. ``tab``: of the open page
    in the browser: bytes of its heap after a collection, nodes of its document, listeners."""

    at: float
    held: dict[str, Held]
    tab: dict[str, float] = {}


def held_by(pid: int) -> Held | None:
    """What a process holds; None: it has ended."""
    place = Path(f"/proc/{pid}")
    try:
        pages = int((place / "statm").read_text().split()[1])
        threads = len(os.listdir(place / "task"))
        links = [_link(place / "fd" / name) for name in os.listdir(place / "fd")]
    except (OSError, IndexError):
        return None
    return Held(
        processes=1,
        rss=pages * os.sysconf("SC_PAGE_SIZE"),
        files=len(links),
        threads=threads,
        sockets=sum(link.startswith("socket:") for link in links),
    )


def held(launcher: int, others: dict[str, int]) -> dict[str, Held]:
    """What all processes of a launch hold, by what they are, and of ``others`` by their names. Of
    workers of a kind the sum."""
    found = [(member.kind, member.pid) for member in members(launcher)]
    found += [(BAG, each.pid) for each in strangers(launcher) if _records(each.pid)]
    return _summed([*found, (LAUNCHER, launcher), *others.items()])


def tab_state(browser: Any) -> dict[str, float]:
    """The state of a tab of a `tests.dash.browser.Browser`."""
    browser.send("HeapProfiler.collectGarbage")
    metrics = browser.send("Performance.getMetrics")["metrics"]
    known = {each["name"]: each["value"] for each in metrics}
    return {
        "heap": known["JSHeapUsedSize"],
        "nodes": known["Nodes"],
        "listeners": known["JSEventListeners"],
    }


def _summed(found: Iterable[tuple[str, int]]) -> dict[str, Held]:
    sums: dict[str, Held] = {}
    for kind, pid in found:
        one = held_by(pid)
        if one is not None:
            sums.setdefault(kind, Held()).add(one)
    return sums


def _link(path: Path) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _records(pid: int) -> bool:
    try:
        return b"\0bag\0record\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
