"""Pictures as PNG files."""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray


def png(picture: NDArray[np.uint8]) -> bytes:
    """The bytes of a file of (3, height, width) uint8."""
    _, height, width = picture.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each begins with its filter: none
    rows[:, 1:] = picture.transpose(1, 2, 0).reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits of each colour
    body = zlib.compress(rows.tobytes(), 6)
    chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", body), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
