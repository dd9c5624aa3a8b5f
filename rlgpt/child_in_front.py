"""A child that does a command's work: signals to end are passed on to it, and its end is waited
for."""

import signal
import subprocess
from collections.abc import Iterable, Sequence

from nodes.common.running.ending_signals import interruptible


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


def output_in_front(
    command: Sequence[str], given: bytes, timeout: float | None = None
) -> "subprocess.CompletedProcess[bytes]":
    """What a child that reads ``given`` prints. A signal that ends this command ends the child,
    too, which gets the time to clean up, as above.

    Raises:
        KeyboardInterrupt: a signal to end came, and the child has ended.
        subprocess.TimeoutExpired: the child took longer than ``timeout``, and was killed.
    """
    pipe = subprocess.PIPE
    with (
        interruptible(),
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as child,
    ):
        try:
            printed, errors = child.communicate(given, timeout)
        except KeyboardInterrupt:
            # By Ctrl-C it has the signal already, and ignores another.
            child.send_signal(signal.SIGTERM)
            child.wait()
            raise
        except BaseException:
            child.kill()
            raise
    return subprocess.CompletedProcess(command, child.returncode, printed, errors)
