"""What the commands for bags print about their own work, beside their output."""

import sys
from contextlib import suppress

from nodes.common.running.plain_text import plain_entry


def print_progress(text: str) -> None:
    """Print a line on standard error."""
    with suppress(OSError):  # who started this process may have ended
        print(f"rlgpt: {plain_entry(text)}", file=sys.stderr, flush=True)
