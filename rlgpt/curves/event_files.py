"""Reads the scalars of TensorBoard's event files, fast and only what was added.

A file is a row of records: length (8 bytes), its checksum (4), the event, its checksum (4). The
events of one curve look alike but for their numbers, so all of one length are compared with the
first of them and read as columns, where the library of TensorBoard decodes each by itself. What
does not look as our learner writes it is left out.
"""

import struct
from pathlib import Path
from typing import Any

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
        self._parts: dict[str, list[Columns]] = {}
        self.at = 0
        """Bytes that were read so far."""

    @property
    def unread(self) -> int:
        """Bytes that were added since."""
        try:
            return max(self._path.stat().st_size - self.at, 0)
        except OSError:
            return 0

    def read(self) -> dict[str, Columns]:
        """Each curve by its tag, in the order it was written in."""
        try:
            with self._path.open("rb") as file:
                file.seek(self.at)
                data = file.read()
        except OSError:
            data = b""
        found, end = scalars(data)
        self.at += end
        for tag, columns in found:
            self._parts.setdefault(tag, []).append(columns)
        for tag, parts in self._parts.items():
            if len(parts) > 1:
                joined = tuple(np.concatenate(each) for each in zip(*parts, strict=True))
                self._parts[tag] = [joined]  # type: ignore[list-item]
        return {tag: parts[0] for tag, parts in self._parts.items()}


def scalars(data: bytes) -> tuple[list[tuple[str, Columns]], int]:
    """The curves of whole records, and where the last of these ends."""
    starts, lengths, end = _records(data)
    return _scalars(data, starts, lengths), end


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
        same = cycles * period
        for place, (first, length) in enumerate(zip(places[:-1], cycle, strict=True)):
            found = _column(data, at + int(first), int(places[-1]), cycles, "<u8")
            wrong = np.flatnonzero(found != np.uint64(length))
            if len(wrong):
                same = min(same, int(wrong[0]) * period + place)
        starts = (at + places[:-1] + places[-1] * np.arange(cycles)[:, None]).ravel()
        return (starts[:same] + 12, np.tile(cycle, cycles)[:same]) if same else None
    return None


def _scalars(
    data: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> list[tuple[str, Columns]]:
    by_tag: dict[str, list[tuple[NDArray[np.int64], Columns]]] = {}
    for length in np.flatnonzero(np.bincount(lengths)).tolist():
        places = starts[lengths == length]
        while len(places):
            layout = _layout(data[places[0] : places[0] + length])
            rows = _Rows(data, places, length)
            same = np.ones(len(places), bool)
            if layout is None:
                same[1:] = False
            else:
                for first, last in layout.fixed:
                    rows.compare(first, last, same)
                columns = tuple(column[same] for column in layout.columns(rows))
                by_tag.setdefault(layout.tag, []).append((places[same], columns))  # type: ignore[arg-type]
            places = places[~same]
    return [(tag, _in_order(parts)) for tag, parts in by_tag.items()]


class _Rows:
    """Events of one length, column by column. Where they lie at equal distances they are read in
    place, else they are copied."""

    def __init__(self, data: bytes, places: NDArray[np.int64], length: int) -> None:
        self.count = len(places)
        self._data, self._first, self._step = data, int(places[0]), length
        steps = np.diff(places)
        if len(steps) and (steps == steps[0]).all():
            self._step = int(steps[0])
        elif len(steps):
            windows = sliding_window_view(np.frombuffer(data, np.uint8), length)
            self._data, self._first = windows[places].tobytes(), 0

    def column(self, at: int, kind: str) -> NDArray[Any]:
        """The number that begins at byte ``at`` of each."""
        return _column(self._data, self._first + at, self._step, self.count, kind)

    def compare(self, first: int, last: int, same: NDArray[np.bool_]) -> None:
        """Clear ``same`` where bytes ``first`` to ``last`` are not as in the first event."""
        while first < last:
            kind, size = next((k, n) for k, n in _SIZES if n <= last - first)
            column = self.column(first, kind)
            same &= column == column[0]
            first += size


_SIZES = (("<u8", 8), ("<u4", 4), ("<u2", 2), ("u1", 1))


def _column(data: bytes, first: int, step: int, count: int, kind: str) -> NDArray[Any]:
    return np.ndarray((count,), kind, data, first, (step,))


def _in_order(parts: list[tuple[NDArray[np.int64], Columns]]) -> Columns:
    if len(parts) == 1:
        return parts[0][1]
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

    def columns(self, rows: _Rows) -> Columns:
        steps = np.zeros(rows.count, np.int64)
        if self.step is not None:
            for place, column in enumerate(range(*self.step)):  # seven bits each, the lowest first
                steps |= (rows.column(column, "u1").astype(np.int64) & 0x7F) << (7 * place)
        times = np.zeros(rows.count) if self.time is None else rows.column(self.time, "<f8")
        return steps, rows.column(self.value, "<f4").astype(np.float64), times.astype(np.float64)


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
