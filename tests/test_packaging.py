"""What is imported is declared, explained and pinned; what is read as data is packaged."""

import ast
import re
import sys
import tomllib
from pathlib import Path

from nodes.own_packages import DEPENDENCIES

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("launch", "messages", "models", "nodes", "rlgpt")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
MODULES = {"hydra-core": "hydra", "pyyaml": "yaml", "pyzmq": "zmq"}
"""Modules whose package has another name."""
CHECKED_ONLY = {"minedojo", "vllm", "packing"}
"""Optional parts: imported only where they are installed, each in an environment of its own; and
the module that lies beside the program which runs in MineDojo's."""


def declared() -> set[str]:
    return {requirement.split("==")[0] for requirement in PROJECT["project"]["dependencies"]}


def imported() -> set[str]:
    found: set[str] = set()
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            named: set[str] = set()
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    named |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    named.add(node.module.partition(".")[0])
            # A script for another Python finds what lies beside it.
            found |= {name for name in named if not path.with_name(f"{name}.py").exists()}
    return found - sys.stdlib_module_names - {*ROOMS, *CHECKED_ONLY}


def test_what_is_imported_is_declared_and_the_other_way_round() -> None:
    assert {MODULES.get(name, name) for name in declared()} == imported() == set(DEPENDENCIES)


def test_every_dependency_has_its_reason() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8").partition("## Optional")[0]
    explained = set(re.findall(r"^\| `([\w-]+)`", page, re.MULTILINE))
    tools = {line.split("==")[0] for line in PROJECT["project"]["optional-dependencies"]["dev"]}
    assert explained == declared() | tools


def test_every_dependency_is_pinned_the_same_everywhere() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = {line.lower().replace("_", "-") for line in lines}
    for requirement in PROJECT["project"]["dependencies"]:
        assert requirement in pinned


def test_every_kind_of_data_file_is_packaged() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["*"]
    for room in ROOMS:
        for path in (ROOT / room).rglob("*"):
            if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts:
                assert any(path.match(pattern) for pattern in patterns), path
