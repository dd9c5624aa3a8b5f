"""Files and functions stay short enough to be read at once, but for those named here; pages have
lines of at most 100 columns."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.project.doc_pages import PAGES

ROOT = Path(__file__).resolve().parents[2]
CODE = ("benchmarks", "messages", "models", "nodes", "rlgpt", "tests", "voxeldojo", "worlds")
LINES_OF_A_FILE = 500
LINES_OF_A_FUNCTION = 100
COLUMNS_OF_PROSE = 100
FENCE = re.compile(r" *(`{3,}|~{3,})")
LONG_FUNCTIONS = {
    "voxeldojo/engine/picture/render.py: draw_world": "one compiled loop over the pixels of a "
    "picture: its parts share some thirty numbers of a ray, which calls would pass for each pixel",
}
"""Functions that are longer, and why; each says so itself as well."""


def sources(root: Path) -> Iterator[Path]:
    for folder in CODE:
        yield from sorted((root / folder).rglob("*.py"))


def long_files(root: Path) -> list[str]:
    found = ((path, len(path.read_text("utf-8").splitlines())) for path in sources(root))
    return [
        f"{path.relative_to(root)}: {lines} lines"
        for path, lines in found
        if lines > LINES_OF_A_FILE
    ]


def long_functions(root: Path) -> list[str]:
    found: list[str] = []
    for path in sources(root):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if (node.end_lineno or node.lineno) - node.lineno + 1 > LINES_OF_A_FUNCTION:
                found.append(f"{path.relative_to(root)}: {node.name}")
    return found


def long_prose(page: str) -> list[int]:
    """The numbers of the lines of a Markdown page that are too long and could be broken. Exempt are
    code, fenced or indented after an empty line, tables, and a word alone, as a link."""
    found: list[int] = []
    fence, paragraph = "", False
    for number, line in enumerate(page.splitlines(), 1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = ""
            continue
        if mark:
            fence, paragraph = mark[1], False
            continue
        if not line.strip() or (line.startswith("    ") and not paragraph):
            paragraph = False
            continue
        paragraph = True
        is_table = line.lstrip().startswith("|")
        if len(line) > COLUMNS_OF_PROSE and not is_table and len(line.split()) > 1:
            found.append(number)
    return found


def test_no_file_has_more_than_500_lines() -> None:
    assert long_files(ROOT) == []


def test_a_function_of_more_than_100_lines_has_its_reason_in_the_table() -> None:
    assert long_functions(ROOT) == list(LONG_FUNCTIONS)


def test_functions_and_files_that_are_too_long_are_found(tmp_path: Path) -> None:
    folder = tmp_path / "messages"
    folder.mkdir()
    body = "    x = 1\n"
    (folder / "short.py").write_text("def f():\n" + body * (LINES_OF_A_FUNCTION - 1))
    (folder / "deep.py").write_text(
        "class A:\n    async def g(self):\n" + ("    " + body) * LINES_OF_A_FUNCTION
    )
    assert long_functions(tmp_path) == ["messages/deep.py: g"]
    assert long_files(tmp_path) == []
    (folder / "long.py").write_text("x = 1\n" * (LINES_OF_A_FILE + 1))
    assert long_files(tmp_path) == ["messages/long.py: 501 lines"]


def test_prose_on_the_pages_has_at_most_100_columns() -> None:
    pages = [*PAGES, ROOT / "LOG.md", ROOT / "voxeldojo" / "README.md"]
    found = {str(page.relative_to(ROOT)): long_prose(page.read_text("utf-8")) for page in pages}
    assert {page: numbers for page, numbers in found.items() if numbers} == {}


def test_lines_of_prose_that_are_too_long_are_found_and_code_and_tables_are_not() -> None:
    long = "word " * 21
    page = f"""# {long}

{long}
* {long}
  {long}
    {long}

    {long}
    {long}
| {long} |
````text
{long}
```
{long}
````
{long}
{"x" * 101}
{"x " * 50}x
{"x " * 49}x
"""
    assert long_prose(page) == [1, 3, 4, 5, 6, 16, 18]
