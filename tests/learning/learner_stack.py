"""A learner as a process and corridors as its env server, on a bus, for several files of tests."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml

from messages.bus import Bus
from messages.training import TRAIN, Train
from nodes.common.running.process_status import status_of
from nodes.learner.checkpoints import checkpoint

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0  # seconds; two cores may be busy with other things


class LearnerStack:
    """A run folder with a learner and corridors in it. ``changed``: parameters of the learner."""

    def __init__(self, run: Path, **changed: Any) -> None:
        self.run = run
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        parameters = {
            "environments": 16,
            "decisions": 16,
            "minibatch": 64,
            "hidden": 32,
            "checkpoint_seconds": 0.0,
            **changed,
        }
        config = {
            "name": "test",
            "run": str(run),
            "seed": 0,
            "hosts": {},
            "nodes": {"learner": {"parameters": parameters}, "env_server": {"parameters": {}}},
        }
        (run / "config.yaml").write_text(yaml.safe_dump(config))
        self.start("env_server")
        self.start("learner")
        self.bus = Bus(run=run)

    def start(self, node: str) -> None:
        commands = {
            "env_server": ["-P", str(ROOT / "tests" / "learning" / "corridor.py"), str(self.run)],
            "learner": ["-m", "nodes.learner", "--run", str(self.run)],
        }
        # Others are further env servers.
        command = commands.get(node) or [*commands["env_server"], node]
        self.processes[node] = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )

    def kill(self, node: str) -> None:
        """Without a warning."""
        self.processes[node].send_signal(signal.SIGKILL)
        self.processes[node].wait()

    def close(self) -> None:
        for node in self.processes:
            self.kill(node)
        self.bus.close()

    def train(self, id: str, spec, **options):
        return self.bus.run_goal(TRAIN, id, Train(spec=spec), timeout=PATIENCE, **options)

    def samples(self, id: str) -> int:
        """As the checkpoint has it, 0 before there is one."""
        path = self.run / "learner" / id.replace("/", "+") / checkpoint.NAME
        return checkpoint.read(path)["counters"]["samples"] if path.exists() else 0

    def processor(self, node: str) -> float:
        """Seconds of CPU time that a node has had."""
        status = status_of(self.processes[node].pid)
        return 0.0 if status is None else status.processor

    def wait_for(self, what) -> None:
        deadline = time.monotonic() + PATIENCE
        while not what():
            assert time.monotonic() < deadline
            time.sleep(0.02)
