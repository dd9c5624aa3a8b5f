"""A message of the bus as the one MessagePack map that a bag stores, and back.

On the bus a message is a body and a frame for each array (messages/codec.py). In a bag the arrays
are a further field of the body's map, ``_arrays``, and the id of the goal that it is about is
another, ``_goal``. Both are appended without decoding the body or copying an array.
"""

import struct
from collections.abc import Sequence
from typing import Any

import msgspec

from messages.codec import Frames
from messages.undecodable import UNDECODABLE

_GOAL, _ARRAYS = "_goal", "_arrays"
_GOAL_KEY, _ARRAYS_KEY = msgspec.msgpack.encode(_GOAL), msgspec.msgpack.encode(_ARRAYS)

_fields = msgspec.msgpack.Decoder(dict[str, msgspec.Raw])
_array_list = msgspec.msgpack.Decoder(list[bytes])
_whole = msgspec.msgpack.Decoder(msgspec.Raw)


class NoMap(ValueError):
    """A body that is no MessagePack map."""


def joined(frames: Sequence[Any], goal: str) -> list[Any]:
    """The pieces of the map, to be written one after the other. Raises NoMap."""
    body = frames[0]
    more = bool(goal) + (len(frames) > 1)
    size, at = _map_size(body)
    if not more:
        return [body]
    parts = [_map_head(size + more), memoryview(body)[at:]]
    if goal:
        parts.append(_GOAL_KEY + msgspec.msgpack.encode(goal))
    if len(frames) > 1:
        before = _ARRAYS_KEY + _list_head(len(frames) - 1)
        for frame in frames[1:]:
            parts += [before + struct.pack(">BI", 0xC6, memoryview(frame).nbytes), frame]
            before = b""
    return parts


def parted(data: bytes) -> tuple[Frames, str]:
    """The frames of the message on the bus, and the goal that it is about. Raises NoMap."""
    try:
        fields = _fields.decode(data)
        goal = msgspec.msgpack.decode(fields.pop(_GOAL, b"\xa0"), type=str)
        arrays = _array_list.decode(fields.pop(_ARRAYS, b"\x90"))
    except UNDECODABLE as error:
        raise NoMap(str(error)) from None
    return [msgspec.msgpack.encode(fields), *arrays], goal


def is_map(data: bytes) -> bool:
    """Whether ``data`` is one whole MessagePack map."""
    try:
        _map_size(data)
        _whole.decode(data)
    except (NoMap, *UNDECODABLE):
        return False
    return True


def _map_size(body: Any) -> tuple[int, int]:
    """The entries of a map, and where they begin."""
    first = body[0] if len(body) else 0
    if first & 0xF0 == 0x80:
        return first & 0x0F, 1
    if first == 0xDE and len(body) >= 3:
        return int.from_bytes(body[1:3], "big"), 3
    if first == 0xDF and len(body) >= 5:
        return int.from_bytes(body[1:5], "big"), 5
    raise NoMap("the body is no MessagePack map")


def _map_head(size: int) -> bytes:
    if size < 16:
        return bytes([0x80 | size])
    return struct.pack(">BH", 0xDE, size) if size < 1 << 16 else struct.pack(">BI", 0xDF, size)


def _list_head(size: int) -> bytes:
    return bytes([0x90 | size]) if size < 16 else struct.pack(">BH", 0xDC, size)
