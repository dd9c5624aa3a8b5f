"""A Ray cluster of two hosts, which are two network namespaces on one cable."""

import os
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.launch_toys.launched import CHECKOUT, PATIENCE
from tests.launching.two_machines import A, B

PORT = 6379
TOKEN_LENGTH = 32  # bytes


class Cluster:
    """The head is on host a, with the launcher. ``cpus``: what host a has for env servers; host b
    has one."""

    def __init__(self, a: str, b: str, cpus: int, token: bool = True) -> None:
        self.a, self.b = a, b
        # Ray's sockets are below it: a test's own folder has too long a path.
        self.folder = Path(tempfile.mkdtemp(prefix="ray-"))
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("RAY_")},
            "PYTHONPATH": str(CHECKOUT),
            "COLUMNS": "150",
            "RAY_ADDRESS": f"{A}:{PORT}",
            "RAY_AUTH_MODE": "disabled",
            "RAY_USAGE_STATS_ENABLED": "0",
            # Where these are not set, a host counts as lost after some 18 s.
            "RAY_health_check_initial_delay_ms": "1000",
            "RAY_health_check_period_ms": "1000",
            "RAY_health_check_timeout_ms": "5000",
            "RAY_health_check_failure_threshold": "3",
        }
        if token:
            file = self.folder / "token"
            file.touch(mode=0o600)
            file.write_text(secrets.token_hex(TOKEN_LENGTH))
            self.environment |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(file)}
        common = "--include-dashboard=false --disable-usage-stats"
        self._start(
            a,
            f"--head --node-ip-address={A} --port={PORT} --num-cpus={cpus} "
            f"--temp-dir={self.folder} {common}",
        )

    def join(self, checkout: Path = CHECKOUT) -> None:
        """Host b comes to the cluster."""
        self._start(
            self.b,
            f"--address={A}:{PORT} --node-ip-address={B} --num-cpus=1 --disable-usage-stats",
            checkout,
        )

    def _start(self, host: str, arguments: str, checkout: Path = CHECKOUT) -> None:
        ray = [sys.executable, "-m", "ray.scripts.scripts", "start", *shlex.split(arguments)]
        done = subprocess.run(
            ["ip", "netns", "exec", host, *ray],
            env={k: v for k, v in self.environment.items() if k != "RAY_ADDRESS"}
            | {"PYTHONPATH": str(checkout)},
            cwd=checkout,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def kill(self, host: str) -> None:
        """All of a host's processes at once, as a power cut would."""
        for pid in processes(host):
            os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        """End what is left, on both."""
        for host in (self.a, self.b):
            self.kill(host)
        shutil.rmtree(self.folder, ignore_errors=True)


def processes(host: str) -> list[int]:
    """Of a network namespace."""
    found = subprocess.run(
        ["ip", "netns", "pids", host], capture_output=True, text=True, check=True
    )
    return [int(pid) for pid in found.stdout.split()]
