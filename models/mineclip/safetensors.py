"""Reads a ``.safetensors`` file: a length, a JSON header, numbers. Floats only."""

import math
import struct
from pathlib import Path

import msgspec
import torch
from torch import Tensor

_DTYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
}  # fmt: skip


class _Entry(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def read(path: Path) -> dict[str, Tensor]:
    """The tensors by name.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is none, or not whole; the text says what is wrong.
    """
    data = bytearray(path.read_bytes())
    if len(data) < 8:
        raise ValueError("it is shorter than its header")
    (length,) = struct.unpack_from("<Q", data)
    if length > len(data) - 8:
        raise ValueError("it is shorter than its header")
    header = msgspec.json.decode(bytes(data[8 : 8 + length]), type=dict[str, msgspec.Raw])
    header.pop("__metadata__", None)
    found: dict[str, Tensor] = {}
    for name, raw in header.items():
        entry = msgspec.json.decode(raw, type=_Entry)
        begin, end = entry.data_offsets
        dtype = _DTYPES.get(entry.dtype)
        if dtype is None:
            raise ValueError(f"{name} is of type {entry.dtype}")
        count = math.prod(entry.shape)
        if end - begin != count * dtype.itemsize or not 0 <= begin <= end <= len(data) - 8 - length:
            raise ValueError(f"{name} is not whole")
        # Copied, since a tensor of one type may begin where another could not.
        part = data[8 + length + begin : 8 + length + end]
        found[name] = (
            torch.frombuffer(part, dtype=dtype) if count else torch.empty(0, dtype=dtype)
        ).reshape(entry.shape)
    return found
