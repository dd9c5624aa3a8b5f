"""The version of a folder of weights from elsewhere, which has no manifest."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from nodes.llm.manifest import NAME, digest_of
from nodes.llm.vllm.safetensors_header import starts

QUICK = 2_000_000_000
"""Bytes of weights that are read whole for a digest: two seconds, or twenty from a slow disk."""
_SUFFIXES = (".safetensors", ".gguf")
_PART = 4096  # bytes of a tensor that are read of larger ones
_PARTS = 256  # of a large file without a table


def folder_digest(folder: Path) -> str:
    """One digest for the files of a folder, in hexadecimal; "" where it holds no weights. All of
    them are read where the weights are small. Of larger ones the small files are read, and of each
    file of weights its size, its table and the first bytes of every tensor: weights that were
    trained on have the same sizes and tables, and other numbers. Then it begins with ``parts-``.

    Raises:
        OSError: a file cannot be read.
    """
    files = [each for each in sorted(folder.iterdir()) if each.is_file() and each.name != NAME]
    weights = [each for each in files if each.suffix in _SUFFIXES]
    if not weights:
        return ""
    whole = sum(each.stat().st_size for each in weights) <= QUICK
    summed = hashlib.sha256()
    for each in files:
        if whole or each not in weights:
            of = digest_of(each) if each.stat().st_size <= QUICK else str(each.stat().st_size)
        else:
            of = _parts_digest(each)
        summed.update(f"{each.name} {of}\n".encode())
    return summed.hexdigest() if whole else f"parts-{summed.hexdigest()}"


def _parts_digest(path: Path) -> str:
    summed = hashlib.sha256(str(path.stat().st_size).encode())
    with path.open("rb") as file:
        for first in _places(path):
            file.seek(first)
            summed.update(file.read(_PART))
    return summed.hexdigest()


def _places(path: Path) -> Iterator[int]:
    """Where parts of a file are read: in each tensor, else all over it."""
    try:
        yield from starts(path)
    except ValueError:
        size = path.stat().st_size
        yield from range(0, size, max(size // _PARTS, 1))
