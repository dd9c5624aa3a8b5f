"""Messages to frames and back.

A message is one MessagePack body followed by one frame per array. In the body an array is the
extension type 1 with ``[dtype, shape, frame]``; its data is never copied into the body. What is
read back are read-only views of the received frames, so copy what you keep: a view pins the whole
frame in memory.

What does not decode raises `CodecError` with one sentence, whatever the bytes were.
"""

import hashlib
import threading
from collections.abc import Sequence
from typing import Any, TypeVar, cast

import msgpack  # pyright: ignore[reportMissingTypeStubs]
import msgspec
import numpy as np
import numpy.typing as npt

MAX_BODY = 16 << 20
"""Bytes of MessagePack in one message."""
MAX_ARRAY = 64 << 20
"""Bytes of one array."""
MAX_ARRAYS = 256
"""Arrays in one message."""
MAX_MESSAGE = 128 << 20
"""Bytes of one message, its arrays included."""
MAX_DIMENSIONS = 16

DTYPES: dict[str, np.dtype[Any]] = {
    np.dtype(name).str: np.dtype(name)
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64"),
    )
}
"""What an array may be made of, by the name on the wire (``<f4``). Little-endian numbers only."""

Frames = list[Any]
"""``[body, array, ...]``; the arrays still are the caller's memory."""

_EXTENSION = 1
_Type = TypeVar("_Type")


class CodecError(ValueError):
    """A message that cannot be written or read; the text names the field and the reason."""


class _Thread(threading.local):
    """Encoders, decoders and the arrays of the message at hand, per thread: no locks."""

    def __init__(self) -> None:
        self.written: list[npt.NDArray[Any]] = []
        self.read: Sequence[Any] = ()
        self.encoder = msgspec.msgpack.Encoder(enc_hook=_write_other)
        self.decoders: dict[Any, msgspec.msgpack.Decoder[Any]] = {}


_places = msgspec.msgpack.Encoder()
_place = msgspec.msgpack.Decoder(tuple[str, tuple[int, ...], int])


