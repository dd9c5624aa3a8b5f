"""Recorded messages as plain values: for JSON, for tables."""

from typing import Any

import msgspec
import numpy as np

from messages.codec import CodecError, decode_untyped
from messages.undecodable import UNDECODABLE
from rlgpt.bags import mcap_records
from rlgpt.bags.bag_reader import Recorded
from rlgpt.bags.message_maps import NoMap, parted

ENCODINGS = (mcap_records.ENCODING, "json")
"""Those that `value_of` reads."""
MAX_VALUES = 1024
"""Numbers of an array that are written; a larger one is described by its type and shape."""


def value_of(message: Recorded) -> dict[str, Any] | None:
    """The message as dicts, lists, numbers and arrays; None if it cannot be read. The goal that it
    is about is its ``_goal``."""
    if message.channel.encoding == "json":
        return _from_json(message.data)
    if message.channel.encoding != mcap_records.ENCODING:
        return None
    try:
        frames, goal = parted(message.data)
        value = decode_untyped(frames)
    except (NoMap, CodecError):
        return None
    return {**value, "_goal": goal} if goal else value


def json_of(value: Any) -> bytes:
    """A value as JSON. Bytes become base64, and what is no number (NaN) null."""

    def other(inner: Any) -> Any:
        if isinstance(inner, np.ndarray):
            about: dict[str, Any] = {"dtype": str(inner.dtype), "shape": list(inner.shape)}
            return about | ({"values": inner.tolist()} if inner.size <= MAX_VALUES else {})
        return str(inner)

    return msgspec.json.encode(value, enc_hook=other)


def columns_of(value: Any, name: str = "") -> dict[str, Any]:
    """The fields of a message by their paths, ``spec.horizon``, as the cells of a row. Lists and
    arrays are JSON."""
    if isinstance(value, dict) and value:
        found: dict[str, Any] = {}
        for key, inner in value.items():
            found |= columns_of(inner, f"{name}.{key}" if name else str(key))
        return found
    if isinstance(value, list | dict | np.ndarray | bytes):
        return {name: json_of(value).decode()}
    return {name: value}


def _from_json(data: bytes) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(data)
    except UNDECODABLE:
        return None
    return value if isinstance(value, dict) else None
