"""The ``rlgpt`` command."""

import sys
from collections.abc import Sequence

from nodes.common.running.command import ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code: 0 done, 1 failed on its way, 2 not done, 128 + n
    ended by signal n."""
    return ended(lambda: _run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: Sequence[str]) -> int:
    # Only here, as Ctrl-C is no traceback once `ended` runs: on a cold disk it takes seconds.
    from rlgpt.command_line import run_command

    return run_command(arguments)


if __name__ == "__main__":
    sys.exit(main())
