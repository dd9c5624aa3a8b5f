"""The signals that end a command: Ctrl-C, a request to end, and a terminal that is closed."""

import signal

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def heeded() -> list[signal.Signals]:
    """Those of them that this process does not ignore. What starts a command may have it ignore
    some: `nohup` SIGHUP, a shell SIGINT where it runs the command in the background."""
    return [number for number in ENDING if signal.getsignal(number) != signal.SIG_IGN]
