"""Joins a process to the Ray cluster. Only processes of their own do this: Ray takes over signals
and logging, and starts threads."""

import importlib.util
import os
import subprocess
import sys
from typing import Any

from rlgpt.refused import Refused

PAGE = "docs/ray.md"
LOOKING = 30.0  # seconds

# Run without a token: prints the cluster's address, and whether it accepts connections.
_STRANGER = """
import socket
import sys
from ray._private import services
from ray._raylet import GcsClient
try:
    address = services.canonicalize_bootstrap_address_or_die(sys.argv[1] or "auto")
except Exception:
    sys.exit(3)
print(address, flush=True)
host, _, port = address.rpartition(":")
try:
    socket.create_connection((host.strip("[]"), int(port)), 10).close()
except (OSError, ValueError):
    sys.exit(3)
try:
    GcsClient(address=address).internal_kv_keys(b"", None, timeout=10)
except Exception as error:
    sys.exit(4 if "auth" in str(error).lower() else 5)
"""
_NO_CLUSTER, _KEPT_OUT, _SILENT = 3, 4, 5


def check_ray() -> None:
    """Raises Refused where Ray is not installed, or no token is to be used. It takes no time, and
    imports nothing."""
    if importlib.util.find_spec("ray") is None:
        raise Refused(
            "engine=ray needs Ray, which is not installed; in the checkout: "
            f".venv/bin/pip install -c constraints.txt -e '.[ray]' ({PAGE})"
        )
    if os.environ.get("RAY_AUTH_MODE") != "token":
        raise Refused(
            "engine=ray needs a cluster with token authentication: set RAY_AUTH_MODE=token on "
            f"every host and here ({PAGE})"
        )


def check_cluster() -> str:
    """The address of the cluster. Raises Refused as `check_ray` does, and where no cluster answers
    or one answers without a token."""
    check_ray()
    wanted = os.environ.get("RAY_ADDRESS", "")
    stranger = {k: v for k, v in os.environ.items() if not k.startswith("RAY_AUTH_TOKEN")}
    stranger |= {"RAY_AUTH_MODE": "disabled"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", _STRANGER, wanted],
            env=stranger,
            capture_output=True,
            text=True,
            timeout=LOOKING,
        )
    except subprocess.TimeoutExpired:
        raise Refused(_unreachable(wanted)) from None
    if done.returncode in (_NO_CLUSTER, _SILENT):
        raise Refused(_unreachable(wanted))
    address = done.stdout.strip()
    if done.returncode == 0:
        raise Refused(
            f"the Ray cluster at {address} runs code for every client that reaches it: start it "
            f"with RAY_AUTH_MODE=token on every host ({PAGE})"
        )
    if done.returncode != _KEPT_OUT:
        raise Refused(f"Ray does not work here: {_last_line(done.stderr)}")
    return address


def join(address: str) -> Any:
    """The module `ray`, connected. Raises Refused."""
    import ray  # pyright: ignore

    try:
        ray.init(address=address, namespace="rlgpt", log_to_driver=False, logging_level="critical")
    except Exception as error:
        if "auth" in str(error).lower():
            raise Refused(
                f"the Ray cluster at {address} does not accept the token that is set here ({PAGE})"
            ) from None
        raise Refused(f"{_unreachable(address)}: {_last_line(str(error))}") from None
    return ray


def address_of(ray: Any, host_id: str) -> str:
    """The address by which the cluster reaches a host."""
    return next(h["NodeManagerAddress"] for h in ray.nodes() if h["NodeID"] == host_id)


def _unreachable(address: str) -> str:
    where = f" at {address}" if address else ""
    return f"no Ray cluster can be reached{where} from here: start one, or set RAY_ADDRESS ({PAGE})"


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "it ended without output"
