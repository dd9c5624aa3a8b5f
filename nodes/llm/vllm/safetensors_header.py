"""What the first bytes of a safetensors file say: the length of a table, and the table of where
each tensor is and of what shape."""

from pathlib import Path
from typing import Any

import msgspec

from messages.undecodable import UNDECODABLE

_READ = 4096  # bytes that a reader of `starts` takes at each
_LONGEST = 100_000_000  # bytes of a table


def cut(path: Path) -> str:
    """What is wrong with the file by its own table, in words; "" where nothing is."""
    size = path.stat().st_size
    try:
        length, table = _table(path)
        ends = [row["data_offsets"][1] for row in table.values()]
    except (KeyError, TypeError, IndexError, ValueError):
        return "is no safetensors file"
    whole = 8 + length + max(ends, default=0)
    return f"has {size:,} bytes of {whole:,}" if size < whole else ""


def shapes(path: Path) -> dict[str, list[int]]:
    """The tensors of a whole file, by name, but for those of integers: packed, as by
    bitsandbytes, they have another shape than what they stand for."""
    rows = _table(path)[1].items()
    return {name: row["shape"] for name, row in rows if row["dtype"].startswith(("F", "BF"))}


def starts(path: Path) -> list[int]:
    """The first bytes of the table's parts and of each tensor, in their order. Raises ValueError
    where the file has no table."""
    length, table = _table(path)
    try:
        begin = sorted(8 + length + row["data_offsets"][0] for row in table.values())
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(str(error)) from None
    return [*range(0, 8 + length, _READ), *begin]


def _table(path: Path) -> tuple[int, dict[str, Any]]:
    """The length of the table, and its rows. Raises ValueError where there is none."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= min(path.stat().st_size, _LONGEST):
            raise ValueError("there is no table")
        try:
            table = msgspec.json.decode(file.read(length), type=dict[str, Any])
        except UNDECODABLE as error:
            raise ValueError(str(error)) from None
    return length, {name: row for name, row in table.items() if name != "__metadata__"}
