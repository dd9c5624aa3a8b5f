"""Files that are there whole or not at all, whenever a process is killed or the power goes off."""

import contextlib
import os
import threading
from pathlib import Path


class UnusableFile(Exception):
    """A file that a node keeps is damaged, or cannot be read or written. The text is one sentence
    that names it and says what to do; the configuration is not to blame."""


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old one or the new one, never a part.

    Raises:
        OSError: it cannot be written; then the old one is still there. It names ``path``: a disk
            that is full fails without a name.
    """
    # Of its own for each thread: two that write the same file are not to write the same draft.
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # or else the name may be on the disk before what it names
        draft.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
