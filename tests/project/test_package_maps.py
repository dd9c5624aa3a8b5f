"""The docstring of each package of voxeldojo says what each of its files is for. For the files
beside the packages the README does."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "voxeldojo"
PACKAGES = sorted(path.parent for path in ROOT.rglob("__init__.py"))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_package_s_map_names_all_of_its_files(package: Path) -> None:
    if package == ROOT:
        text = (package / "README.md").read_text()
    else:
        text = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
    named = re.findall(r"`(\w+\.py)`", text)
    files = [path.name for path in package.glob("*.py")]
    unnamed = {"__init__.py", "__main__.py"}
    assert sorted(set(named) - unnamed) == sorted(set(files) - unnamed)