def _write_other(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        array = cast("npt.NDArray[Any]", value)
        if hasattr(array, "mask"):  # one of numpy.ma, which is loaded only where it is used
            raise ValueError("a masked array cannot be sent, as its mask would be lost")
        if array.ndim > MAX_DIMENSIONS:
            raise ValueError(
                f"an array of {array.ndim} dimensions cannot be sent; at most {MAX_DIMENSIONS}"
            )
        name = array.dtype.str
        if name not in DTYPES:
            little = array.dtype.newbyteorder("<")
            if little.str not in DTYPES:
                raise ValueError(f"an array of dtype {array.dtype} cannot be sent")
            array, name = array.astype(little), little.str
        if array.nbytes > MAX_ARRAY:
            raise ValueError(
                f"an array of {array.nbytes} bytes is too large to be sent; at most {MAX_ARRAY}"
            )
        written = _thread.written
        if len(written) == MAX_ARRAYS:
            raise ValueError(f"more than {MAX_ARRAYS} arrays cannot be sent in one message")
        shape = array.shape
        written.append(array if array.flags.c_contiguous else np.ascontiguousarray(array))
        return msgspec.msgpack.Ext(_EXTENSION, _places.encode((name, shape, len(written) - 1)))
    if isinstance(value, np.generic):
        number = cast("np.generic[Any]", value).item()
        if not isinstance(number, np.generic):  # as that of a long double is
            return number
    raise TypeError(f"a {type(cast(object, value)).__name__} cannot be sent")


def _read_array(data: Any, frames: Sequence[Any]) -> npt.NDArray[Any]:
    try:
        name, shape, index = _place.decode(data)
    except msgspec.DecodeError as error:
        raise ValueError("the description of an array is malformed") from error
    dtype = DTYPES.get(name)
    if dtype is None:
        raise ValueError(f"an array of dtype {name[:20]!r} is not accepted")
    if not 0 <= index < len(frames):
        raise ValueError(f"array frame {index} is missing; the message has {len(frames)}")
    if len(shape) > MAX_DIMENSIONS:  # before they are multiplied: a product of many takes hours
        raise ValueError(f"an array of {len(shape)} dimensions; at most {MAX_DIMENSIONS}")
    count = 1
    for size in shape:
        if size < 0:
            raise ValueError("an array has a negative size")
        count *= size
    frame = frames[index]
    buffer = frame if isinstance(frame, bytes) else memoryview(frame)
    held = len(buffer) if isinstance(buffer, bytes) else buffer.nbytes
    if held != count * dtype.itemsize:
        raise ValueError(f"an array of {name} {list(shape)[:8]} does not fit its {held} bytes")
    array = np.ndarray(shape, dtype, buffer)
    if not array.flags.aligned:  # a small frame may start anywhere in ZeroMQ's receive buffer
        array = array.copy()
    array.flags.writeable = False
    return array


def _read_other(kind: Any, value: Any) -> Any:
    if isinstance(value, msgspec.msgpack.Ext) and value.code == _EXTENSION:
        return _read_array(value.data, _thread.read)
    raise ValueError(f"expected an array, got {type(value).__name__}")


_thread = _Thread()


def encode(message: Any) -> Frames:
    """Write a message as ``[body, array, ...]``.

    The arrays are C-contiguous and, where they already were, the caller's own memory: send or
    `snapshot` them before the caller goes on.

    Raises:
        CodecError: the message holds something that cannot be sent.
    """
    thread = _thread
    thread.written = arrays = []
    try:
        body = thread.encoder.encode(message)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise CodecError(f"{type(message).__name__} cannot be written: {error}") from error
    if len(body) > MAX_BODY:
        raise CodecError(
            f"{type(message).__name__} is {len(body)} bytes long; at most {MAX_BODY} can be sent"
        )
    if (size := len(body) + sum(map(_size, cast("list[npt.NDArray[Any]]", arrays)))) > MAX_MESSAGE:
        raise CodecError(
            f"{type(message).__name__} is {size} bytes long with its arrays; at most {MAX_MESSAGE} "
            "can be sent"
        )
    return [body, *arrays]


def _size(array: npt.NDArray[Any]) -> int:
    return array.nbytes


def snapshot(frames: Frames) -> list[bytes]:
    """The frames as bytes of their own, to be kept or stored."""
    return [
        frame
        if isinstance(frame, bytes)
        else cast("npt.NDArray[Any]", frame).tobytes()
        if isinstance(frame, np.ndarray)
        else bytes(memoryview(frame))
        for frame in frames
    ]


def decode(kind: type[_Type], frames: Sequence[Any]) -> _Type:
    """Read and check a message of a known type from ``[body, array, ...]``.

    Raises:
        CodecError: what came is not such a message.
    """
    thread = _thread
    decoder = thread.decoders.get(kind)
    if decoder is None:
        decoder = msgspec.msgpack.Decoder(kind, dec_hook=_read_other)
        thread.decoders[kind] = decoder
    body = _body(frames)
    thread.read = frames[1:]
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise CodecError(f"not a {_name(kind)}: {_sentence(error)}") from error
    finally:
        thread.read = ()


def decode_untyped(frames: Sequence[Any]) -> Any:
    """Read a message of unknown type as plain dicts, lists and arrays.

    Raises:
        CodecError: what came is not MessagePack, or an array of it is malformed.
    """
    body, arrays = _body(frames), frames[1:]

    def read_extension(code: int, data: bytes) -> Any:
        return _read_array(data, arrays) if code == _EXTENSION else f"<extension {code}>"

    try:
        return msgpack.unpackb(  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            body, ext_hook=read_extension, strict_map_key=False
        )
    except Exception as error:  # msgpack raises half a dozen unrelated types
        raise CodecError(f"not MessagePack: {_sentence(error)}") from error


def fingerprint(*kinds: type[Any]) -> str:
    """Eight hexadecimal digits that differ when the schema of a type differs."""
    schemas, components = msgspec.json.schema_components(kinds, schema_hook=_array_schema)
    text = msgspec.json.encode([schemas, components], order="sorted")
    return hashlib.blake2s(text, digest_size=4).hexdigest()


def _array_schema(kind: Any) -> dict[str, Any]:
    return {"type": "array", "format": str(kind)}


def _body(frames: Sequence[Any]) -> Any:
    if not frames:
        raise CodecError("the message has no body")
    if len(frames) - 1 > MAX_ARRAYS:
        raise CodecError(f"the message has {len(frames) - 1} arrays; at most {MAX_ARRAYS}")
    body = frames[0]
    if len(body) > MAX_BODY:
        raise CodecError(f"the body is {len(body)} bytes long; at most {MAX_BODY} are read")
    return body


def _name(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind))


def _sentence(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
