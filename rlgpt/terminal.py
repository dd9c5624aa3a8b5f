"""The console that commands print to."""

import errno
from collections.abc import Iterator
from typing import Any

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from nodes.common.running.command import discard_output
from nodes.common.running.plain_text import plain, plain_line

_WITHOUT_LIMIT = 1_000_000  # columns
_LONG = 500  # rows, from which on Rich takes seconds: a thousand a second
_BETWEEN = "  "


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Rich would end the process, and with it a launch whose output is no longer read."""
        discard_output()

    def _check_buffer(self) -> None:
        try:
            super()._check_buffer()
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            discard_output()  # the terminal was closed


def console(width: int) -> Console:
    """Standard output; ``width`` columns where there is no terminal to ask."""
    made = _Console(highlight=False)
    return made if made.is_terminal else _Console(highlight=False, width=width)


def hanging(label: Text, text: str) -> Table:
    """``text`` beside ``label``; its further lines begin below its first one."""
    row = Table.grid(padding=(0, 2))
    row.add_column(no_wrap=True)
    row.add_column(overflow="fold")
    row.add_row(label, Text(text))
    return row


def plain_table(*columns: str) -> Table:
    """A table without lines around it, whose cells stay on one line each."""
    table = _PlainTable(box=None, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column, no_wrap=True, overflow="fold")
    return table


class _PlainTable(Table):
    """``lines``: what is printed of it where nothing has to be folded or coloured."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._rows_of_text: list[list[str]] = []
        self._only_text = True

    def lines(self) -> Iterator[str] | None:
        """None: not all of its cells are plain text."""
        if not self._only_text:
            return None
        heads = [str(column.header) for column in self.columns]
        rows = [heads, *self._rows_of_text]
        widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
        return (_BETWEEN.join(map(_filled, row, widths)).rstrip() for row in rows)

    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
        """A cell may hold text from outside."""
        shown = [plain_line(cell) if isinstance(cell, str) else cell for cell in cells]
        super().add_row(*shown, **options)
        text = [cell for cell in shown if isinstance(cell, str)]
        self._only_text &= len(text) == len(self.columns) and not options
        self._rows_of_text.append(text)


def _filled(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def print_plain(text: str, end: str = "\n") -> None:
    """Print text from outside: no character of it is a command to the terminal."""
    print(plain(text), end=end)


def print_table(table: Table | str) -> None:
    """Print a table, or a text in its place. Nothing is cut off: a program that reads the output
    gets a line for each row of any length, and in a terminal that is too narrow for the table its
    cells go over several lines, unless there are very many."""
    shown = console(width=200)
    if isinstance(table, _PlainTable) and (not shown.is_terminal or table.row_count > _LONG):
        lines = table.lines()
        if lines is not None:
            for line in lines:
                print(line, file=shown.file)
            return
    needed = shown.measure(table, options=shown.options.update_width(_WITHOUT_LIMIT)).maximum
    if needed > shown.width and isinstance(table, Table):
        if shown.is_terminal:
            for column in table.columns:
                column.no_wrap = False
        else:
            shown = console(width=needed)
    if shown.is_terminal:
        shown.print(table, markup=False)
        return
    with shown.capture() as captured:
        shown.print(table, markup=False)
    for line in captured.get().splitlines():  # Rich fills each line up to the widest
        print(line.rstrip(), file=shown.file)
