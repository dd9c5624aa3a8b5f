"""Reads the scalars of TensorBoard's event files, fast and only what was added.

A file is a row of records: length (8 bytes), its checksum (4), the event, its checksum (4). The
events of one curve look alike but for their numbers, so all of one length are compared with the
first of them and read as columns: a million in about a second, where the library of TensorBoard
takes a minute. What does not look as our learner writes it is left out.
"""

import struct
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Columns = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]
"""Steps, values, times (seconds since the epoch)."""

_LENGTH = struct.Struct("<Q")
_LONGEST = 1 << 20  # of one record: a longer one is none of ours
_LOOKED_AT = 64  # records that are read one by one before it is seen whether they repeat


class EventFile:
    """One file, read on from where the last reading ended."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0
        self._parts: dict[str, list[Columns]] = {}

    def read(self) -> dict[str, Columns]:
        """Each curve by its tag, in the order it was written in."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._at)
                data = file.read()
        except OSError:
            data = b""
        starts, lengths, end = _records(data)
        self._at += end
        for tag, columns in _scalars(data, starts, lengths):
            self._parts.setdefault(tag, []).append(columns)
        for tag, parts in self._parts.items():
            if len(parts) > 1:
                joined = tuple(np.concatenate(each) for each in zip(*parts, strict=True))
                self._parts[tag] = [joined]  # type: ignore[list-item]
        return {tag: parts[0] for tag, parts in self._parts.items()}


def _records(data: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Where the whole records begin, their lengths, and where the last of them ends."""
    parts: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    at, end, unpack = 0, len(data), _LENGTH.unpack_from
    while True:
        starts: list[int] = []
        lengths: list[int] = []
        while at + 16 <= end and len(starts) < _LOOKED_AT:
            (length,) = unpack(data, at)
            if length > _LONGEST:
                at = end  # damaged: nothing behind it can be read
                break
            if at + 16 + length > end:
                break
            starts.append(at + 12)
            lengths.append(length)
            at += 16 + length
        parts.append((np.array(starts, np.int64), np.array(lengths, np.int64)))
        if len(starts) < _LOOKED_AT:
            break
        repeated = _repeated(data, at, lengths)
        if repeated is not None:
            parts.append(repeated)
            at = int(repeated[0][-1] + repeated[1][-1] + 4)
    starts_of, lengths_of = zip(*parts, strict=True)
    return np.concatenate(starts_of), np.concatenate(lengths_of), at


def _repeated(
    data: bytes, at: int, lengths: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The records from ``at`` on as far as they repeat the last ``lengths``: a learner writes its
    curves in turn, so that a period of some records goes on for long. None: they do not."""
    for period in range(1, _LOOKED_AT // 2 + 1):
        cycle = np.array(lengths[-period:], np.int64)
        if lengths[-period:] != lengths[-2 * period : -period]:
            continue
        places = np.concatenate([[0], np.cumsum(cycle + 16)])
        cycles = (len(data) - at) // int(places[-1])
        if cycles < 2:
            return None
        starts = (at + places[:-1] + places[-1] * np.arange(cycles)[:, None]).ravel()
        expected = np.tile(cycle, cycles)
        rows = sliding_window_view(np.frombuffer(data, np.uint8), 8)[starts]
        found = rows.view("<u8")[:, 0]
        wrong = np.flatnonzero(found != expected.astype(np.uint64))
        same = int(wrong[0]) if len(wrong) else len(found)
        return (starts[:same] + 12, expected[:same]) if same else None
    return None


def _scalars(
    data: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> list[tuple[str, Columns]]:
    found: list[tuple[NDArray[np.int64], str, Columns]] = []
    everything = np.frombuffer(data, np.uint8)
    for length in np.unique(lengths).tolist():
        places = starts[lengths == length]
        while len(places):
            layout = _layout(data[places[0] : places[0] + length])
            rows = sliding_window_view(everything, length)[places]
            same = np.ones(len(places), bool)
            if layout is None:
                same[1:] = False
            else:
                for first, last in layout.fixed:
                    same &= (rows[:, first:last] == rows[0, first:last]).all(1)
                found.append((places[same], layout.tag, layout.columns(rows[same])))
            places = places[~same]
    by_tag: dict[str, list[tuple[NDArray[np.int64], Columns]]] = {}
    for places, tag, columns in found:
        by_tag.setdefault(tag, []).append((places, columns))
    return [(tag, _in_order(parts)) for tag, parts in by_tag.items()]


def _in_order(parts: list[tuple[NDArray[np.int64], Columns]]) -> Columns:
    order = np.argsort(np.concatenate([places for places, _ in parts]))
    steps, values, times = zip(*(columns for _, columns in parts), strict=True)
    return np.concatenate(steps)[order], np.concatenate(values)[order], np.concatenate(times)[order]


class _Layout:
    """Where the numbers of an event are: ``time`` and ``value`` are offsets, ``step`` first and
    behind last byte. An event without a time or a step has 0 there."""

    def __init__(
        self, tag: str, size: int, time: int | None, step: tuple[int, int] | None, value: int
    ) -> None:
        self.tag, self.time, self.step, self.value = tag, time, step, value
        varying = [(value, value + 4)]
        if step is not None:
            varying.append(step)
        if time is not None:
            varying.append((time, time + 8))
        varying.sort()
        edges = [0, *(edge for part in varying for edge in part), size]
        self.fixed = list(zip(edges[::2], edges[1::2], strict=True))

    def columns(self, rows: NDArray[np.uint8]) -> Columns:
        def numbers(at: int, kind: str) -> NDArray[np.float64]:
            size = np.dtype(kind).itemsize
            return np.ascontiguousarray(rows[:, at : at + size]).view(kind)[:, 0].astype(np.float64)

        steps = np.zeros(len(rows), np.int64)
        if self.step is not None:
            for place, column in enumerate(range(*self.step)):  # seven bits each, the lowest first
                steps |= (rows[:, column].astype(np.int64) & 0x7F) << (7 * place)
        times = np.zeros(len(rows)) if self.time is None else numbers(self.time, "<f8")
        return steps, numbers(self.value, "<f4"), times


def _layout(event: bytes) -> _Layout | None:
    """Of an event with one scalar in it; None for any other."""
    try:
        time = step = value = tag = None
        for field, first, last in _fields(event, 0, len(event)):
            if field == 1:
                time = first
            elif field == 2:
                step = (first, last)
            elif field == 5:
                ((_, inner, end),) = _fields(event, first, last)
                for part, begins, ends in _fields(event, inner, end):
                    if part == 1:
                        tag = event[begins:ends].decode()
                    elif part == 2:
                        value = begins
    except (ValueError, IndexError):
        return None
    if value is None or tag is None:
        return None
    return _Layout(tag, len(event), time, step, value)


def _fields(data: bytes, at: int, end: int) -> list[tuple[int, int, int]]:
    """The fields of a message in the wire format of protocol buffers: number, first and behind
    last byte of its value. Raises ValueError, IndexError for what is none."""
    found: list[tuple[int, int, int]] = []
    while at < end:
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            _, after = _varint(data, at)
        elif kind == 1:
            after = at + 8
        elif kind == 2:
            length, at = _varint(data, at)
            after = at + length
        elif kind == 5:
            after = at + 4
        else:
            raise ValueError("no such type of field")
        if after > end:
            raise ValueError("a field is cut off")
        found.append((key >> 3, at, after))
        at = after
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number is too long")
