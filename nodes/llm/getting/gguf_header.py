"""Whether a file can be a GGUF file, by its first bytes: before gigabytes are fetched for it."""

import struct
from pathlib import Path

from nodes.llm.getting.refusals import Refused

_HEADER = struct.Struct("<4sIQQ")  # GGUF's own: magic, version, tensors, keys and values
_VERSIONS = (2, 3)
_LEAST = 12  # bytes that a key or a tensor's description takes


def check_header(file: Path) -> None:
    """Raises Refused where the file is none, is shorter than it says, or cannot be read."""
    try:
        with file.open("rb") as opened:
            first = opened.read(_HEADER.size)
        size = file.stat().st_size
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}") from None
    if len(first) < _HEADER.size or not first.startswith(b"GGUF"):
        raise Refused(f"{file} is no GGUF file")
    _, version, tensors, keys = _HEADER.unpack(first)
    if version not in _VERSIONS:
        raise Refused(f"{file} is a GGUF file of version {version}; 2 and 3 can be read")
    if (tensors + keys) * _LEAST > size:
        raise Refused(f"{file} is no whole GGUF file: download it again")
