"""Replaces a file at once: the old one stays until the new one is complete."""

import os
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Write a file beside ``path`` and give it that name.

    Raises:
        OSError: it cannot be written; the old one is unchanged. It names ``path``.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        os.replace(draft, path)
    except OSError as error:  # the error of a full disk names no file
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
