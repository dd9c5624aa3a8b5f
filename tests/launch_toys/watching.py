"""Watches a launch of the real nodes, and ends some of them."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from messages.bus import Bus
from messages.empty import Empty
from messages.plan import WORKING, Working
from messages.system import LIST, NodeState
from messages.training import PROGRESS, Progress
from tests.launch_toys.launched import Launched

NODES = ("env_server", "planner", "slow_agent", "fast_agent", "critic", "learner", "llm")
DEADLINE = 400.0
"""Seconds for what takes a few, but compiles the world's kernels on a machine that is new to it."""


class Watch:
    """What a run publishes about its nodes and its training."""

    def __init__(self, launch: Launched) -> None:
        self._launch = launch
        self._bus = Bus(launch.run)
        self.training: list[Progress] = []
        self.working: list[Working] = []
        self._bus.subscribe(PROGRESS, self.training.append)
        self._bus.subscribe(WORKING, self.working.append)

    def close(self) -> None:
        self._bus.close()

    def until(self, happened: Callable[[], bool]) -> None:
        deadline = time.monotonic() + DEADLINE
        while not happened():
            assert self._launch.process.poll() is None, self._launch.text
            assert time.monotonic() < deadline, self._launch.text
            self._bus.spin_once(0.05)

    def more_training(self) -> None:
        """Wait until some more is learned."""
        before = len(self.training)
        self.until(lambda: len(self.training) >= before + 2)

    def at(self, activity: str, since: int = 0) -> int:
        """Wait until the fast agent's activity begins so. Returns how many activities it has
        published, as ``since`` for the next call."""
        self.until(lambda: any(w.activity.startswith(activity) for w in self.working[since:]))
        return len(self.working)

    def kill(self, *nodes: str) -> None:
        """kill -9, and wait until they are ready again."""
        before = {node: self.state(node) for node in nodes}
        for node in nodes:
            os.kill(before[node].pid, signal.SIGKILL)
        for node in nodes:
            self.until(
                lambda node=node: (
                    (now := self.state(node)).state == "ready" and now.pid != before[node].pid
                )
            )

    def state(self, node: str) -> NodeState:
        return {s.node: s for s in self._bus.call(LIST, Empty(), timeout=DEADLINE).nodes}[node]


def ended(launch: Launched) -> int:
    code = launch.process.wait(DEADLINE)
    launch.ended()
    return code


def summary(run: Path) -> dict[str, Any]:
    return json.loads((run / "summary.json").read_text())
