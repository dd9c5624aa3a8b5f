"""Pictures as PNG files."""

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voxeldojo.replacing import replace_file


def png(image: NDArray[np.uint8]) -> bytes:
    """A PNG file's bytes of (3, height, width) uint8."""
    _, height, width = image.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = image.transpose(1, 2, 0).reshape(height, -1)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)),
            _chunk(b"IEND", b""),
        )
    )


def write_png(path: Path, image: NDArray[np.uint8]) -> None:
    """Raises OSError where the file cannot be written; an older one is unchanged then."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, png(image))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
