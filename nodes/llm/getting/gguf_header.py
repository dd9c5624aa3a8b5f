"""What a GGUF file says of itself, read before anything is fetched or installed for it."""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from nodes.llm.getting.refusals import Refused

_HEADER = struct.Struct("<4sIQQ")  # GGUF's own: magic, version, tensors, keys and values
_VERSIONS = (2, 3)
_LEAST = 12  # bytes that a key or a tensor's description takes
_NUMBERS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of a value by its type."""
_TEXT, _ARRAY = 8, 9
_LONGEST = 1 << 20  # bytes of a text that is kept; a chat template has some thousand
_OPEN = {"apache-2.0", "mit", "bsd-2-clause", "bsd-3-clause", "cc0-1.0", "unlicense"}
"""Licences that need no agreement first."""


@dataclass(frozen=True)
class GgufHeader:
    """``licence``: its name, empty where none is stated."""

    licence: str
    chat_template: bool


def read_header(file: Path) -> GgufHeader:
    """Raises Refused where the file is no GGUF file, is shorter than it says, or cannot be read."""
    try:
        with file.open("rb") as opened:
            size = file.stat().st_size
            keys = _keys(file, opened, size)
            texts = _texts(opened, keys, size)
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}") from None
    except (EOFError, UnicodeDecodeError):
        raise Refused(f"{file} is no whole GGUF file: download it again") from None
    return GgufHeader(
        licence=texts.get("general.license", ""),
        chat_template=bool(texts.get("tokenizer.chat_template", "").strip()),
    )


def check_usable(file: Path, header: GgufHeader, accepted: Iterable[str]) -> None:
    """Raises Refused for a model that cannot be asked questions, and for a licence that asks for
    an agreement which is not among those that were ``accepted``."""
    if not header.chat_template:
        raise Refused(
            f"{file.name} is not used: its tokenizer has no chat template: it is a base model, "
            "take an instruct one"
        )
    licence = header.licence
    if licence and licence.lower() not in {*_OPEN, *(name.lower() for name in accepted)}:
        raise Refused(
            f"{file.name} is not used: its licence is {licence}: read it, and if you agree add "
            f"--accept-licence {licence}"
        )


def _keys(file: Path, opened: BinaryIO, size: int) -> int:
    """How many keys follow the file's first bytes."""
    first = opened.read(_HEADER.size)
    if len(first) < _HEADER.size or not first.startswith(b"GGUF"):
        raise Refused(f"{file} is no GGUF file")
    _, version, tensors, keys = _HEADER.unpack(first)
    if version not in _VERSIONS:
        raise Refused(f"{file} is a GGUF file of version {version}; 2 and 3 can be read")
    if (tensors + keys) * _LEAST > size:
        raise EOFError
    return keys


def _texts(opened: BinaryIO, keys: int, size: int) -> dict[str, str]:
    """The values that are texts, by key. Raises EOFError where a length points past the end."""
    found: dict[str, str] = {}
    for _ in range(keys):
        key = _text(opened, size)
        (kind,) = struct.unpack("<I", _exactly(opened, 4))
        if kind == _TEXT:
            found[key] = _text(opened, size)
        else:
            _skip(opened, kind, size)
    return found


def _skip(opened: BinaryIO, kind: int, size: int) -> None:
    if kind == _TEXT:
        _pass_over(opened, _length(opened), size)
    elif kind == _ARRAY:
        of, count = struct.unpack("<IQ", _exactly(opened, 12))
        if of in _NUMBERS:
            _pass_over(opened, count * _NUMBERS[of], size)
            return
        if of != _TEXT or count > size:
            raise EOFError
        for _ in range(count):
            _skip(opened, of, size)
    elif kind in _NUMBERS:
        _pass_over(opened, _NUMBERS[kind], size)
    else:
        raise EOFError


def _text(opened: BinaryIO, size: int) -> str:
    length = _length(opened)
    if length > _LONGEST:
        _pass_over(opened, length, size)
        return ""
    return _exactly(opened, length).decode()


def _length(opened: BinaryIO) -> int:
    return struct.unpack("<Q", _exactly(opened, 8))[0]


def _exactly(opened: BinaryIO, count: int) -> bytes:
    read = opened.read(count)
    if len(read) < count:
        raise EOFError
    return read


def _pass_over(opened: BinaryIO, count: int, size: int) -> None:
    if count > size - opened.tell():
        raise EOFError
    opened.seek(count, 1)
