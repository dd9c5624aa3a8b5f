"""What is imported is declared, explained and pinned; what is read as data is packaged."""

import ast
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from nodes.own_packages import DEPENDENCIES, SINGLE_FILES

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("launch", "messages", "models", "nodes", "rlgpt", "worlds")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WORLD = tomllib.loads((ROOT / "voxeldojo" / "pyproject.toml").read_text("utf-8"))
MODULES = {"hydra-core": "hydra", "pyyaml": "yaml", "pyzmq": "zmq"}
"""Modules whose package has another name."""
CHECKED_ONLY = {"crafter", "minedojo", "vllm", "packing", "transformers", "gguf", "peft"}
"""Optional parts: imported only where they are installed, each in an environment of its own; and
the module that lies beside the program which runs in MineDojo's."""


LOADED = {"websockets", "tensorboard"}
"""Packages that others of them load by themselves: uvicorn, and torchrl's logger."""


def declared(project: dict[str, Any]) -> set[str]:
    return {requirement.split("==")[0] for requirement in project["project"]["dependencies"]}


def optional(project: dict[str, Any]) -> set[str]:
    """What users may install besides, each from an extra of its own."""
    extras = project["project"]["optional-dependencies"]
    return {each.split("==")[0] for name in extras if name != "dev" for each in extras[name]}


def modules(project: dict[str, Any]) -> set[str]:
    return {MODULES.get(name, name) for name in declared(project)}


def imported(*rooms: str) -> set[str]:
    found: set[str] = set()
    for room in rooms:
        for path in (ROOT / room).rglob("*.py"):
            named: set[str] = set()
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    named |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    named.add(node.module.partition(".")[0])
            # A script for another Python finds what lies beside it.
            found |= {name for name in named if not path.with_name(f"{name}.py").exists()}
    return found - sys.stdlib_module_names - {*rooms, *CHECKED_ONLY}


def test_imported_packages_are_declared_and_declared_ones_are_imported() -> None:
    assert modules(PROJECT) == imported(*ROOMS) - optional(PROJECT) | LOADED
    assert modules(WORLD) == imported("voxeldojo")
    assert (modules(PROJECT) | modules(WORLD)) - {"voxeldojo"} == {*DEPENDENCIES, *SINGLE_FILES}


def test_the_world_is_a_distribution_of_its_own() -> None:
    assert not modules(WORLD) & {"torch", "zmq", *ROOMS}
    packages = set(WORLD["tool"]["setuptools"]["packages"])
    files = [path.relative_to(ROOT) for path in (ROOT / "voxeldojo").rglob("*.py")]
    # What an installation from the checkout leaves there is none of it.
    folders = {file.parent for file in files if file.parts[1] != "build"}
    assert packages == {".".join(folder.parts) for folder in folders}
    assert f"voxeldojo=={WORLD['project']['version']}" in PROJECT["project"]["dependencies"]


def test_every_dependency_has_a_line_in_the_docs() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8").partition("## Optional")[0]
    explained = set(re.findall(r"^\| `([\w-]+)`", page, re.MULTILINE))
    extras = PROJECT["project"]["optional-dependencies"]
    optional = {line for name, lines in extras.items() if name != "dev" for line in lines}
    tools = {line.split("==")[0] for line in extras["dev"] if line not in optional}
    assert explained == declared(PROJECT) | declared(WORLD) | tools


def test_every_dependency_is_pinned_the_same_everywhere() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = {line.lower().replace("_", "-") for line in lines}
    for project in (PROJECT, WORLD):
        for requirement in project["project"]["dependencies"]:
            assert requirement in pinned or requirement.startswith("voxeldojo==")


def test_packages_that_users_import_say_that_they_are_typed() -> None:
    """Else mypy takes nothing of them for typed once they are installed."""
    for package in ("messages", "nodes", "rlgpt", "voxeldojo", "worlds"):
        assert (ROOT / package / "py.typed").is_file(), package


def test_every_kind_of_data_file_is_packaged() -> None:
    for project, rooms in ((PROJECT, ROOMS), (WORLD, ("voxeldojo",))):
        patterns = [
            *project["tool"]["setuptools"]["package-data"]["*"],
            "pyproject.toml",
            "README.md",
        ]
        for room in rooms:
            for path in (ROOT / room).rglob("*"):
                if {"__pycache__", "voxeldojo.egg-info", "build"} & set(path.parts):
                    continue
                if path.is_file() and path.suffix != ".py":
                    assert any(path.match(pattern) for pattern in patterns), path
