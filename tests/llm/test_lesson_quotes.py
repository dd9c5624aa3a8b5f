"""Programs that are taught have their strings in single quotes, which JSON need not mark."""

import ast
from pathlib import Path

import pytest

from nodes.llm.lessons.lessons import lessons
from nodes.llm.lessons.quotes import single_quoted
from worlds.minecraft import card as minecraft

STOCK = sorted((Path(minecraft.__file__).parent / "programs").glob("*.py"))


@pytest.mark.parametrize("path", STOCK, ids=lambda path: path.name)
def test_the_stock_means_the_same_in_single_quotes(path: Path) -> None:
    source = path.read_text()
    written = single_quoted(source)
    assert ast.dump(ast.parse(written)) == ast.dump(ast.parse(source))
    assert '"' not in written
    assert single_quoted(written) == written


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ('x = "a b"\n', "x = 'a b'\n"),
        ('x = "it\'s"\n', 'x = "it\'s"\n'),
        ('x = "a\\n"\n', 'x = "a\\n"\n'),
        ('x = ("", "b")  # "c"\n', "x = ('', 'b')  # \"c\"\n"),
        ('# a\u2028b\x0cc\nx = "d"\n', "# a\u2028b\x0cc\nx = 'd'\n"),
        ('def f():\n    """It\'s\n    so."""\n', "def f():\n    '''It's\n    so.'''\n"),
    ],
)
def test_strings_that_would_change_stay(source: str, written: str) -> None:
    assert single_quoted(source) == written
    assert ast.dump(ast.parse(written)) == ast.dump(ast.parse(source))


def test_no_program_that_is_taught_needs_a_backslash_for_a_quote() -> None:
    for each in lessons({"ProgramQuestion": 10, "SpecQuestion": 3}, seed=0):
        assert '\\"' not in each.answer
