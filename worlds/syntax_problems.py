"""What is said of a program that Python's parser does not read."""

from messages.program import Problem
from worlds.program_lines import program_lines

_LONGEST = 80  # characters of the line that are repeated


def syntax_problem(error: SyntaxError, source: str) -> Problem:
    """The parser's reason with the line that it stopped at."""
    return syntax_problem_at(error.lineno or 1, error.msg, source)


def syntax_problem_at(number: int, reason: str, source: str) -> Problem:
    """The problem with the line itself, which a model that wrote it looks at again more often than
    at a number."""
    lines = program_lines(source)
    line = lines[number - 1].strip()[:_LONGEST] if number <= len(lines) else ""
    where = f" in `{line}`" if line else ""
    return Problem(line=number, message=f"syntax error: {reason}{where}")
