"""Addresses of nodes: a function of the run folder and the node's name, nothing to discover.

On one machine a node listens on two Unix sockets, ``<run>/s/<node>.srv`` for requests and
``<run>/s/<node>.pub`` for topics. A node in the hosts table listens on ``tcp://host:port`` for
requests and on the port after it for topics.
"""

import hashlib
import ipaddress
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from messages.bus.errors import AddressError

UNIX_PATH_MAX = 107
"""Bytes in the path of a Unix socket."""

Side = Literal["srv", "pub"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class Host(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a node listens when it is not on a Unix socket: ``port`` and the port after it."""

    host: str
    port: int

    @property
    def loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False


def read_hosts(table: Mapping[str, Any] | None) -> dict[str, Host]:
    """Check the ``hosts`` table of a configuration: node name to ``{host, port}``."""
    hosts: dict[str, Host] = {}
    for node, value in (table or {}).items():
        if isinstance(value, Host):
            hosts[node] = value
            continue
        try:
            host = msgspec.convert(value, Host)
        except msgspec.ValidationError as error:
            raise AddressError(
                f"hosts.{node} must be {{host: NAME, port: NUMBER}}: {error}"
            ) from error
        if not 1 <= host.port <= 65534:
            raise AddressError(f"hosts.{node}.port is {host.port}; it must be within 1..65534")
        hosts[node] = host
    return hosts


def check_name(node: str) -> str:
    """A node's name is a file name and the first part of its endpoints' names."""
    if not _NAME.fullmatch(node):
        raise AddressError(
            f"{node!r} is no node name; letters, digits, '_' and '-' make one (at most 64)"
        )
    return node


def socket_path(run: Path, node: str, side: Side) -> Path:
    """Where the Unix socket of a node is, whether or not the node runs.

    A path that is too long for a socket is replaced by a short one that every process of this user
    derives from the run folder alike, whatever its environment.
    """
    check_name(node)
    run = run.absolute()
    path = run / "s" / f"{node}.{side}"
    if len(os.fsencode(path)) <= UNIX_PATH_MAX:
        return path
    return short_folder(run) / f"{node}.{side}"


def short_folder(run: Path) -> Path:
    """Where the sockets are whose path in the run folder would be too long."""
    name = hashlib.blake2s(os.fsencode(run.absolute()), digest_size=8).hexdigest()
    # Neither $XDG_RUNTIME_DIR nor $TMPDIR: processes that differ in them could not connect.
    return Path(f"/tmp/rlgpt-{os.getuid()}") / name


def make_private(folder: Path) -> None:
    """Make a folder that only this user can enter, or reject one that another user made."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise AddressError(
            f"the folder {folder} for sockets cannot be made: {error.strerror}; "
            "choose a run folder that can be written"
        ) from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise AddressError(f"{folder} is not a folder of this user; remove it and start again")
    if found.st_mode & 0o077:
        folder.chmod(0o700)


def prepare(run: Path, node: str) -> None:
    """Make the folder of a node's Unix sockets, which only this user can enter."""
    folder = socket_path(run, node, "srv").parent
    if folder == short_folder(run):
        make_private(folder.parent)
    make_private(folder)


def address(run: Path, node: str, side: Side, hosts: Mapping[str, Host]) -> str:
    """The ZeroMQ address of a node, to bind or to connect to."""
    host = hosts.get(check_name(node))
    if host is None:
        path = socket_path(run, node, side)
        if path.parent == short_folder(run):
            # Every user may write to /tmp: a caller must not use a folder that another user made.
            make_private(path.parent.parent)
        return f"ipc://{path}"
    bare = host.host.strip("[]")
    place = f"[{bare}]" if ":" in bare else host.host  # IPv6
    return f"tcp://{place}:{host.port + (side == 'pub')}"
