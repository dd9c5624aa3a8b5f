"""A program that cleans up when it is interrupted, however often it is told to end."""

import signal
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupted_once() -> None:
    """From now on, the first signal to end raises KeyboardInterrupt and the others are ignored, so
    that nothing ends what is then cleaned up. Signals that are ignored stay so."""
    for number in _ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def _end(_: int, __: FrameType | None) -> None:
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
