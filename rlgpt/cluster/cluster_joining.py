"""Joins a process to the Ray cluster. Only processes of their own do this: Ray takes over signals
and logging, and starts threads."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from rlgpt.refused import Refused, unreadable

PAGE = "docs/ray.md"
LOOKING = 30.0  # seconds

# Run without the token, then with it: prints the cluster's address and versions.
_LOOK = """
import socket
import sys
from ray._common.usage.usage_lib import get_cluster_metadata
from ray._private import services
from ray._private.utils import check_version_info, compute_version_info
from ray._raylet import GcsClient
from ray.exceptions import AuthenticationError
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
    client = GcsClient(address=address)
    client.internal_kv_keys(b"", None, timeout=10)
    cluster = get_cluster_metadata(client)
except AuthenticationError:
    sys.exit(4)
except Exception:
    sys.exit(5)
for versions in ((cluster["ray_version"], cluster["python_version"]), compute_version_info()):
    print("Ray {} with Python {}".format(*versions), flush=True)
try:
    check_version_info(cluster, "")
except RuntimeError:
    sys.exit(6)
"""
_NO_CLUSTER, _KEPT_OUT, _SILENT, _OTHER_VERSION = 3, 4, 5, 6


def check_ray() -> None:
    """Raises Refused where Ray is not installed, or there is no token to use. It takes no time, and
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
    if not os.environ.get("RAY_AUTH_TOKEN"):
        _check_token(_token_file())


def _token_file() -> Path:
    named = os.environ.get("RAY_AUTH_TOKEN_PATH")
    return Path(named or os.path.expanduser("~/.ray/auth_token"))


def _check_token(file: Path) -> None:
    # Without one Ray ends the process that joins, with no exception.
    try:
        problem = "" if file.read_text().strip() else "it is empty"
    except (OSError, UnicodeDecodeError) as error:
        problem = unreadable(error)
    if problem:
        raise Refused(
            f"engine=ray needs the token of the cluster in the file {file}: {problem}; copy it "
            f"there from the head, or set RAY_AUTH_TOKEN_PATH ({PAGE})"
        )


def check_cluster() -> str:
    """The address of the cluster. Raises Refused as `check_ray` does, and where no cluster answers,
    one answers without a token or does not accept the one here, or it has other versions."""
    check_ray()
    stranger = {k: v for k, v in os.environ.items() if not k.startswith("RAY_AUTH_TOKEN")}
    stranger |= {"RAY_AUTH_MODE": "disabled"}
    code, (address, *_) = _look(os.environ.get("RAY_ADDRESS", ""), stranger)
    if code != _KEPT_OUT:
        raise Refused(
            f"the Ray cluster at {address} runs code for every client that reaches it: start it "
            f"with RAY_AUTH_MODE=token on every host ({PAGE})"
        )
    code, found = _look(address, dict(os.environ))
    if code == _KEPT_OUT:
        place = "RAY_AUTH_TOKEN" if os.environ.get("RAY_AUTH_TOKEN") else str(_token_file())
        raise Refused(
            f"the Ray cluster at {address} does not accept the token in {place}: copy that of its "
            f"head there ({PAGE})"
        )
    if code == _OTHER_VERSION:
        _, there, here = found
        raise Refused(f"the Ray cluster at {address} has {there}; here it is {here} ({PAGE})")
    return address


def _look(wanted: str, environment: dict[str, str]) -> tuple[int, list[str]]:
    """The exit code of a process that looks at the cluster, and the lines that it printed. Raises
    Refused where no cluster answers."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _LOOK, wanted],
            env=environment,
            capture_output=True,
            text=True,
            timeout=LOOKING,
        )
    except subprocess.TimeoutExpired:
        raise Refused(_unreachable(wanted)) from None
    if done.returncode in (_NO_CLUSTER, _SILENT):
        raise Refused(_unreachable(wanted))
    if done.returncode not in (0, _KEPT_OUT, _OTHER_VERSION):
        raise Refused(f"Ray does not work here: {last_line(done.stderr)}")
    return done.returncode, done.stdout.splitlines()


def join(address: str) -> Any:
    """The module `ray`, connected. Raises Refused."""
    import ray  # pyright: ignore

    try:
        ray.init(address=address, namespace="rlgpt", log_to_driver=False, logging_level="critical")
    except Exception as error:
        raise Refused(f"{_unreachable(address)}: {last_line(str(error))}") from None
    return ray


def address_of(ray: Any, host_id: str) -> str:
    """The address by which the cluster reaches a host."""
    return next(h["NodeManagerAddress"] for h in ray.nodes() if h["NodeID"] == host_id)


def _unreachable(address: str) -> str:
    where = f" at {address}" if address else ""
    return f"no Ray cluster can be reached{where} from here: start one, or set RAY_ADDRESS ({PAGE})"


def last_line(text: str) -> str:
    """What an error of Ray, or a traceback, comes down to. Indented lines are details of it."""
    lines = [line for line in text.splitlines() if line.strip()]
    whole = [line for line in lines if not line[0].isspace()] or lines
    return whole[-1].strip() if whole else "it ended without output"
