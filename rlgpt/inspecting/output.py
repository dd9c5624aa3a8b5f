"""What the commands print: a table for people, or JSON for programs."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from nodes.common.running.plain_text import plain_json
from rlgpt.terminal import plain_table, print_plain, print_table

Row = Mapping[str, Any]


def print_rows(rows: Sequence[Row], columns: Mapping[str, str], as_json: bool) -> None:
    """Print rows. ``columns``: for each column of the table its title and a row's key; with
    ``as_json`` every row is printed whole, in one array."""
    if as_json:
        print(json_line(list(rows)))
        return
    table = plain_table(*columns)
    for row in rows:
        table.add_row(*(_cell(row.get(key)) for key in columns.values()))
    print_table(table)


def print_facts(facts: Row, as_json: bool) -> None:
    """Print one thing: a line for each fact, lists as lines of their own. Keys have underscores in
    JSON, and spaces here."""
    if as_json:
        print(json_line(dict(facts)))
        return
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        values = value if isinstance(value, list) else [value]
        for number, each in enumerate(values or ["-"]):
            label = name.replace("_", " ") if not number else ""
            print_plain(f"{label:{width}}  {_cell(each)}".rstrip())


def json_line(value: Any) -> str:
    """A value as JSON in one line; of an array, its type and shape and, if it is short, what is in
    it."""

    def other(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            array = {"dtype": str(value.dtype), "shape": list(value.shape)}
            return array | ({"values": value.tolist()} if value.size <= 16 else {})
        return str(value)

    return plain_json(msgspec.json.encode(value, enc_hook=other).decode())


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(map(_cell, value))
    return value if isinstance(value, str) else json_line(value)
