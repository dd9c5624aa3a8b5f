"""Plays no launch: its host is lost each time."""

import sys

from nodes.common.running.exit_codes import HOST_LOST

if __name__ == "__main__":
    sys.exit(HOST_LOST)
