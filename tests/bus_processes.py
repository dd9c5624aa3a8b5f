"""Starting nodes as real processes, for the tests of the bus and of nodes."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from rlgpt.cluster.free_ports import free_ports

ROOT = Path(__file__).resolve().parent.parent
ECHO = ROOT / "docs" / "examples" / "echo_node" / "echo.py"
PATIENCE = 60.0
"""Seconds to wait for what takes a fraction of one on an idle machine."""


class Process:
    """A node as a process, started and known to be ready."""

    def __init__(self, script: Path, run: Path, *arguments: str, **environment: str) -> None:
        self._script = script
        self._run = run
        self._arguments = arguments
        self._environment = environment
        self.start()

    def start(self) -> None:
        with notify_socket(self._run) as (address, receiver):
            self.popen = launch(
                self._script,
                self._run,
                *self._arguments,
                **{"NOTIFY_SOCKET": address, **self._environment},
            )
            wait_ready(receiver, self.popen)

    def kill(self) -> None:
        """As kill -9."""
        self.popen.kill()
        self.popen.communicate()

    def stop(self) -> int:
        """As Ctrl-C of a launcher; returns the exit code."""
        self.popen.send_signal(signal.SIGTERM)
        _, self.errors = self.popen.communicate(timeout=PATIENCE)
        return self.popen.returncode


def launch(script: Path, run: Path, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
    # -P: the script's folder may have one that is called like a package of ours.
    return subprocess.Popen(
        [sys.executable, "-P", str(script), "--run", str(run), *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextlib.contextmanager
def notify_socket(run: Path) -> Iterator[tuple[str, socket.socket]]:
    address = f"\0rlgpt-test-{os.getpid()}-{time.monotonic_ns()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(address)
        receiver.settimeout(0.1)
        yield "@" + address[1:], receiver


def wait_ready(receiver: socket.socket, popen: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if b"READY=1" in receiver.recv(1024):
                return
        except TimeoutError:
            if popen.poll() is not None:
                _, errors = popen.communicate()
                raise AssertionError(f"the node ended ({popen.returncode}): {errors}") from None
    popen.kill()
    raise AssertionError("the node did not become ready")


def make_run(folder: Path, **config: Any) -> Path:
    run = folder / "run"
    run.mkdir()
    (run / "config.yaml").write_text(yaml.safe_dump({"name": "test", **config}), "utf-8")
    return run


def eventually(condition: Any) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.02)


def free_port() -> int:
    """A free TCP port, with the one after it free too, which is the node's topics'. The kernel
    gives none of these to a client, which might have it before the node does."""
    return next(free_ports("127.0.0.1"))
