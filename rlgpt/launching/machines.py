"""Which nodes of a launch are on other machines, and whether the launch can begin."""

import errno
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from messages.bus.errors import AddressError
from messages.bus.network.address import Host, read_hosts
from messages.bus.network.key_files import check_folder, missing_folder
from nodes.config import key_folder
from rlgpt.composing.configuration import Stack
from rlgpt.refused import Refused

LAUNCHER = "launcher"
PAGE = "docs/several_machines.md"


def elsewhere(stack: Stack) -> dict[str, Host]:
    """The nodes whose host is not this machine. Raises Refused for a name that does not resolve."""
    return {n: host for n, host in read_hosts(stack.hosts).items() if not _is_here(n, host)}


def _is_here(node: str, host: Host) -> bool:
    if host.loopback:
        return True
    try:
        found = socket.getaddrinfo(host.host.strip("[]"), 0, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Refused(
            f"hosts.{node}.host: there is no machine called {host.host!r}; "
            "give its address, or a name that can be looked up"
        ) from None
    for family, kind, _, _, address in found:
        with socket.socket(family, kind) as probe:
            try:
                probe.bind(address)
                return True
            except OSError as error:
                if error.errno != errno.EADDRNOTAVAIL:
                    return True
    return False


def check_machines(stack: Stack, excluded: list[str]) -> dict[str, Host]:
    """The nodes that are left out here to be run elsewhere. Raises Refused where one that is
    elsewhere would be started here, which could only fail."""
    away = elsewhere(stack)
    for node, host in away.items():
        if node == LAUNCHER:
            raise Refused(f"hosts.launcher: {host.host} is not this machine; launch it there")
        if node not in excluded:
            raise Refused(
                f"hosts: {node} is at {host.host}, which is not this machine: leave it out here "
                f"with -{node} and run it there ({PAGE})"
            )
    return away


def check_keys(
    run: Path, hosts: Mapping[str, Any] | None, keys: str | None, owners: Iterable[str]
) -> None:
    """Raises Refused if ``owners`` lack a key to reach the nodes on TCP, if a key is damaged or
    does not fit, or if there is no folder of that name. Checked first: a subscription without its
    key would only receive nothing. ``hosts`` and ``keys`` are the configuration's."""
    there = read_hosts(hosts)
    folder = key_folder(run, keys) or run / "keys"
    if all(host.loopback for host in there.values()) and not folder.is_dir():
        if keys:  # what is named is believed to be used
            raise Refused(f"{missing_folder(folder)} ({PAGE})")
        return
    if not there:
        return
    try:
        check_folder(folder, there, list(owners))
    except AddressError as error:
        raise Refused(f"{error} ({PAGE})") from None
