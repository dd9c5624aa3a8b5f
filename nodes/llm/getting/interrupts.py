"""A program that cleans up when it is interrupted, however often it is told to end."""

import signal
from types import FrameType

from nodes.common.running.ending_signals import ENDING, heeded


def interrupted_once() -> None:
    """From now on, the first signal to end raises KeyboardInterrupt and the others are ignored, so
    that nothing ends what is then cleaned up. Signals that are ignored stay so."""
    for number in heeded():
        signal.signal(number, _end)


def _end(_: int, __: FrameType | None) -> None:
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
