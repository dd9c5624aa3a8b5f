"""The format of the server's log. It contains texts of clients, which must not control a terminal
or forge entries."""

import logging


class PlainFormatter(logging.Formatter):
    """Spells out unprintable characters, and indents all lines of an entry but the first."""

    def format(self, record: logging.LogRecord) -> str:
        lines = super().format(record).split("\n")
        return "\n    ".join(_plain(line) for line in lines)


def _plain(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in line)
