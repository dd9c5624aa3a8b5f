"""How a command ends when its output is no longer read, its disk is full, a path cannot be used, or
the user presses Ctrl-C.

``python -m nodes.common.running.command MODULE [ARGUMENT ...]`` is ``python -m MODULE
[ARGUMENT ...]`` with such an end, from its first import on.
"""

import errno
import os
import runpy
import sys
from collections.abc import Callable

from nodes.common.running.exit_codes import FAILED, INTERRUPTED, REFUSED
from nodes.common.running.plain_text import plain_sentence

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# Errors of a path that the user gave, in any operation.
_UNUSABLE = (
    *(errno.EACCES, errno.EPERM, errno.EROFS),
    *(errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.ELOOP),
)


def ended(command: Callable[[], int]) -> int:
    """Run ``command`` to its end, without a traceback for errors that are no bug. Returns its exit
    code; `SystemExit` passes. A reader such as `head` that ends early is no failure."""
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
        if error.errno not in _UNUSABLE or error.filename is None:
            raise
        print(plain_sentence(f"{error.filename} cannot be used: {error.strerror}"), file=sys.stderr)
        return REFUSED
    finally:
        _flush_output()


def _print_what_can_be_shown() -> None:
    """Replace characters that the terminal cannot show, so that the command goes on."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)  # a test's has none, a closed one too
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
    if sys.stdout is None:  # it was closed from the start
        return
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
    print(plain_sentence(f"{where} cannot be written: {error.strerror}"), file=sys.stderr)
    return FAILED


def _main() -> int:
    module = sys.argv.pop(1)
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(ended(_main))
