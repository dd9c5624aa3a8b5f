"""The signals that end a command: Ctrl-C, a request to end, and a terminal that is closed."""

import signal
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def not_ignored() -> list[signal.Signals]:
    """Those of them that this process does not ignore. What starts a command may have it ignore
    some: `nohup` SIGHUP, a shell SIGINT where it runs the command in the background."""
    return [number for number in ENDING if signal.getsignal(number) != signal.SIG_IGN]


@contextmanager
def ended_by(handler: Callable[[int, FrameType | None], None]) -> Generator[None]:
    """Within it these signals call ``handler``, SIGHUP only where it is not ignored."""
    ends = {signal.SIGINT, signal.SIGTERM, *not_ignored()}
    with _restored(ends):
        for number in ends:
            signal.signal(number, handler)
        yield


def interrupted_once() -> None:
    """From now on, the first signal to end raises KeyboardInterrupt and the others are ignored, so
    that nothing ends what is then cleaned up. Signals that are ignored stay so."""
    for number in not_ignored():
        signal.signal(number, _interrupt)


@contextmanager
def interruptible() -> Generator[None]:
    """Within it a signal to end is as `interrupted_once` has it: what the body has made or started
    is cleaned up on SIGTERM and SIGHUP, too."""
    with _restored(not_ignored()):
        interrupted_once()
        yield


@contextmanager
def _restored(numbers: Collection[signal.Signals]) -> Generator[None]:
    """After it these signals have the handlers that they had before."""
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def _interrupt(_: int, __: FrameType | None) -> None:
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
