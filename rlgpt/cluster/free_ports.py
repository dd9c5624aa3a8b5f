"""Ports for nodes: a node takes a port and the one after it."""

import random
import socket
from collections.abc import Iterator

PORTS = range(20_000, 30_000)  # below those that the kernel gives to clients


def free_ports(address: str) -> Iterator[int]:
    """Ports that are free at an address, with the one after each free too, in a random order."""
    for port in random.sample(PORTS[::2], len(PORTS) // 2):
        with socket.socket() as first, socket.socket() as second:
            try:
                first.bind((address, port))
                second.bind((address, port + 1))
            except OSError:
                continue
        yield port
