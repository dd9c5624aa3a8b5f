"""Pictures in recorded messages: arrays of colours, and whole PNG and JPEG files."""

import base64
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

MAX_OF_BATCH = 16
"""Pictures of one batch that are exported."""
_SMALLEST = 8  # pixels of a side; smaller arrays of three columns are no pictures
_CODECS = {"jpeg": ("mjpeg", "yuvj444p"), "png": ("png", "rgb24")}

SCHEMA_NAME = "foxglove.CompressedImage"
SCHEMA = {
    "title": SCHEMA_NAME,
    "type": "object",
    "properties": {
        "timestamp": {
            "type": "object",
            "title": "time",
            "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}},
        },
        "frame_id": {"type": "string"},
        "data": {"type": "string", "contentEncoding": "base64"},
        "format": {"type": "string"},
    },
}


def pictures_in(value: Any, path: str = "") -> Iterator[tuple[str, NDArray[np.uint8] | bytes]]:
    """Every picture of a message with its place, ``body/pictures/0/png``: an array (height, width,
    3), or a file."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from pictures_in(inner, f"{path}/{name}" if path else str(name))
    elif isinstance(value, list):
        for number, inner in enumerate(value[:MAX_OF_BATCH]):
            yield from pictures_in(inner, f"{path}/{number}")
    elif isinstance(value, bytes):
        if _format(value):
            yield path, value
    elif isinstance(value, np.ndarray) and value.dtype == np.uint8:
        yield from _of_array(value, path)


def _of_array(array: NDArray[np.uint8], path: str) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    if array.ndim not in (3, 4):
        return
    if array.shape[-1] != 3 and array.shape[-3] == 3:  # (3, height, width)
        array = np.moveaxis(array, -3, -1)
    if array.shape[-1] != 3 or min(array.shape[-3:-1]) < _SMALLEST:
        return
    if array.ndim == 3:
        yield path, array
        return
    for number, each in enumerate(array[:MAX_OF_BATCH]):
        yield f"{path}/{number}", each


def compressed(picture: NDArray[np.uint8] | bytes, format: str, nanoseconds: int) -> dict[str, Any]:
    """A picture as Foxglove reads it; ``format``, ``jpeg`` or ``png``, is for arrays."""
    if isinstance(picture, bytes):
        data, format = picture, _format(picture)
    else:
        data = _encoded(picture, format)
    return {
        "timestamp": {"sec": nanoseconds // 10**9, "nsec": nanoseconds % 10**9},
        "frame_id": "",
        "data": base64.b64encode(data).decode(),
        "format": format,
    }


def _encoded(picture: NDArray[np.uint8], format: str) -> bytes:
    name, pixels = _CODECS[format]
    codec: Any = av.CodecContext.create(name, "w")
    codec.height, codec.width = picture.shape[:2]
    codec.pix_fmt = pixels
    codec.time_base = Fraction(1, 1)
    if format == "jpeg":
        codec.options = {"qmin": "2", "qmax": "2"}
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
    packets = [*codec.encode(frame.reformat(format=pixels)), *codec.encode(None)]
    return b"".join(bytes(packet) for packet in packets)


def _format(data: bytes) -> str:
    """The format of a file by how it begins; "" if it is no picture."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    return "jpeg" if data.startswith(b"\xff\xd8\xff") else ""
