"""Files and functions stay short enough to be read at once, but for those named here."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = ("benchmarks", "messages", "models", "nodes", "rlgpt", "tests", "voxeldojo", "worlds")
LINES_OF_A_FILE = 500
LINES_OF_A_FUNCTION = 100
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
