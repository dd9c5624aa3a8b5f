"""What is said of a program that Python's parser does not read."""

from messages.program import Problem

_LONGEST = 80  # characters of the line that are repeated


def syntax_problem(message: str, number: int, source: str) -> Problem:
    """The parser's reason with the line that it stopped at, which a model that wrote it looks at
    again more often than at a number."""
    lines = source.splitlines()
    line = lines[number - 1].strip()[:_LONGEST] if number <= len(lines) else ""
    where = f" in `{line}`" if line else ""
    return Problem(line=number, message=f"syntax error: {message}{where}")
