"""What the first bytes of a safetensors file say: the length of a table, and the table of where
each tensor is and of what shape."""

from pathlib import Path

import msgspec

from messages.bounds import NotNegative
from messages.undecodable import UNDECODABLE

_READ = 4096  # bytes that a reader of `starts` takes at each
_LONGEST = 100_000_000  # bytes of a table


class _Tensor(msgspec.Struct):
    """A row of the table. ``data_offsets``: its first byte and the one after its last, from the
    table's end."""

    dtype: str
    shape: list[NotNegative]
    data_offsets: tuple[NotNegative, NotNegative]


def cut(path: Path) -> str:
    """What is wrong with the file by its own table, in words; "" where nothing is."""
    if not path.is_file():  # as of a copied cache of Hugging Face's, whose files are links
        return "is no file, or a link to one that is not there"
    size = path.stat().st_size
    try:
        length, table = _table(path)
    except ValueError:
        return "is no safetensors file"
    whole = 8 + length + max((row.data_offsets[1] for row in table.values()), default=0)
    return f"has {size:,} bytes of {whole:,}" if size < whole else ""


def shapes(path: Path) -> dict[str, list[int]]:
    """The tensors of a whole file, by name, but for those of integers: packed, as by
    bitsandbytes, they have another shape than what they stand for."""
    rows = _table(path)[1].items()
    return {name: row.shape for name, row in rows if row.dtype.startswith(("F", "BF"))}


def starts(path: Path) -> list[int]:
    """The first bytes of the table's parts and of each tensor, in their order. Raises ValueError
    where the file has no table."""
    length, table = _table(path)
    begin = sorted(8 + length + row.data_offsets[0] for row in table.values())
    return [*range(0, 8 + length, _READ), *begin]


def _table(path: Path) -> tuple[int, dict[str, _Tensor]]:
    """The length of the table, and its rows. Raises ValueError where there is none."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= min(path.stat().st_size, _LONGEST):
            raise ValueError("there is no table")
        try:
            rows = msgspec.json.decode(file.read(length), type=dict[str, msgspec.Raw])
            rows.pop("__metadata__", None)
            table = {name: msgspec.json.decode(row, type=_Tensor) for name, row in rows.items()}
        except UNDECODABLE as error:
            raise ValueError(str(error)) from None
    return length, table
