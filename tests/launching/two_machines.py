"""Two network namespaces on one cable: two machines, as far as the network goes."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.launch_toys.launched import PATIENCE, environment

A, B = "10.77.0.1", "10.77.0.2"
NAMESPACES = ("rlgpt-test-a", "rlgpt-test-b")


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@pytest.fixture
def machines() -> Iterator[tuple[str, str]]:
    """Two network namespaces on one cable, with private addresses and a way to nowhere else."""
    if shutil.which("ip") is None:
        pytest.skip("there is no `ip` here (iproute2)")
    a, b = (f"{name}-{os.getpid()}" for name in NAMESPACES)
    made: list[str] = []
    try:
        try:
            for name in (a, b):
                _ip("netns", "add", name)
                made.append(name)
            cable = ("type", "veth", "peer", "name", "cable", "netns", b)
            _ip("link", "add", "cable", "netns", a, *cable)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no network namespaces here: {error.stderr.decode().strip()}")
        for name, address in ((a, A), (b, B)):
            _ip("-n", name, "address", "add", f"{address}/24", "dev", "cable")
            for device in ("lo", "cable"):
                _ip("-n", name, "link", "set", device, "up")
        yield a, b
    finally:
        for name in made:
            _ip("netns", "delete", name)


SCP = """#!/bin/sh
# Copies to the other machine: here, to its folder.
for to; do :; done
while [ $# -gt 1 ]; do cp "$1" "{there}/${{to#b:rl-gpt/}}"; shift; done
"""


class Machine:
    """Runs the page's commands in a folder and a network of its own."""

    def __init__(self, namespace: str, folder: Path, tools: Path) -> None:
        self.folder = folder
        self._before = ["ip", "netns", "exec", namespace, "sh", "-c"]
        path = f"{tools}:{os.environ['PATH']}"
        self._environment = environment() | {"PATH": path, "COLUMNS": "120"}

    def start(self, command: str) -> "subprocess.Popen[str]":
        out = (self.folder / "output").open("a")
        with out:
            return subprocess.Popen(
                [*self._before, f"exec {command}"],
                cwd=self.folder,
                env=self._environment,
                stdout=out,
                stderr=out,
                text=True,
            )

    def do(self, commands: str) -> None:
        for line in commands.splitlines():
            done = self.start(f"sh -c {shlex.quote(line)}").wait(PATIENCE)
            assert done == 0, (line, self.output())

    def output(self) -> str:
        return (self.folder / "output").read_text()


def make_tools(folder: Path, there: Path) -> Path:
    """A folder of commands for both machines: ``rlgpt``, and an ``scp`` to the folder ``there``."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "scp").write_text(SCP.format(there=there))
    (tools / "rlgpt").write_text(f'#!/bin/sh\nexec {sys.executable} -m rlgpt.main "$@"\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    return tools
