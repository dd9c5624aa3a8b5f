"""A large event file in a moment: its curves from a hundred small parts of it, for a first picture
while the whole is read.

A part begins anywhere in the file; where its first record begins is found by a chain of records
that follow each other.
"""

from pathlib import Path

import numpy as np

from rlgpt.curves.event_files import Columns, scalars

_PARTS = 128
_PART = 16 << 10  # bytes
_HEADER = 12  # of a record: its event's length and the checksum of that
_LONGEST = _PART // 4  # of one record
_SHORTEST = 20
_CHAIN = 4  # records in a row that are no accident


def skim(path: Path) -> dict[str, Columns]:
    """Some of the points of each curve, in the order they were written in; the first and the last
    ones of the file are among them. Curves that were seldom written may be missing."""
    parts: dict[str, list[Columns]] = {}
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            for at in _offsets(size):
                file.seek(at)
                data = file.read(_PART)
                begin = 0 if at == 0 else _first_record(data)
                if begin is None:
                    continue
                for tag, columns in scalars(data[begin:])[0]:
                    parts.setdefault(tag, []).append(columns)
    except OSError:
        pass  # what was read until then
    return {
        tag: tuple(np.concatenate(each) for each in zip(*columns, strict=True))  # type: ignore[misc]
        for tag, columns in parts.items()
    }


def _offsets(size: int) -> list[int]:
    """Where the parts begin: they do not overlap, and one ends with the file."""
    count = min(_PARTS, max(size // _PART, 1))
    return [int(at) for at in np.linspace(0, max(size - _PART, 0), count)]


def _first_record(data: bytes) -> int | None:
    """Where the first whole record begins in data that begins anywhere."""
    octets = np.frombuffer(data, np.uint8)
    last = len(octets) - _HEADER - 1
    if last < 1:
        return None
    length = np.zeros(last, np.int64)
    for place in range(3):
        length |= octets[place : last + place].astype(np.int64) << (8 * place)
    fits = (length >= _SHORTEST) & (length <= _LONGEST)
    for place in range(3, 8):
        fits &= octets[place : last + place] == 0
    fits &= octets[_HEADER : last + _HEADER] == 0x09  # an event begins with its time
    for begin in np.flatnonzero(fits).tolist():
        at, found = begin, 0
        while at < last and fits[at] and found < _CHAIN:
            at += int(length[at]) + _HEADER + 4
            found += 1
        if found == _CHAIN:
            return begin
    return None
