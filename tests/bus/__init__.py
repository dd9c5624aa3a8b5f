"""Tests of the bus, over real sockets and between real processes."""

from pathlib import Path

SERVER = Path(__file__).with_name("bus_server.py")
"""The node ``server`` of these tests, to be started as a process."""
