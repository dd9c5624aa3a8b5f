"""How a command ends when its output is no longer read, its disk is full, a path cannot be used,
its folder was removed, or the user presses Ctrl-C.

``python -m nodes.common.running.command MODULE [ARGUMENT ...]`` is ``python -m MODULE
[ARGUMENT ...]`` with such an end, from its first import on.
"""

import errno
import os
import runpy
import sys
from collections.abc import Callable

from nodes.common.running.exit_codes import FAILED, INTERRUPTED, REFUSED
from nodes.common.running.standard_error import to_stderr

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# Errors of a path that the user gave, in any operation.
_UNUSABLE = (
    *(errno.EACCES, errno.EPERM, errno.EROFS),
    *(errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ELOOP),
)


def ended(command: Callable[[], int]) -> int:
    """Run ``command`` to its end, without a traceback for errors that are no bug. Returns its exit
    code; `SystemExit` passes. A reader such as `head` that ends early is no failure."""
    _open_what_is_closed()
    _print_what_can_be_shown()
    try:
        return command()
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if error.errno in FULL:
            return _full(error)
        if error.errno == errno.EIO and _terminal_is_gone():
            return 0
        if error.errno == errno.ENOENT and _folder_is_gone():
            to_stderr("the folder that this was called in was removed: call it in another one")
            return REFUSED
        if error.errno not in _UNUSABLE or error.filename is None:
            raise
        to_stderr(f"{error.filename} cannot be used: {error.strerror}")
        return REFUSED
    finally:
        _flush_output()


def _open_what_is_closed() -> None:
    """Have a standard stream that was closed (``<&-``) be one that holds nothing. Else a file could
    take its number, and what a library or another process prints would go into that file."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, os.O_RDWR)  # the lowest free one: the stream's own
            os.set_inheritable(number, number <= 2)
            setattr(sys, name, os.fdopen(number, mode))


def _folder_is_gone() -> bool:
    """Whether the working folder was removed: no relative path leads anywhere then."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _print_what_can_be_shown() -> None:
    """Replace characters that the terminal cannot show, so that the command goes on."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)  # a test's has none
    if reconfigure is not None:
        reconfigure(errors="replace")


def _terminal_is_gone() -> bool:
    """Whether it is standard output that can no longer be written, and not a broken disk."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return error.errno == errno.EIO
    return False


def discard_output() -> None:
    """From now on, discard standard output: its reader has ended."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _flush_output() -> None:
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        return  # the command has noticed itself that its reader ended
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
    except OSError as error:
        discard_output()
        if error.errno == errno.EIO:  # the terminal was closed
            return
        raise SystemExit(_full(error)) from None


def _full(error: OSError) -> int:
    where = error.filename or "standard output"
    to_stderr(f"{where} cannot be written: {error.strerror}")
    return FAILED


def _main() -> int:
    module = sys.argv.pop(1)
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(ended(_main))
