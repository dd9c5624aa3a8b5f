"""The header before every body: enough to route, count and echo a message of unknown type."""

from typing import Literal

import msgspec

from messages.codec import CodecError

VERSION = 1
SAME_VERSION = "both ends have to run the same version of this software"
MAX_HEADER = 8192
"""Bytes."""

Kind = Literal["request", "check", "reply", "working", "error", "message", "latched"]
"""``check`` asks whether a request is still being worked on; ``working`` confirms it.
``latched``: a topic's last value, sent again to a new subscriber."""


class Header(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Fields may be added at the end; an older reader ignores them."""

    version: int
    kind: Kind
    endpoint: str
    client: str  # the sending client's id; of a topic's message, the sender's epoch
    id: int  # of that client's request, or of the message of that topic in that epoch; it grows
    epoch: str  # the sender's: new with each start of a process
    time: float  # seconds since 1970 by the sender's clock
    goal: str = ""  # the action goal that this is about
    again: str | None = None  # a repeated request: the epoch it was sent to first, "" if unknown
    code: str = ""  # of an error, or a goal's state
    text: str = ""  # of an error: one sentence


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Header)

encode_header = _encoder.encode


def decode_header(data: bytes) -> Header:
    """Raises CodecError where the bytes are no header."""
    if len(data) > MAX_HEADER:
        raise CodecError(f"the header is {len(data)} bytes long; at most {MAX_HEADER} are read")
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise CodecError(f"not a header: {' '.join(str(error).split())[:200]}") from error
