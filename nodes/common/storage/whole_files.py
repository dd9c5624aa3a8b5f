"""Files that are written whole or not at all, even if the process is killed or the power fails; of
a file that is appended to, its lines."""

import contextlib
import os
import threading
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

_BLOCK = 1 << 16  # bytes


class UnusableFile(Exception):
    """A node's file is damaged, or cannot be read or written. The text is one sentence that names
    it and the remedy; the configuration is not the cause."""


@contextlib.contextmanager
def named(path: Path) -> Generator[None]:
    """Errors of writing ``path`` name it, which the error of a full disk does not."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextlib.contextmanager
def whole_file(path: Path) -> Generator[BinaryIO]:
    """A file to write to, which has the name ``path`` once the block has ended without an error: a
    reader sees the old one or the new one, never a part. It lies beside ``path`` until then.

    Raises:
        OSError: it cannot be made or written; the old one is unchanged. It names ``path``.
    """
    # One for each thread: two that write the same file must not write the same draft.
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with named(path), draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # or else the name may be on the disk before what it names
            draft.replace(path)
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file as ``whole_file`` does; raises what it raises."""
    with whole_file(path) as file:
        file.write(content)


def cut_unfinished_line(path: Path) -> None:
    """Cut off what follows a file's last line end: a line that a process was writing when it was
    killed. The next line that is appended would be read as its end. No file is as good as an empty
    one.

    Raises:
        OSError: it cannot be read or written.
    """
    try:
        file = path.open("r+b")
    except FileNotFoundError:
        return
    with file:
        size = end = file.seek(0, os.SEEK_END)
        while end:
            begin = max(0, end - _BLOCK)
            file.seek(begin)
            newline = file.read(end - begin).rfind(b"\n")
            if newline >= 0:
                end = begin + newline + 1
                break
            end = begin
        if end < size:
            file.truncate(end)
