"""Tests of the bus, over real sockets and between real processes."""

from pathlib import Path

SERVER = Path(__file__).with_name("bus_server.py")
"""A node that answers, to be started as a process."""
