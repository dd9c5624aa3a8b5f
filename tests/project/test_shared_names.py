"""What tests take from other files of tests is there, and no fixture is taken from a file of tests:
a change of such a file is tried with its own tests, and with these beside them."""

import ast
from functools import cache
from pathlib import Path

from tests.project.test_lengths import ROOT

TESTS = "tests"


def module(root: Path, name: str) -> Path | None:
    """The file of a module, a package's ``__init__.py`` among them; None if there is none."""
    path = root / name.replace(".", "/")
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def names(path: Path) -> set[str]:
    """What a module has at its top level, in whatever branch."""
    found: set[str] = set()
    left: list[ast.AST] = [parsed(path)]
    while left:
        for node in ast.iter_child_nodes(left.pop()):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found |= {each.asname or each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            else:
                left.append(node)
    return found


def fixtures(path: Path) -> set[str]:
    """The fixtures that a module has."""
    return {
        node.name
        for node in parsed(path).body
        if isinstance(node, ast.FunctionDef)
        and any("fixture" in ast.unparse(each) for each in node.decorator_list)
    }


def mistakes(root: Path) -> list[str]:
    found: list[str] = []
    for path in sorted((root / TESTS).rglob("*.py")):
        here = path.relative_to(root)
        for node in ast.walk(parsed(path)):
            if not isinstance(node, ast.ImportFrom) or node.level or not node.module:
                continue
            if node.module.partition(".")[0] != TESTS:
                continue
            source, wanted = module(root, node.module), {each.name for each in node.names}
            if source is None:
                found.append(f"{here}: there is no module {node.module}")
                continue
            for name in sorted(wanted - names(source)):
                if module(root, f"{node.module}.{name}") is None:
                    found.append(f"{here}: {node.module} has no {name}")
            if source.name.startswith("test_"):
                taken = sorted(wanted & fixtures(source))
                found += [f"{here}: the fixture {name} is of {node.module}" for name in taken]
    return found


def test_what_tests_share_is_there_and_fixtures_are_not_taken_from_tests() -> None:
    assert mistakes(ROOT) == []


def test_a_name_that_is_gone_and_a_fixture_of_a_file_of_tests_are_found(tmp_path: Path) -> None:
    folder = tmp_path / TESTS / "room"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "test_one.py").write_text(
        "import pytest\nif True:\n    A, (B, *C) = 1, (2, 3)\n@pytest.fixture\ndef bus(): ...\n"
    )
    (folder / "test_two.py").write_text(
        "from tests.room import test_one, test_none\n"
        "from tests.room.test_one import A, B, C, D, bus, pytest\n"
        "from tests.gone import E\n"
    )
    assert mistakes(tmp_path) == [
        "tests/room/test_two.py: tests.room has no test_none",
        "tests/room/test_two.py: tests.room.test_one has no D",
        "tests/room/test_two.py: the fixture bus is of tests.room.test_one",
        "tests/room/test_two.py: there is no module tests.gone",
    ]
