"""A child that does a command's work: signals to end are passed on to it, and its end is waited
for."""

import signal
import subprocess
from collections.abc import Iterable


def wait_in_front(child: "subprocess.Popen[bytes]", passed: Iterable[signal.Signals]) -> int:
    """The exit code of ``child``, as a shell has it. Meanwhile the signals ``passed`` go to it; it
    cleans up what it has half done, for which `subprocess.run` would not leave it the time."""
    before = {n: signal.signal(n, lambda number, _: child.send_signal(number)) for n in passed}
    try:
        code = child.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 128 - code if code < 0 else code
