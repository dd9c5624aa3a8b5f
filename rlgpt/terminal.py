"""The console that commands print to."""

import errno
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table

from nodes.command import nobody_reads
from nodes.plain_text import plain, plain_line


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Rich would end the process, and with it a launch whose reader has seen enough."""
        nobody_reads()

    def _check_buffer(self) -> None:
        try:
            super()._check_buffer()
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            nobody_reads()  # the terminal was closed


def console(width: int) -> Console:
    """Standard output; ``width`` columns where there is no terminal to ask."""
    made = _Console(highlight=False)
    return made if made.is_terminal else _Console(highlight=False, width=width)


def plain_table(*columns: str) -> Table:
    """A table without lines around it, whose cells stay on one line each."""
    table = _PlainTable(box=None, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column, no_wrap=True)
    return table


class _PlainTable(Table):
    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
        """What a cell holds may be anybody's text."""
        shown = [plain_line(cell) if isinstance(cell, str) else cell for cell in cells]
        super().add_row(*shown, **options)


def print_plain(text: str, end: str = "\n") -> None:
    """Print what others wrote: no character of it is a command to the terminal."""
    print(plain(text), end=end)


def print_table(table: Table | str) -> None:
    """Print a table, or what to say in its place. Nothing is cut off for a program that reads
    along."""
    console(width=200).print(table, markup=False)
