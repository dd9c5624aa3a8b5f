"""The game of docs/adding_a_game.md with a change in one of its files."""

import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import worlds

PAGE = (Path(__file__).parents[2] / "docs" / "adding_a_game.md").read_text("utf-8")
FILE = re.compile(r"^`([\w./]+)`\n\n(```+)\w+\n(.*?)^\2$", re.DOTALL | re.MULTILINE)
CARD_FILE = "card/__init__.py"


def write_game(folder: Path) -> None:
    """The page's files, as an installed package would lie on the path."""
    for name, _, text in FILE.findall(PAGE):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    installed = folder / f"{project['name']}-{project['version']}.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    (installed / "entry_points.txt").write_text("\n".join(points))


def broken_copy(folder: Path, place: Path, file: str, old: str, new: str) -> Path:
    """The game in ``place``, with ``new`` in the place of ``old`` in one of its files."""
    broken = shutil.copytree(folder, place / "broken", ignore=shutil.ignore_patterns("runs"))
    path = broken / "quarry" / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    return broken


@contextmanager
def a_heap(folder: Path, place: Path, file: str, old: str, new: str) -> Iterator[None]:
    """Another game on the path, the page's with a change in one file."""
    heap = shutil.copytree(folder / "quarry", place / "heap")
    text = (heap / file).read_text()
    assert old in text
    (heap / file).write_text(text.replace(old, new))
    for name, own in ((CARD_FILE, 'name="{}"'), ("play.py", "from {}.card ")):
        renamed = (heap / name).read_text().replace(own.format("quarry"), own.format("heap"))
        (heap / name).write_text(renamed)
    info = place / "heap-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: heap\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[rlgpt.games]\nheap = heap\n")
    sys.path.append(str(place))
    try:
        yield
    finally:
        sys.path.remove(str(place))
        for name in [name for name in sys.modules if name.partition(".")[0] == "heap"]:
            del sys.modules[name]
        worlds.card.cache_clear()
        worlds.play.cache_clear()
