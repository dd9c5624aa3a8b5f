"""Programs that end with this process, however it ends. One that outlived it would write where the
next call writes, into the weights or the environment that it makes."""

import signal
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial

from nodes.common.running.process import end_with_parent

ending_with_us = partial(end_with_parent, signal.SIGKILL)
"""The ``preexec_fn`` of such a program."""


def run_to_end(
    words: Sequence[str], variables: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a program and return what it printed. ``variables``: its environment; None: ours."""
    return subprocess.run(
        words,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=ending_with_us,
    )
