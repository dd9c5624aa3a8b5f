"""The lines of a program's source as Python counts them."""

import io


def program_lines(source: str) -> list[str]:
    """The lines, without their ends. ``str.splitlines`` would also split at form feeds, line
    separators and the like, after which its numbers are not those of errors."""
    return [line.removesuffix("\n") for line in io.StringIO(source, newline=None)]
